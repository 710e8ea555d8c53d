package session

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// suspend marks a step as suspended and returns its entry in the state: the existing entry if the
// function has been called before in this visit.
func (r *visits) suspend(res *attemptResult) *state.Suspended {
	a := res.attempt
	d := r.state.Suspended(a.step)
	if d == nil || d.Visit != a.callInfo.Visit {
		d = &state.Suspended{Visit: a.callInfo.Visit, Started: res.started.UnixMilli(), Input: r.keepText(a.input.text), Reads: a.input.reads}
		r.state.Suspend(a.step, d)
	}
	r.renewed(d, a)
	d.Call, d.Ready = a.callInfo.Number, false
	r.state.MakeLive(a.step).Tries = 0
	r.unwritten.touch()
	return d
}

// settleSuspended advances all suspended calls, innermost first, and reports whether anything
// changed.
func (r *visits) settleSuspended(ctx context.Context) (moved bool) {
	if ctx.Err() != nil {
		return false
	}
	for _, id := range r.state.SuspendedSteps() {
		d := r.state.SuspendedNow(id)
		if d == nil || r.state.Status(id) != store.StatusActive {
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

// withContainers extends the list of steps to retry. A container that failed because of a body
// step retries that step; a body step is retried inside the container that failed because of it.
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

// retrySuspended makes a retried suspended step resolve its input again (see renew) and lets its
// body or its child sessions continue.
func (r *visits) retrySuspended(id string) {
	d := r.state.Suspended(id)
	if d == nil || r.def.Step(id) == nil { // a removed step fails again in the next wave
		return
	}
	r.renew(id, d)
	if k := r.kind(d); k != nil {
		k.retry(id, d)
	}
}

// renew makes a retried step resolve its input again: an operator may have edited the input, and
// otherwise the step would fail for ever with the old one. An input that a person approved stays,
// and so does the list of the rounds under way.
func (r *visits) renew(id string, d *state.Suspended) {
	if step := r.def.Step(id); step == nil || step.Approval || d.Body != nil && !d.Ready {
		return
	}
	d.Renew = true
	r.unwritten.touch()
}

// renewed stores the input with which a suspended step continues.
func (r *visits) renewed(d *state.Suspended, a *attempt) {
	if d.Renew {
		r.dropText(d.Input)
		d.Input, d.Reads, d.Renew = r.keepText(a.input.text), a.input.reads, false
	}
}
