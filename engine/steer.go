package engine

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
)

// steer does what an operator's request asks for, under the lease. It returns what became of
// it, for people.
func (r *requests) steer(q *Request) string {
	switch q.Kind {
	case RequestPause:
		return r.applyPause(q)
	case RequestResume:
		return r.applyResume(q)
	case RequestCancel:
		return r.applyCancel(q)
	case RequestRetry:
		return r.applyRetry(q)
	case RequestAdvance:
		return r.applyAdvance(q)
	case RequestMove:
		return r.applyMove(q)
	case RequestReask:
		return r.applyReask(q)
	case RequestRollback:
		return r.applyRollback(q)
	case RequestSignal:
		return r.waits.applySignal(q)
	case RequestChild:
		return r.children.applyChild(q)
	}
	return fmt.Sprintf("this engine does not know requests of kind %q", q.Kind)
}

// applyPause lets calls under way finish and starts nothing more.
func (r *requests) applyPause(q *Request) string {
	if r.state.Paused() != nil {
		return "paused already"
	}
	if r.finished() {
		return "the session had ended before"
	}
	r.state.Pause(r.now(), bodyOf(q).Reason)
	r.notifyChildren(RequestPause, bodyOf(q).Reason)
	return "paused"
}

// applyResume lifts a pause; answers that came meanwhile are applied. On any session it
// has the effect of a claim: what is pending is tried again.
func (r *requests) applyResume(*Request) string {
	if r.state.Paused() == nil {
		return "resumed"
	}
	r.state.Resume()
	r.notifyChildren(RequestResume, "")
	r.applyHeld()
	return "resumed"
}

// applyCancel ends the session: calls under way are told to stop, questions are closed.
// Visits that have just ended stay as they are, and none of their paths is followed. A cancel
// that was accepted came before every end that is not written yet, so an end counts only
// if it is stored.
func (r *requests) applyCancel(q *Request) string {
	r.applyHeld()
	if len(r.arrived) == 0 && r.stored == StatusComplete && r.state.SessionStatus() == StatusComplete {
		return "the session was complete before"
	}
	reason := bodyOf(q).Reason
	for _, id := range r.state.StepIDs() {
		switch r.state.Status(id) {
		case StatusActive, StatusPending, StatusAwaitingInput:
			r.cancelStep(id, reasonOr(reason, "the session was cancelled"))
		}
	}
	r.state.Cancel(r.now(), reason)
	r.unwritten.closing = true
	return "cancelled"
}

func reasonOr(reason, otherwise string) string {
	if reason == "" {
		return otherwise
	}
	return reason
}

// applyRetry runs failed steps again, as a new attempt of the same visit, with a new
// allowance of steps.
func (r *requests) applyRetry(q *Request) string {
	b := bodyOf(q)
	var again []string
	for _, id := range r.state.StepIDs() {
		if r.state.Failed(id) && (b.Step == "" || b.Step == id) {
			again = append(again, id)
		}
	}
	r.state.RenewAllowance("")
	if f := r.state.Failure(); f != nil && (b.Step == "" || f.Step == b.Step) {
		r.state.Fail(nil)
	}
	for _, id := range r.withContainers(again) {
		l := r.ensureVisit(id)
		l.Tries, l.RetryAt, l.Approved, l.Counted = 0, 0, nil, false
		if b.NewKey {
			l.Salt = int(r.counters.Seq()) + 1
		}
		r.state.SetStatus(id, StatusActive, "")
		r.state.ClearFailure(id)
		r.event(EventStep, r.stepEvent(id, l, StatusActive))
		r.retrySuspended(id)
	}
	r.takeUpHalted(again)
	if len(again) == 0 {
		return "no step in error"
	}
	return fmt.Sprintf("retrying %d", len(again))
}

// applyAdvance evaluates a finished step's paths again: one added later is taken now.
func (r *requests) applyAdvance(q *Request) string {
	b := bodyOf(q)
	step := r.def.Step(b.Step)
	if step == nil {
		return fmt.Sprintf("step %q is not in the workflow", b.Step)
	}
	switch r.state.Status(b.Step) {
	case StatusComplete:
	case StatusError:
	default:
		return fmt.Sprintf("step %q has not finished", b.Step)
	}
	last, taken := r.takenSince(step)
	r.state.RenewAllowance("")
	fresh := 0
	for _, p := range r.evaluatePaths(b.Step, &Execution{}) {
		if !taken[p.ID] {
			r.activate(p.Target, state.TakenPath{Seq: last, Path: p.ID, Jump: p.Closes})
			fresh++
		}
	}
	r.joins.settleJoins()
	return fmt.Sprintf("%d of %d paths taken", fresh, len(step.Next))
}

// takenSince returns the newest execution of a step and its paths that were taken after
// it, as far as the history knows: advance takes what was not.
func (r *requests) takenSince(step *graph.CompiledStep) (last int64, taken map[string]bool) {
	newest, ok := required(r.ledger, func() ([]Execution, error) {
		return r.e.store.Executions(r.ctx, r.id, HistoryQuery{Step: step.ID, Newest: true, Limit: 1})
	})
	if !ok || len(newest) == 0 {
		return 0, nil
	}
	last, taken = newest[0].Seq, map[string]bool{}
	for _, p := range step.Next {
		for _, t := range r.pathsTaken(p.Target) {
			taken[p.ID] = taken[p.ID] || t.Seq == last && t.Path == p.ID
		}
		targets, ok := required(r.ledger, func() ([]Execution, error) {
			return r.e.store.Executions(r.ctx, r.id, HistoryQuery{Step: p.Target, After: last, Limit: maxPage, Lineage: true})
		})
		if !ok {
			return 0, nil
		}
		for i := range targets {
			for _, t := range targets[i].Took {
				taken[p.ID] = taken[p.ID] || t.Execution == newest[0].ID && t.Label == p.ID
			}
		}
	}
	return last, taken
}

// pathsTaken are the paths that led to a step which has not ended, or waits as a join.
func (r *requests) pathsTaken(id string) []state.TakenPath {
	taken := r.state.TakenTo(id)
	if l := r.state.Live(id); l != nil {
		taken = append(append([]state.TakenPath(nil), taken...), l.Took...)
	}
	return taken
}

// applyReask closes a question as it was shown and asks what the step asks now.
func (r *requests) applyReask(q *Request) string {
	r.applyHeld()
	b := bodyOf(q)
	n := 0
	for _, id := range r.state.StepIDs() {
		if r.state.Status(id) != StatusAwaitingInput || b.Step != "" && b.Step != id {
			continue
		}
		if r.def.Step(id) == nil {
			continue
		}
		r.questions.closeToAsk(id)
		r.unwritten.closing = true
		n++
	}
	if n == 0 {
		return "no open question"
	}
	return fmt.Sprintf("asked %d anew", n)
}

// closeToAsk closes a step's question and makes the step active, to ask what it asks now.
func (r *questions) closeToAsk(id string) {
	if q := r.state.Ask(id); q != nil && q.HasEntry() {
		r.state.DropNewest(id)
		r.counters.DropOutput(id)
	}
	r.state.CloseAsk(id)
	r.state.SetStatus(id, StatusActive, "")
	l := r.ensureVisit(id)
	l.Wait = nil                         // a wait begins anew: its signal, its time
	if l.Visit < r.counters.Visits(id) { // put back by hand: the asks of that visit are used up
		l.Visit = r.counters.NextVisit(id)
	}
}
