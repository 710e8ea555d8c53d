package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/state"
)

// drive does what a function handed over. It returns a record when the step's paths are
// to be followed at once.
func (r *runner) drive(res *attemptResult) (record *Execution, handed bool) {
	var (
		body     *RunBody
		sessions *RunSessions
		tools    *CallTools
		wait     *Wait
	)
	switch {
	case errors.As(res.err, &body):
		return r.beginBody(res, body), true
	case errors.As(res.err, &sessions):
		return r.beginChildren(res, sessions), true
	case errors.As(res.err, &tools):
		return r.beginTools(res, tools), true
	case errors.As(res.err, &wait):
		return r.beginWait(res, wait), true
	}
	return nil, false
}

// entrust makes a step one that others act for, and returns its entry: the one it has
// when its function has been called before in this visit.
func (r *runner) entrust(res *attemptResult) *state.Suspended {
	a := res.attempt
	d := r.state.Suspended(a.step)
	if d == nil || d.Visit != a.call_.Visit {
		d = &state.Suspended{Visit: a.call_.Visit, Started: res.started.UnixMilli(), Input: r.keepText(a.input), Reads: a.reads}
		r.state.Suspend(a.step, d)
	}
	r.renewed(d, a)
	d.Call, d.Ready = a.call_.Number, false
	r.state.MakeLive(a.step).Tries = 0
	r.unwritten.touch()
	return d
}

// settleDriven moves on what others act for, innermost first, and tells whether anything
// moved.
func (r *runner) settleDriven(ctx context.Context) (moved bool) {
	if ctx.Err() != nil {
		return false
	}
	for _, id := range r.state.SuspendedSteps() {
		d := r.state.SuspendedNow(id)
		if d == nil || r.state.Status(id) != StatusActive {
			continue
		}
		if gone, handled := r.settleGone(id, d); handled {
			moved = gone || moved
			continue
		}
		switch {
		case d.Body != nil:
			moved = r.settleBody(id, d) || moved
		case d.Agent != nil:
			moved = r.settleTools(id, d) || moved
		case d.Children != nil:
			moved = r.settleChildren(id, d) || moved
		}
	}
	return moved
}

// dropDriven forgets what a visit that has ended was given over to, and its BLOBs.
func (r *runner) dropDriven(id string) {
	d := r.state.Suspended(id)
	if d == nil {
		return
	}
	r.state.EndSuspended(id)
	r.dropText(d.Input)
	switch {
	case d.Body != nil:
		r.dropText(d.Body.Items)
	case d.Children != nil:
		r.dropText(d.Children.Sessions)
	case d.Agent != nil:
		r.dropTranscript(d.Agent)
	}
}

// stopDriven ends what acts for a step that is cancelled or fails: body steps, tools,
// child sessions.
func (r *runner) stopDriven(id, reason string) {
	d := r.state.Suspended(id)
	if d == nil {
		return
	}
	switch {
	case d.Body != nil:
		r.cancelBody(id, reason)
	case d.Agent != nil:
		for _, c := range d.Agent.Calls {
			if c.State == state.CallRuns && r.state.HasBegun(c.Step) {
				r.state.MakeLive(c.Step).Tool = nil // nobody waits for its result
				r.cancelStep(c.Step, reason)
			}
		}
	case d.Children != nil:
		r.cancelChildren(id, d, reason)
	}
}

// withContainers completes the steps of a retry: a container that failed because of one
// of its body goes on with that step, and a step goes on in the container that failed
// because of it.
func (r *runner) withContainers(again []string) []string {
	seen := map[string]bool{}
	var out []string
	var add func(id string)
	add = func(id string) {
		if seen[id] || !r.state.Failed(id) {
			return
		}
		seen[id] = true
		step := r.def.Step(id)
		if step != nil && step.Holder != "" {
			add(step.Holder)
		}
		out = append(out, id)
		if step != nil && r.state.Suspended(id) != nil {
			for _, inner := range step.Body {
				add(inner)
			}
		}
	}
	for _, id := range again {
		add(id)
	}
	return out
}

// takeUpDriven gives what a retried step acts through a new allowance.
func (r *runner) takeUpDriven(id string) {
	d := r.state.Suspended(id)
	if d == nil || r.def.Step(id) == nil { // one that is gone is so again in the next wave
		return
	}
	r.renew(id, d)
	switch {
	case d.Children != nil && d.Renew:
		d.Ready = true // it says which sessions there are to be
	case d.Children != nil && len(d.Children.Failed) > 0:
		d.Children.RetryFailed()
		d.Ready = false
	case d.Body != nil && d.Body.Failed == "" && d.Body.Round >= d.Body.Max && !d.Body.Over:
		d.Body.Max += max(d.Body.Max, 1)
		r.nextRound(id, d)
	case d.Body != nil:
		d.Body.Failed = ""
	}
}

// problemOf is a failure as results carry it.
func problemOf(step string, f failure) *SessionError {
	return &SessionError{Step: step, Kind: f.kind, Message: f.message}
}

// settleError marks a failed step's error as dealt with by what the step acted for: it
// stays to be seen, and the session goes on as if nothing were open.
func (r *runner) settleError(id string) {
	if !r.state.Failed(id) {
		return
	}
	r.state.Handle(id)
	r.dropDriven(id)
	r.unwritten.touch()
	if step := r.def.Step(id); step != nil {
		for _, inner := range step.Body { // what made it fail is dealt with, too
			r.settleError(inner)
		}
	}
}

// badHandover fails a step whose function handed over something that cannot be done.
func (r *runner) badHandover(res *attemptResult, format string, args ...any) *Execution {
	return r.failStep(res.attempt.step, failure{kind: KindBadInput, final: true, info: res.info(), message: fmt.Sprintf(format, args...)})
}
