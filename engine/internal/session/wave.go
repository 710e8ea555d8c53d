package session

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// waves run all that is active, together.
type waves struct {
	*visits
	steps     *steps
	joins     *joins
	bodies    *bodies
	effects   *effects
	waits     *waits
	questions *questions
}

// wave runs one wave: what has arrived, then every pure step that is active now, in the
// order of activation; then the paths of all that finished, together and once; then the
// joins and the skipped. It reports whether anything moved, so that another wave may.
//
// How often a step runs must not depend on what steps are called or in which order a file
// names them. Therefore all inputs of a wave are resolved before its first step runs, against
// the state as it stood when the wave began plus what had arrived; the order of steps then
// decides nothing but the order of records and messages. A pending step is tried only when
// nothing has arrived: an arrival's paths come first, and the one that brings the missing
// value merges with the activation that waits for it, so that one answer runs the step once.
// A step that fails the session does so when all steps of its wave have run.
//
// Effects found active are put into r.toStart; they start after the next checkpoint.
func (r *waves) wave(ctx context.Context) (progressed bool) {
	r.unsettled, r.lookedAt = false, r.now()
	r.questions.fireDue()
	r.waits.fireTimers()
	arrivals := r.effects.takeArrivals()
	done := r.finishArrivals(arrivals)
	if r.endFailed(done) {
		return true
	}
	if r.state.Resting() {
		r.followPaths(done)
		return len(arrivals) > 0
	}
	ran, moved := r.steps.runSteps(ctx, r.activeSteps(len(arrivals) == 0))
	done = append(done, ran...)
	if r.endFailed(done) {
		return true
	}
	progressed = moved || len(arrivals) > 0
	r.followPaths(done)
	if r.joins.settleJoins() {
		progressed = true
	}
	if r.settleSuspended(ctx) {
		progressed = true
	}
	r.joins.settleSkipped()
	return progressed
}

// finishArrivals puts what has arrived into the state and returns the visits whose paths are
// to be followed.
func (r *waves) finishArrivals(arrivals []arrival) (done []arrival) {
	for _, a := range arrivals {
		if a.result != nil && a.result.notBegun() {
			continue
		}
		if a.result != nil {
			if a.record = r.steps.finishAttempt(a.result); a.record == nil {
				continue
			}
		}
		done = append(done, a)
	}
	return done
}

// endFailed ends the session where a step with on_error: fail_session has failed. The paths of
// the wave's finished visits are not followed: a retry follows them.
func (r *waves) endFailed(done []arrival) bool {
	if r.failing == "" {
		return false
	}
	r.failSession(r.failing)
	r.haltPaths(done)
	r.failing = ""
	return true
}

// activeSteps returns the steps to be run or tried again now, in the order of
// activation: active ones that are not under way and not waiting for a retry, and
// pending ones where asked for.
func (r *waves) activeSteps(pending bool) []string {
	now := r.now()
	var steps []string
	for id, l := range r.state.LiveSteps() {
		if l.Queued { // looked at first: of thousands of parallel effects nearly all are
			continue
		}
		switch r.state.Status(id) {
		case store.StatusActive:
			if r.running[id] == nil && l.RetryAt <= now && l.Wait == nil && r.state.SuspendedNow(id) == nil {
				steps = append(steps, id)
			}
		case store.StatusPending:
			if pending {
				steps = append(steps, id)
			}
		}
	}
	r.state.SortByActivation(steps)
	return steps
}

// followPaths evaluates the paths of finished visits, all against the same state, and
// activates their targets in path order.
func (r *waves) followPaths(done []arrival) {
	if len(done) == 0 || r.state.Cancelled() != nil {
		return
	}
	r.state.LastEvaluated = r.now()
	type activation struct {
		path *graph.CompiledPath
		from state.TakenPath
	}
	var taken []activation
	for _, d := range done {
		open := r.evaluatePaths(d.step, d.record)
		if len(open) > 0 && d.record.Status == store.StatusError {
			r.settleError(d.step) // on_error: continue, and somebody takes it from here
		}
		for _, p := range open {
			taken = append(taken, activation{p, state.TakenPath{Seq: d.record.Seq, Path: p.ID}})
		}
	}
	for _, t := range taken {
		t.from.Jump = t.path.Closes
		if t.path.Leaves {
			r.bodies.noteBreak(t.path, t.from)
			continue
		}
		r.activate(t.path.Target, t.from)
	}
	for _, t := range taken {
		if t.path.Closes && !t.path.Leaves {
			r.state.GoBack(r.def, t.path.Target)
		}
	}
	for _, d := range done {
		for _, from := range r.state.TakeAgain(d.step) {
			r.activate(d.step, from)
		}
	}
}
