package session

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// settleGroup starts the body steps that the concurrency limit allows and ends the group when all
// its end steps have ended; with First, at the first success.
func (r *bodies) settleGroup(id string, d *state.Suspended) (moved bool) {
	b := d.Body
	step := r.def.Step(id)
	if b.First {
		if winner := r.firstSuccess(step); winner != "" {
			b.Waiting = nil
			for _, end := range step.Body {
				if end != winner && r.state.HasBegun(end) {
					r.cancelStep(end, fmt.Sprintf("step %q was first", winner))
				}
			}
			r.stop(id, fmt.Sprintf("step %q was first", winner))
			r.endBody(id, d)
			return true
		}
	}
	for len(b.Waiting) > 0 && r.liveInBody(step) < b.Room {
		start := b.Waiting[0]
		b.Waiting = b.Waiting[1:]
		r.beginVisit(start, []state.TakenPath{{Path: id + ">" + start + ":" + string(graph.Contains)}})
		moved = true
	}
	if len(b.Waiting) > 0 || r.bodyLive(id) {
		return moved
	}
	succeeded := false
	for _, end := range step.Ends {
		succeeded = succeeded || r.state.Status(end) == store.StatusComplete
	}
	if failed := r.failedIn(step); !succeeded && failed != "" {
		r.failBody(id, failure{kind: function.KindFailed, final: true, message: fmt.Sprintf("every step of the group failed; %q: %s", failed, r.state.ErrorText(failed))})
		return true
	}
	r.endBody(id, d)
	return true
}

func (r *bodies) liveInBody(step *graph.CompiledStep) (n int) {
	for _, id := range step.Body {
		if r.state.HasBegun(id) {
			n++
		}
	}
	return n
}

// failedIn returns the last step of a body that is in error, "" when there is none.
func (r *bodies) failedIn(step *graph.CompiledStep) (failed string) {
	for _, id := range step.Body {
		if r.state.Failed(id) {
			failed = id
		}
	}
	return failed
}

// firstSuccess returns the end step of a group whose output came first, "" when there is none yet.
func (r *bodies) firstSuccess(step *graph.CompiledStep) (winner string) {
	var earliest int64
	for _, end := range step.Ends {
		if r.state.Status(end) != store.StatusComplete {
			continue
		}
		kept := len(r.state.Outputs(end))
		if seq := r.counters.OutputSeq(end, kept-1, kept); winner == "" || seq < earliest {
			winner, earliest = end, seq
		}
	}
	return winner
}
