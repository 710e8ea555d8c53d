package function

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A RetryPolicy says how often and how soon a failed attempt is made again. Only
// transient failures are. Stored as JSON text in STEP.retry:
// {"max_attempts": 5, "initial_interval": "1s", "backoff": 2, "max_interval": "1m", "jitter": 0.1}.
// Durations are texts as Go writes them, or numbers of seconds.
type RetryPolicy struct {
	MaxAttempts     int // attempts in all; 1 when there is no policy
	InitialInterval time.Duration
	Backoff         float64
	MaxInterval     time.Duration
	Jitter          float64 // share of the interval, 0 to 1, added or taken at random
}

// ParseRetry reads STEP.retry; a blank text is one attempt.
func ParseRetry(text string) (RetryPolicy, error) {
	p := RetryPolicy{MaxAttempts: 1, InitialInterval: time.Second, Backoff: 2, MaxInterval: time.Minute}
	if jsontext.Blank(text) {
		return p, nil
	}
	var raw struct {
		MaxAttempts     *int            `json:"max_attempts"`
		InitialInterval json.RawMessage `json:"initial_interval"`
		Backoff         *float64        `json:"backoff"`
		MaxInterval     json.RawMessage `json:"max_interval"`
		Jitter          *float64        `json:"jitter"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&raw); err != nil {
		return p, fmt.Errorf("retry: %w; want {\"max_attempts\": 3, \"initial_interval\": \"1s\", \"backoff\": 2, \"max_interval\": \"1m\", \"jitter\": 0.1}", err)
	}
	p.MaxAttempts = 3
	if raw.MaxAttempts != nil {
		p.MaxAttempts = *raw.MaxAttempts
	}
	if raw.Backoff != nil {
		p.Backoff = *raw.Backoff
	}
	if raw.Jitter != nil {
		p.Jitter = *raw.Jitter
	}
	var err error
	if p.InitialInterval, err = durationJSON(raw.InitialInterval, p.InitialInterval); err != nil {
		return p, fmt.Errorf("retry: initial_interval: %w", err)
	}
	if p.MaxInterval, err = durationJSON(raw.MaxInterval, max(p.MaxInterval, p.InitialInterval)); err != nil {
		return p, fmt.Errorf("retry: max_interval: %w", err)
	}
	switch {
	case p.MaxAttempts < 1:
		return p, fmt.Errorf("retry: max_attempts is %d, want 1 or more", p.MaxAttempts)
	case p.Backoff < 1:
		return p, fmt.Errorf("retry: backoff is %g, want 1 or more", p.Backoff)
	case p.Jitter < 0 || p.Jitter > 1:
		return p, fmt.Errorf("retry: jitter is %g, want 0 to 1", p.Jitter)
	}
	return p, nil
}

// Wait is how long to wait after the failed-th failure in a row, at least atLeast.
func (p RetryPolicy) Wait(failed int, atLeast time.Duration) time.Duration {
	wait := float64(p.InitialInterval) * math.Pow(p.Backoff, float64(failed-1))
	wait = min(wait, float64(p.MaxInterval))
	wait *= 1 + p.Jitter*(2*rand.Float64()-1)
	return max(time.Duration(wait), atLeast)
}

// ParseDuration reads "1m30s", or a plain number of seconds; a blank text is 0.
func ParseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if seconds < 0 || seconds > math.MaxInt64/float64(time.Second) || math.IsNaN(seconds) {
			return 0, fmt.Errorf("%q is out of range", text)
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: want a text such as \"1m30s\" or a number of seconds", text)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", text)
	}
	return d, nil
}

func durationJSON(raw json.RawMessage, otherwise time.Duration) (time.Duration, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return otherwise, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return ParseDuration(text)
}
