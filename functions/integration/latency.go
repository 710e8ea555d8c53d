package integration

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

const maxLatency = time.Minute

// latency is a duration; a plain number is in milliseconds.
type latency time.Duration

// UnmarshalJSON reads milliseconds or a text with a unit.
func (l *latency) UnmarshalJSON(b []byte) error {
	text := strings.TrimSpace(input.TextOf(b))
	if text == "" {
		*l = 0
		return nil
	}
	d, err := input.ParseDuration(text)
	if ms, plain := strconv.ParseFloat(text, 64); plain == nil {
		d, err = time.Duration(ms*float64(time.Millisecond)), nil
	}
	if err != nil {
		return err
	}
	if d < 0 || d > maxLatency {
		return fmt.Errorf("want at most %s, not %s", maxLatency, text)
	}
	*l = latency(d)
	return nil
}
