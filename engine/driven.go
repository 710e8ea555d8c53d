package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// A drivenStep is what the engine keeps of a step whose function has handed control to it
// (see RunBody, RunSessions, CallTools): the step is active, but others act for it. It
// stands in the state from the first call of the function to the end of the visit.
type drivenStep struct {
	Visit   int             `json:"visit"`
	Call    int             `json:"call"`            // number of the newest call of the function
	Ready   bool            `json:"ready,omitempty"` // the function is to be called again
	Input   json.RawMessage `json:"input,omitempty"` // of the first call, see keepText
	Reads   []Lineage       `json:"reads,omitempty"`
	Started int64           `json:"started"`
	Shown   bool            `json:"shown,omitempty"` // the visit's output entry is there already
	Renew   bool            `json:"renew,omitempty"` // it is retried, see renew

	Body  *bodyRun     `json:"body,omitempty"`
	Kids  *childrenRun `json:"children,omitempty"`
	Agent *agentRun    `json:"agent,omitempty"`
}

// driven returns the entry of a step that others act for now, or nil.
func (s *State) driven(id string) *drivenStep {
	d := s.engine.Driven[id]
	if d == nil || d.Ready {
		return nil
	}
	return d
}

// heldOpen tells whether an active step only stands for others: its body or its tools
// say what the session waits for.
func (s *State) heldOpen(id string) bool {
	d := s.driven(id)
	return d != nil && (d.Body != nil || d.Agent != nil)
}

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
func (r *runner) entrust(res *attemptResult) *drivenStep {
	a := res.attempt
	d := r.state.engine.Driven[a.step]
	if d == nil || d.Visit != a.call_.Visit {
		d = &drivenStep{Visit: a.call_.Visit, Started: res.started.UnixMilli(), Input: r.keepText(a.input), Reads: a.reads}
		if r.state.engine.Driven == nil {
			r.state.engine.Driven = map[string]*drivenStep{}
		}
		r.state.engine.Driven[a.step] = d
	}
	r.renewed(d, a)
	d.Call, d.Ready = a.call_.Number, false
	r.state.live(a.step).Tries = 0
	r.unwritten.touch()
	return d
}

// settleDriven moves on what others act for, innermost first, and tells whether anything
// moved.
func (r *runner) settleDriven(ctx context.Context) (moved bool) {
	if len(r.state.engine.Driven) == 0 || ctx.Err() != nil {
		return false
	}
	for _, id := range sortedKeys(r.state.engine.Driven) {
		d := r.state.driven(id)
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
		case d.Kids != nil:
			moved = r.settleChildren(id, d) || moved
		}
	}
	return moved
}

// dropDriven forgets what a visit that has ended was given over to, and its BLOBs.
func (r *runner) dropDriven(id string) {
	d := r.state.engine.Driven[id]
	if d == nil {
		return
	}
	delete(r.state.engine.Driven, id)
	r.dropText(d.Input)
	switch {
	case d.Body != nil:
		r.dropText(d.Body.Items)
	case d.Kids != nil:
		r.dropText(d.Kids.Sessions)
	case d.Agent != nil:
		r.dropTranscript(d.Agent)
	}
}

// stopDriven ends what acts for a step that is cancelled or fails: body steps, tools,
// child sessions.
func (r *runner) stopDriven(id, reason string) {
	d := r.state.engine.Driven[id]
	if d == nil {
		return
	}
	switch {
	case d.Body != nil:
		r.cancelBody(id, reason)
	case d.Agent != nil:
		for _, c := range d.Agent.Calls {
			if c.State == callRuns && r.liveStatus(c.Step) {
				r.state.live(c.Step).Tool = nil // nobody waits for its result
				r.cancelStep(c.Step, reason)
			}
		}
	case d.Kids != nil:
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
		if step != nil && r.state.engine.Driven[id] != nil {
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
	d := r.state.engine.Driven[id]
	if d == nil || r.def.Step(id) == nil { // one that is gone is so again in the next wave
		return
	}
	r.renew(id, d)
	switch {
	case d.Kids != nil && d.Renew:
		d.Ready = true // it says which sessions there are to be
	case d.Kids != nil && len(d.Kids.Failed) > 0:
		d.Kids.retryFailed()
		d.Ready = false
	case d.Body != nil && d.Body.Failed == "" && d.Body.Round >= d.Body.Max && !d.Body.Over:
		d.Body.Max += max(d.Body.Max, 1)
		r.nextRound(id, d)
	case d.Body != nil:
		d.Body.Failed = ""
	}
}

// liveStatus tells whether a step has begun and not ended.
func (r *runner) liveStatus(id string) bool {
	switch r.state.Status(id) {
	case StatusActive, StatusPending, StatusAwaitingInput:
		return true
	}
	return false
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
	if r.state.engine.Settled == nil {
		r.state.engine.Settled = map[string]string{}
	}
	r.state.engine.Settled[id] = KindFailed
	if l := r.state.engine.Live[id]; l != nil {
		r.state.engine.Settled[id] = cmp.Or(l.Kind, KindFailed)
	}
	r.dropDriven(id)
	delete(r.state.engine.Live, id)
	r.clearFailure(id)
	r.unwritten.touch()
	if step := r.def.Step(id); step != nil {
		for _, inner := range step.Body { // what made it fail is dealt with, too
			r.settleError(inner)
		}
	}
}

// stepError is the error a step is in.
func (r *runner) stepError(id string) *SessionError {
	e := &SessionError{Step: id, Kind: cmp.Or(r.state.engine.Settled[id], KindFailed), Message: r.state.steps[id].Error}
	if l := r.state.engine.Live[id]; l != nil && l.Kind != "" {
		e.Kind = l.Kind
	}
	return e
}

// badHandover fails a step whose function handed over something that cannot be done.
func (r *runner) badHandover(res *attemptResult, format string, args ...any) *Execution {
	return r.failStep(res.attempt.step, failure{kind: KindBadInput, final: true, info: res.info(), message: fmt.Sprintf(format, args...)})
}
