package session

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

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

// settleSuspended moves on what others act for, innermost first, and tells whether anything
// moved.
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

// renew has what a retried step is given resolved anew: whoever retries may have edited its
// input, and else it would fail by the old one for ever. What an approver has let through
// stays, and so does the list of rounds under way.
func (r *visits) renew(id string, d *state.Suspended) {
	if step := r.def.Step(id); step == nil || step.Approval || d.Body != nil && !d.Ready {
		return
	}
	d.Renew = true
	r.unwritten.touch()
}

// renewed notes the input by which a driven step goes on.
func (r *visits) renewed(d *state.Suspended, a *attempt) {
	if d.Renew {
		r.dropText(d.Input)
		d.Input, d.Reads, d.Renew = r.keepText(a.input), a.reads, false
	}
}
