package session

import (
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A call with effects may have been made by an engine that died before it could store the result.
// The next engine makes the call again under the same key. People must see that, so the earlier
// call leaves one EXECUTION with status `lost`.
//
// Which calls these are cannot be read off the state: an active step may wait for its first
// call, for a retry, or for a free place. An engine that comes back could report what it had
// under way, but one that was killed does not come back. So every checkpoint lists, among
// the counters, the calls that are under way or may begin before the next one (callsUnderWay),
// no other call is started, and the engine that claims the session next finds in that list what its
// predecessor may have done (noteLost). The list is in the counters and not in the state,
// because an edit of the state does not undo a call. It is made anew for each checkpoint from
// what the runner has under way, so no place that ends a call has to remember to strike it out.

// manySteps is from how many steps on a session counts as a large one. Its checkpoints are
// expensive, so more calls may start under one of them: see callsUnderWay and collectResults.
const manySteps = 256

// callsUnderWay returns the calls that the next checkpoint lists: those under way, and the queued
// calls that may start under it, which are also returned as starting. Their number is what the
// session may run at once, plus an eighth of its steps in a large session: each may leave a `lost`
// EXECUTION without having been made, but one checkpoint for each group of StepsAtOnce calls
// would make the cost of a fan-out quadratic.
func (r *effects) callsUnderWay() (calls map[string]state.BegunCall, starting []*attempt) {
	calls = map[string]state.BegunCall{}
	list := func(a *attempt) {
		l := r.state.Live(a.step)
		if l == nil || l.Visit != a.callInfo.Visit || r.state.Status(a.step) != store.StatusActive {
			return // cancelled or failed meanwhile: its EXECUTION is already written
		}
		calls[a.step] = state.BegunCall{Visit: a.callInfo.Visit, Call: a.callInfo.Number, Attempt: a.callInfo.Attempt,
			Salt: a.salt, Function: a.spec.Name, At: a.since}
	}
	for _, a := range r.running {
		list(a)
	}
	for i := range r.arrived {
		if res := r.arrived[i].result; res != nil {
			list(res.attempt)
		}
	}
	room := max(stepsAtOnce(r.ledger)-len(r.running), 0)
	if n := len(r.state.StepIDs()); n >= manySteps {
		room += n / 8
	}
	starting = r.toStart[:min(room, len(r.toStart))]
	for _, a := range starting {
		list(a)
	}
	return calls, starting
}

// noteLost records the calls that the previous engine may have made and whose results were not
// stored.
func (r *effects) noteLost() {
	calls := r.counters.TakeCalls()
	for _, step := range slices.Sorted(maps.Keys(calls)) {
		c := calls[step]
		r.recordLost(lostCall{Step: step, Visit: c.Visit, Attempt: c.Attempt, Function: c.Function, Started: c.At, Finished: r.now(),
			Key: callKey(r.id, step, c.Visit, c.Call, c.Salt)},
			"the engine that was to make this call ended before a result was stored; the call may have been made, and may be made again under the same key")
	}
	if len(calls) > 0 {
		r.unwritten.touch()
	}
}
