package functions

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// WaitInput is the input of wait.
type WaitInput struct {
	For      *input.Duration `json:"for,omitempty" jsonschema:"how long to wait, in seconds or as 90s, 1h30m, 2d; with signal at most so long"`
	Duration *input.Duration `json:"duration,omitempty" jsonschema:"another name of for"`
	Timeout  *input.Duration `json:"timeout,omitempty" jsonschema:"signal: another name of for"`
	Until    json.RawMessage `json:"until,omitempty" jsonschema:"a time, as 2026-01-31T12:00:00Z or in milliseconds since 1970; with signal at most until then"`
	Signal   input.Text      `json:"signal,omitempty" jsonschema:"the signal to wait for"`
}

// WaitOutput is the output of wait: the first field after a time, the others after a signal.
type WaitOutput struct {
	WaitedUntil string          `json:"waited_until,omitempty" jsonschema:"when it ended"`
	TimedOut    bool            `json:"timed_out,omitempty" jsonschema:"no signal came in time"`
	Signal      string          `json:"signal,omitempty" jsonschema:"the signal waited for"`
	Body        json.RawMessage `json:"body,omitempty" jsonschema:"what was sent with it"`
}

// Wait pauses the session for a time or until a signal is sent to it. Other fields of the
// input are kept in the output. It is pure: the engine keeps the timer.
func Wait(_ context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[WaitInput](fields)
	if err != nil {
		return nil, err
	}
	wait, err := in.wait()
	if err != nil {
		return nil, err
	}
	if rest := fields.Without("for", "duration", "timeout", "until", "signal"); rest != nil {
		wait.Entry = rest.Encode()
	}
	return nil, wait
}

func (in WaitInput) wait() (*function.Wait, error) {
	wait := &function.Wait{Signal: string(in.Signal)}
	for _, length := range []*input.Duration{in.For, in.Duration, in.Timeout} {
		if length != nil && wait.For == 0 {
			wait.For = max(time.Duration(*length), 1) // a duration of 0 must not mean that none is given
		}
	}
	if in.Until != nil {
		at, err := moment(input.TextOf(in.Until))
		if err != nil {
			return nil, err
		}
		wait.Until = at
	}
	switch {
	case wait.For > 0 && !wait.Until.IsZero():
		return nil, input.Bad("until: there is a duration already; give one of them")
	case wait.For == 0 && wait.Until.IsZero() && wait.Signal == "":
		return nil, input.Bad("for: there is nothing to wait for; give for, until or signal")
	}
	return wait, nil
}

// latest is the last time that a date-time can represent.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// moment parses a point in time.
func moment(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	at, err := time.Parse(time.RFC3339Nano, text)
	if ms, numeric := strconv.ParseFloat(text, 64); numeric == nil {
		if !(ms >= 0 && ms <= float64(latest.UnixMilli())) {
			return at, input.Bad("until: %s milliseconds is not a time between 1970 and 9999", text)
		}
		return time.UnixMilli(int64(ms)), nil
	}
	if err != nil {
		return at, input.Bad("until: want a time such as 2026-01-31T12:00:00Z or milliseconds since 1970, not %q", text)
	}
	return at, nil
}

func checkWait(in WaitInput, given input.Object) error {
	for _, name := range []string{"for", "duration", "timeout", "until", "signal"} {
		if given.Get(name) != nil {
			if in.Until != nil {
				_, err := moment(input.TextOf(in.Until))
				return err
			}
			return nil
		}
	}
	_, err := in.wait()
	return err
}

func waitSpec() function.Spec {
	return function.Spec{
		Name:        "wait",
		Aliases:     []string{"utils.wait"},
		Description: "Waits until a time, for a duration, or for a signal.",
		Check:       input.Check[WaitInput](checkInput(checkWait), tried(Wait)),
		Needs:       function.Needs{Own: true},
		Input:       input.Schema[WaitInput](),
		Output:      input.Schema[WaitOutput](),
		Examples: []function.Example{
			{Title: "A while", Input: json.RawMessage(`{"for": "1h30m"}`)},
			{Title: "Until a time", Input: json.RawMessage(`{"until": "2026-01-31T12:00:00Z"}`)},
			{Title: "For a signal, a day at most", Input: json.RawMessage(`{"signal": "paid", "timeout": "1d"}`)},
		},
		Function: function.ObjectFunc(Wait),
	}
}
