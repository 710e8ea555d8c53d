package api

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// maxWait bounds ?wait=.
const maxWait = 60 * time.Second

// Waiting is what start, answer and steering take.
type Waiting struct {
	Wait string `query:"wait" doc:"how long to wait until the session is idle or has ended: seconds or a duration, at most 60s. After that time the session is returned as it is." example:"10s"`
}

// Keyed is what every POST takes.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"200" doc:"repeating a request with the same key has no further effect"`
}

func parseWait(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		var seconds float64
		if seconds, err = strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds <= maxWait.Seconds() {
			d = time.Duration(seconds * float64(time.Second))
		} else {
			d = -1
		}
	}
	if d < 0 || d > maxWait {
		return 0, problem("request_invalid", "", Fault{Parameter: "wait",
			Message: fmt.Sprintf("is %q, want seconds or a duration from 0 to %s", text, maxWait)})
	}
	return d, nil
}

// errWaitOver ends a wait, not the session.
var errWaitOver = errors.New("wait is over")

// wait returns the session at its next rest, or as it is when the time is up. What the
// request itself said about the session (accepted, replayed) stays.
func (r *sessionRoutes) wait(ctx context.Context, made *engine.Session, howLong time.Duration) (*engine.Session, error) {
	if howLong <= 0 {
		return made, nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, howLong, errWaitOver)
	defer cancel()
	after, err := r.e.WaitAfter(limited, made)
	if err != nil && context.Cause(limited) == errWaitOver {
		after, err = r.e.Session(ctx, made.ID)
	}
	if err != nil {
		return nil, err
	}
	after.Accepted, after.Replayed = made.Accepted, made.Replayed
	return after, nil
}

// A sessionOut answers with a session.
type sessionOut struct {
	ETag     string `header:"ETag" doc:"the session's version"`
	Location string `header:"Location"`
	Replayed string `header:"Idempotency-Replayed" doc:"true if the request was sent before with this key"`
	Body     Session
}

func answerWith(session *engine.Session) *sessionOut {
	out := &sessionOut{ETag: versionTag(session.Version), Body: sessionOf(session)}
	if session.Replayed {
		out.Replayed = "true"
	}
	return out
}
