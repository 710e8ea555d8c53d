package session

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// waves runs all steps that are active at the same time, in one wave.
type waves struct {
	*visits
	steps     *steps
	joins     *joins
	bodies    *bodies
	effects   *effects
	waits     *waits
	questions *questions
}

// wave runs one wave: first the arrivals, then every active pure step in the order of activation,
// then the paths of all visits that finished, together and once, then joins and skipped steps. It
// reports whether anything changed, so that another wave is needed.
//
// How often a step runs must not depend on the names of steps or on their order in a file. So all
// inputs of a wave are resolved before its first step runs, against the state at the beginning of
// the wave plus the arrivals. The order of steps then affects only the order of records and
// messages. A pending step is tried again only when there are no arrivals: the paths of an
// arrival come first, and the path that brings the missing value merges with the pending
// activation, so that one answer runs the step once. A step that fails the session does so after
// all steps of its wave have run.
//
// Active steps with effects are added to r.toStart; they start after the next checkpoint.
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

// finishArrivals puts the arrivals into the state and returns the visits whose paths are to be
// followed.
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

// endFailed ends the session when a step with on_error: fail_session has failed. The paths of the
// wave's finished visits are not followed; a retry follows them.
func (r *waves) endFailed(done []arrival) bool {
	if r.failing == "" {
		return false
	}
	r.failSession(r.failing)
	r.haltPaths(done)
	r.failing = ""
	return true
}

// activeSteps returns the steps to run or to try again now, in the order of activation: active
// steps that are neither under way nor waiting for a retry, and, if pending is true, pending steps.
func (r *waves) activeSteps(pending bool) []string {
	now := r.now()
	var steps []string
	for id, l := range r.state.LiveSteps() {
		if l.Queued { // checked first, because nearly all of thousands of parallel effects are queued
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

// followPaths evaluates the paths of finished visits, all against the same state, and activates
// their targets in path order.
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
			r.settleError(d.step) // on_error: continue, and a path was taken: the error is handled
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
