package session

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// forking rebuilds what a session was.
type forking struct {
	store       store.Store
	definitions Definitions
	ctx         context.Context
	q           ForkPoint
	rec         *store.SessionRecord
	def         *graph.Definition
	state       *state.State // of now
	counted     *state.Counters
	before      []store.Execution            // that ended before the visit began
	live        []openVisit                  // others that were under way when it began
	joins       map[string][]state.TakenPath // waiting joins then
	arrived     map[string][]state.TakenPath // into steps with `join: required`, by then
	at          int64                        // ms, when the visit began
}

// An openVisit is a visit that was under way when the visit of a fork or rollback began.
type openVisit struct {
	step  string
	visit int
	took  []state.TakenPath // that had led to it by then
	since int64             // ms, when it asked or was called; 0 unknown
}

// A visitKey names one visit.
type visitKey struct {
	step  string
	visit int
}

// A ForkPoint names a visit of a session: what ran before it stays.
type ForkPoint struct {
	Step  string
	Visit int             // 0 means the newest
	State json.RawMessage // if given, the state to begin with, instead of the one rebuilt from the history
}

// inside tells whether a visit was part of another: of a round of a container, of an
// agent's round. It cannot be begun again by itself.
func (f *forking) inside(x *store.Execution) bool {
	s := f.def.Step(x.Step)
	return x.Parent != "" || s != nil && s.Holder != ""
}

// underWay reports whether a visit has begun and not ended, as the session is now.
func (f *forking) underWay(v visitKey) bool {
	return f.state.UnderWay(v.step, v.visit)
}

// first is the number of the first execution that is taken back.
func (f *forking) first() int64 {
	if len(f.before) == 0 {
		return 1
	}
	return f.before[len(f.before)-1].Seq + 1
}
