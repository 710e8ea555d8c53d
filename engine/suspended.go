package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/state"
)

// handOver does what a function handed over. It returns a record when the step's paths are
// to be followed at once.
func (r *steps) handOver(res *attemptResult) (record *Execution, handed bool) {
	var (
		body     *RunBody
		sessions *RunSessions
		tools    *CallTools
		wait     *Wait
	)
	switch {
	case errors.As(res.err, &body):
		return r.bodies.beginBody(res, body), true
	case errors.As(res.err, &sessions):
		return r.children.beginChildren(res, sessions), true
	case errors.As(res.err, &tools):
		return r.agents.beginTools(res, tools), true
	case errors.As(res.err, &wait):
		return r.waits.beginWait(res, wait), true
	}
	return nil, false
}

// suspend makes a step one that others act for, and returns its entry: the one it has
// when its function has been called before in this visit.
func (r *visits) suspend(res *attemptResult) *state.Suspended {
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

// A suspendedCall is one way in which a call that has returned goes on: others act for its step
// until the function is called again or the step ends. Keeping such a call's goroutine instead
// would hold a slot for days and would not survive a restart; so the function returns what it
// waits for (RunBody, RunSessions, CallTools), the state keeps it, and each wave looks how far
// it has come.
type suspendedCall interface {
	// settle moves the call on and reports whether anything moved.
	settle(id string, d *state.Suspended) (moved bool)
	// resume tells the function that is called again what came of it.
	resume(ctx context.Context, id string, d *state.Suspended, call *Call) error
	// retry gives a call that failed another allowance.
	retry(id string, d *state.Suspended)
	// stop ends what acts for the step, because the step is cancelled or has failed.
	stop(id, reason string)
	// drop gives up what the ended call kept.
	drop(d *state.Suspended)
}

// kind returns what acts for a step, nil for a call that has handed over nothing yet.
func (r *visits) kind(d *state.Suspended) suspendedCall {
	switch {
	case d.Body != nil:
		return r.body
	case d.Agent != nil:
		return r.tools
	case d.Children != nil:
		return r.sessions
	}
	return nil
}

// settleSuspended moves on what others act for, innermost first, and tells whether anything
// moved.
func (r *visits) settleSuspended(ctx context.Context) (moved bool) {
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
		if k := r.kind(d); k != nil {
			moved = k.settle(id, d) || moved
		}
	}
	return moved
}

// dropSuspended forgets what a visit that has ended was given over to, and its BLOBs.
func (r *visits) dropSuspended(id string) {
	d := r.state.Suspended(id)
	if d == nil {
		return
	}
	r.state.EndSuspended(id)
	r.dropText(d.Input)
	if k := r.kind(d); k != nil {
		k.drop(d)
	}
}

// stopSuspended ends what acts for a step that is cancelled or fails: body steps, tools,
// child sessions.
func (r *visits) stopSuspended(id, reason string) {
	if d := r.state.Suspended(id); d != nil {
		if k := r.kind(d); k != nil {
			k.stop(id, reason)
		}
	}
}

// withContainers completes the steps of a retry: a container that failed because of one
// of its body goes on with that step, and a step goes on in the container that failed
// because of it.
func (r *visits) withContainers(again []string) []string {
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

// retrySuspended gives what a retried step acts through a new allowance.
func (r *visits) retrySuspended(id string) {
	d := r.state.Suspended(id)
	if d == nil || r.def.Step(id) == nil { // one that is gone is so again in the next wave
		return
	}
	r.renew(id, d)
	if k := r.kind(d); k != nil {
		k.retry(id, d)
	}
}

// problemOf is a failure as results carry it.
func problemOf(step string, f failure) *SessionError {
	return &SessionError{Step: step, Kind: f.kind, Message: f.message}
}

// settleError marks a failed step's error as dealt with by what the step acted for: it
// stays to be seen, and the session goes on as if nothing were open.
func (r *visits) settleError(id string) {
	if !r.state.Failed(id) {
		return
	}
	r.state.Handle(id)
	r.dropSuspended(id)
	r.unwritten.touch()
	if step := r.def.Step(id); step != nil {
		for _, inner := range step.Body { // what made it fail is dealt with, too
			r.settleError(inner)
		}
	}
}

// badHandover fails a step whose function handed over something that cannot be done.
func (r *visits) badHandover(res *attemptResult, format string, args ...any) *Execution {
	return r.failStep(res.attempt.step, failure{kind: KindBadInput, final: true, info: res.info(), message: fmt.Sprintf(format, args...)})
}
