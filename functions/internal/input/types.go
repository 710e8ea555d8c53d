package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Text is a text field. Any other value is converted to compact JSON, null to "".
type Text string

// UnmarshalJSON reads any value.
func (t *Text) UnmarshalJSON(b []byte) error {
	*t = Text(TextOf(b))
	return nil
}

// TextOf returns a JSON value as text: a text as it is, null as "", everything else as compact
// JSON.
func TextOf(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || string(value) == "null" {
		return ""
	}
	if value[0] == '"' && len(value) > 1 {
		if inside := value[1 : len(value)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
			return string(inside)
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			return text
		}
	}
	return string(jsontext.Compact(value))
}

// Float is a number field; it also accepts the text of a number.
type Float float64

// UnmarshalJSON reads a number or its text.
func (f *Float) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseFloat(strings.TrimSpace(TextOf(b)), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return fmt.Errorf("want a number, not %s", shown(b))
	}
	*f = Float(n)
	return nil
}

// Int is an integer field; it also accepts the text of an integer.
type Int int

// UnmarshalJSON reads an integer, which may be written as 7.0, or its text.
func (i *Int) UnmarshalJSON(b []byte) error {
	var f Float
	if err := f.UnmarshalJSON(b); err != nil || float64(f) != math.Trunc(float64(f)) || math.Abs(float64(f)) > 1<<53 {
		return fmt.Errorf("want a whole number, not %s", shown(b))
	}
	*i = Int(f)
	return nil
}

// Bool is a truth value. It also accepts 1 and 0, and the texts true, yes, 1, false, no, 0 and
// "" in any case; "" and null are false.
type Bool bool

// UnmarshalJSON reads a truth value or its text.
func (v *Bool) UnmarshalJSON(b []byte) error {
	switch strings.ToLower(strings.TrimSpace(TextOf(b))) {
	case "true", "yes", "1":
		*v = true
	case "false", "no", "0", "":
		*v = false
	default:
		return fmt.Errorf("want true or false, not %s", shown(b))
	}
	return nil
}

// Duration is a duration: a number of seconds, or a text such as 90s, 1h30m, 2d or 1w. Zero
// means that none is given.
type Duration time.Duration

// UnmarshalJSON reads seconds or a text.
func (d *Duration) UnmarshalJSON(b []byte) error {
	text := strings.TrimSpace(TextOf(b))
	if text == "" {
		*d = 0
		return nil
	}
	length, err := ParseDuration(text)
	if err != nil {
		return err
	}
	*d = Duration(length)
	return nil
}

// ParseDuration reads a number of seconds or Go's form of a duration, which the units w and d
// may precede, in this order.
func ParseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return bounded(seconds*float64(time.Second), text)
	}
	total, rest := 0.0, text
	for _, unit := range []struct {
		name string
		days float64
	}{{"w", 7}, {"d", 1}} {
		before, after, found := strings.Cut(rest, unit.name)
		n, err := strconv.ParseFloat(before, 64)
		if found && err == nil {
			total, rest = total+n*unit.days*24*float64(time.Hour), after
		}
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil {
			return 0, fmt.Errorf("want seconds or a length of time such as 90s, 1h30m or 2d, not %q", text)
		}
		total += float64(d)
	}
	return bounded(total, text)
}

func bounded(d float64, text string) (time.Duration, error) {
	if !(d >= 0 && d < math.MaxInt64) {
		return 0, fmt.Errorf("length of time %q is out of range", text)
	}
	return time.Duration(d), nil
}

// shown returns a value shortened for an error message.
func shown(b []byte) string {
	if runes := []rune(string(b)); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return string(b)
}
