package session

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// steer applies an operator's request while the lease is held. It returns the outcome text that is
// stored with the request.
func (r *requests) steer(q *store.Request) string {
	switch q.Kind {
	case store.RequestPause:
		return r.applyPause(q)
	case store.RequestResume:
		return r.applyResume(q)
	case store.RequestCancel:
		return r.applyCancel(q)
	case store.RequestRetry:
		return r.applyRetry(q)
	case store.RequestAdvance:
		return r.applyAdvance(q)
	case store.RequestMove:
		return r.applyMove(q)
	case store.RequestReask:
		return r.applyReask(q)
	case store.RequestRollback:
		return r.applyRollback(q)
	case store.RequestSignal:
		return r.waits.applySignal(q)
	case store.RequestChild:
		return r.children.applyChild(q)
	}
	return fmt.Sprintf("this engine does not know requests of kind %q", q.Kind)
}

// applyPause lets calls under way finish and starts no new call.
func (r *requests) applyPause(q *store.Request) string {
	if r.state.Paused() != nil {
		return "paused already"
	}
	if r.finished() {
		return "the session had ended before"
	}
	r.state.Pause(r.now(), BodyOf(q).Reason)
	r.notifyChildren(store.RequestPause, BodyOf(q).Reason)
	return "paused"
}

// applyResume ends a pause and applies the answers that arrived during it. On any session it also
// retries pending steps, as a claim does.
func (r *requests) applyResume(*store.Request) string {
	if r.state.Paused() == nil {
		return "resumed"
	}
	r.state.Resume()
	r.notifyChildren(store.RequestResume, "")
	r.applyHeld()
	return "resumed"
}

// applyCancel ends the session: calls under way are cancelled and questions are closed. Visits
// that have just ended keep their status, and none of their paths is followed. An accepted cancel
// precedes every end that is not written yet, so an end counts only if it is stored.
func (r *requests) applyCancel(q *store.Request) string {
	r.applyHeld()
	if len(r.arrived) == 0 && r.stored == store.StatusComplete && r.state.SessionStatus() == store.StatusComplete {
		return "the session was complete before"
	}
	reason := BodyOf(q).Reason
	for _, id := range r.state.StepIDs() {
		switch r.state.Status(id) {
		case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
			r.cancelStep(id, cmp.Or(reason, "the session was cancelled"))
		}
	}
	r.state.Cancel(r.now(), reason)
	r.unwritten.closing = true
	return "cancelled"
}

// applyRetry runs failed steps again, as a new attempt of the same visit, with a new
// allowance of steps.
func (r *requests) applyRetry(q *store.Request) string {
	b := BodyOf(q)
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
		r.state.SetStatus(id, store.StatusActive, "")
		r.state.ClearFailure(id)
		r.event(event.EventStep, r.stepEvent(id, l, store.StatusActive))
		r.retrySuspended(id)
	}
	r.takeUpHalted(again)
	if len(again) == 0 {
		return "no step in error"
	}
	return fmt.Sprintf("retrying %d", len(again))
}

// applyAdvance evaluates a finished step's paths again, so that a path added later is taken now. It
// also takes on a session that was started to end at the step.
func (r *requests) applyAdvance(q *store.Request) string {
	b := BodyOf(q)
	step := r.def.Step(b.Step)
	if step == nil {
		return fmt.Sprintf("step %q is not in the workflow", b.Step)
	}
	switch r.state.Status(b.Step) {
	case store.StatusComplete:
	case store.StatusError:
	default:
		return fmt.Sprintf("step %q has not finished", b.Step)
	}
	r.state.GoOnFrom(b.Step)
	last, taken := r.takenSince(step)
	r.state.RenewAllowance("")
	fresh := 0
	for _, p := range r.evaluatePaths(b.Step, &store.Execution{}) {
		if !taken[p.ID] {
			r.activate(p.Target, state.TakenPath{Seq: last, Path: p.ID, Jump: p.Closes})
			fresh++
		}
	}
	r.joins.settleJoins()
	return fmt.Sprintf("%d of %d paths taken", fresh, len(step.Next))
}

// takenSince returns the number of a step's newest execution, and the paths that the history shows
// as taken after it; advance takes only the others.
func (r *requests) takenSince(step *graph.CompiledStep) (last int64, taken map[string]bool) {
	newest, ok := required(r.ledger, func() ([]store.Execution, error) {
		return r.e.Store.Executions(r.ctx, r.id, store.HistoryQuery{Step: step.ID, Newest: true, Limit: 1})
	})
	if !ok || len(newest) == 0 {
		return 0, nil
	}
	last, taken = newest[0].Seq, map[string]bool{}
	for _, p := range step.Next {
		for _, t := range r.pathsTaken(p.Target) {
			taken[p.ID] = taken[p.ID] || t.Seq == last && t.Path == p.ID
		}
		targets, ok := required(r.ledger, func() ([]store.Execution, error) {
			return r.e.Store.Executions(r.ctx, r.id, store.HistoryQuery{Step: p.Target, After: last, Limit: maxPage, Lineage: true})
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

// pathsTaken returns the paths that led to a step which has not ended, or which waits as a join.
func (r *requests) pathsTaken(id string) []state.TakenPath {
	taken := r.state.TakenTo(id)
	if l := r.state.Live(id); l != nil {
		taken = append(append([]state.TakenPath(nil), taken...), l.Took...)
	}
	return taken
}

// applyReask closes an open question and asks the step's question as the workflow has it now.
func (r *requests) applyReask(q *store.Request) string {
	r.applyHeld()
	b := BodyOf(q)
	n := 0
	for _, id := range r.state.StepIDs() {
		if r.state.Status(id) != store.StatusAwaitingInput || b.Step != "" && b.Step != id {
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

// closeToAsk closes a step's question and makes the step active, so that it asks again.
func (r *questions) closeToAsk(id string) {
	if q := r.state.Ask(id); q != nil && q.HasEntry() {
		r.state.DropNewest(id)
		r.counters.DropOutput(id)
	}
	r.state.CloseAsk(id)
	r.state.SetStatus(id, store.StatusActive, "")
	l := r.ensureVisit(id)
	l.Wait = nil                         // a wait begins anew, with its signal and its time
	if l.Visit < r.counters.Visits(id) { // restored by hand: the question numbers of that visit are already used
		l.Visit = r.counters.NextVisit(id)
	}
}

// apply applies one request and marks it as applied. A request whose number has been seen already
// was applied in an earlier checkpoint.
func (r *requests) apply(q *store.Request) {
	if q.N <= r.counters.Seen() {
		return
	}
	r.counters.See(q.N)
	r.unsettled = true
	if ofPerson(q) {
		r.person.Store(true)
	}
	outcome, held := r.outcome(q)
	if !held {
		r.unwritten.applied = append(r.unwritten.applied, store.RequestOutcome{ID: q.ID, Outcome: outcome})
	}
	r.unwritten.touch()
}

// outcome applies a request and returns its outcome text; held is true for an answer that waits
// until the pause ends.
func (r *requests) outcome(q *store.Request) (text string, held bool) {
	if q.Applied {
		return q.Outcome, false // an edit of the state is applied when it is written
	}
	if r.state.Cancelled() != nil && q.Kind != store.RequestLost {
		return "the session was cancelled before", false
	}
	switch q.Kind {
	case store.RequestAnswer:
		if r.state.Paused() != nil {
			r.state.Hold(state.HeldAnswer{N: q.N, Step: q.Step, Visit: q.Visit, Ask: q.Ask})
			return "", true
		}
		return r.answered(q), false
	case store.RequestLost:
		return r.applyLost(q), false
	}
	return r.steer(q), false
}

// ofPerson reports whether a person waits for the request's effect. It is false for an item of a
// batch, whose key contains a slash, and for a notice from a child session.
func ofPerson(q *store.Request) bool {
	return q.Kind != store.RequestChild && q.Kind != store.RequestLost && !strings.Contains(q.Key, "/")
}

// applyMove closes a step (removed, waiting or failed) and activates another. If the target is in
// error, it begins a new visit, because the operator wants it to run.
func (r *requests) applyMove(q *store.Request) string {
	r.applyHeld()
	b := BodyOf(q)
	if r.def.Step(b.To) == nil {
		return fmt.Sprintf("not moved: step %q is not in the workflow", b.To)
	}
	from := b.Step
	if from == "" {
		from = r.state.StuckStep(r.def)
	}
	if problem := r.state.MoveProblem(r.def, from, b.To); problem != "" {
		return "not moved: " + problem
	}
	switch r.state.Status(from) {
	case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
		r.cancelStep(from, fmt.Sprintf("moved to step %q", b.To))
	case store.StatusError:
		r.stopSuspended(from, fmt.Sprintf("moved to step %q", b.To))
		r.state.TakeAgain(from)
		r.end(from, store.StatusCancelled)
	case "":
		if from != "" {
			return fmt.Sprintf("not moved: step %q is not open in this session", from)
		}
	}
	r.state.RenewAllowance("")
	if r.state.Failed(b.To) {
		r.state.ClearFailure(b.To)
		r.beginVisit(b.To, []state.TakenPath{{Path: store.RequestMove}})
		return fmt.Sprintf("moved from %q to %q, which was in error and begins visit %d", from, b.To, r.counters.Visits(b.To))
	}
	r.activate(b.To, state.TakenPath{Path: store.RequestMove, Jump: true})
	return fmt.Sprintf("moved from %q to %q", from, b.To)
}
