package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

func (r Rule) numbers(o Options) (bool, error) {
	if r.Operator == IsEmpty || r.Operator == NotEmpty {
		none := !o.LenientNumbers && strings.TrimSpace(textOf(r.Left)) == ""
		return none == (r.Operator == IsEmpty), nil
	}
	order, err := r.order(o)
	switch {
	case err != nil:
		return false, err
	case r.Operator == Equal:
		return order == 0, nil
	case r.Operator == NotEqual:
		return order != 0, nil
	}
	return r.Operator.orders(order), nil
}

// order returns -1, 0 or 1. Numbers are compared exactly unless LenientNumbers is set.
func (r Rule) order(o Options) (int, error) {
	if o.LenientNumbers {
		return compareFloats(leadingNumber(textOf(r.Left)), leadingNumber(textOf(r.Right))), nil
	}
	left, err := exact("left", r.Left)
	if err != nil {
		return 0, err
	}
	right, err := exact("right", r.Right)
	if err != nil {
		return 0, err
	}
	return left.Cmp(right), nil
}

// numberForm matches JSON's form of a number, also accepted in a text.
var numberForm = regexp.MustCompile(`^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?$`)

// exact reads a number or the text of one. It limits the size to keep the arithmetic fast.
func exact(side string, value json.RawMessage) (*big.Rat, error) {
	text := strings.TrimSpace(textOf(value))
	if trimmed := trim(value); (trimmed[0] == '"' || trimmed[0] == '-' || trimmed[0] >= '0' && trimmed[0] <= '9') &&
		len(text) <= 1000 && numberForm.MatchString(text) {
		if n, ok := new(big.Rat).SetString(text); ok {
			return n, nil
		}
	}
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return nil, fmt.Errorf("%s: want a number, not %q", side, text)
}

func compareFloats(left, right float64) int {
	switch {
	case left < right:
		return -1
	case left > right:
		return 1
	}
	return 0
}

// leadingForm matches the number at the start of a text, as JavaScript's parseFloat does.
var leadingForm = regexp.MustCompile(`^[-+]?(Infinity|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)`)

// leadingNumber returns the number at the start of a text, 0 if there is none.
func leadingNumber(text string) float64 {
	return parsed(leadingForm.FindString(strings.TrimLeftFunc(text, isBlank)))
}

// basedForm matches a whole number in another base, as JavaScript's Number accepts it.
var basedForm = regexp.MustCompile(`^0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$`)

// wholeNumber converts a text that is a number from end to end, otherwise it returns 0.
func wholeNumber(text string) float64 {
	text = strings.TrimFunc(text, isBlank)
	if basedForm.MatchString(text) {
		n, _ := new(big.Int).SetString(text, 0)
		f, _ := new(big.Float).SetInt(n).Float64()
		return f
	}
	if leadingForm.FindString(text) != text {
		return 0
	}
	return parsed(text)
}

func parsed(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0
	}
	return f
}

// isBlank reports whether JavaScript trims c at the ends of a text.
func isBlank(c rune) bool {
	return strings.ContainsRune("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", c) || c >= 0x2000 && c <= 0x200a
}
