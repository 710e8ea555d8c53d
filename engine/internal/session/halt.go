package session

import (
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// noteHalted remembers a step that is about to be cancelled, for a retry. Body steps and tools are
// omitted: their container or agent starts them again.
func (r *visits) noteHalted(h *state.Halted, id string) {
	if l := r.state.Live(id); l != nil && l.Tool == nil && r.holderOf(id) == "" {
		h.Live = append(h.Live, state.HaltedVisit{Step: id, Took: l.Took})
	}
}

// haltPaths remembers the visits that finished in the wave in which the session failed.
func (r *visits) haltPaths(done []arrival) {
	h := r.state.Halted()
	for _, d := range done {
		if h != nil && r.holderOf(d.step) == "" {
			h.Done = append(h.Done, state.HaltedVisit{Step: d.step, Seq: d.record.Seq})
		}
	}
}

// takeUpHalted resumes what a failed step had cancelled, now that the step is retried: paths of
// finished visits are followed in the next wave, cancelled steps begin new visits, and joins wait
// again.
func (r *visits) takeUpHalted(again []string) {
	h := r.state.Halted()
	if h == nil || !slices.Contains(again, h.Step) {
		return
	}
	r.state.TakeUpHalted()
	for _, v := range h.Live {
		if r.def.Step(v.Step) != nil && !r.state.HasBegun(v.Step) {
			r.beginVisit(v.Step, append(v.Took, h.Again[v.Step]...))
			delete(h.Again, v.Step)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(h.Again)) { // steps that serve as an agent's tools, see noteHalted
		for _, from := range h.Again[id] {
			r.state.RunAgain(id, from)
		}
	}
	for _, v := range h.Done {
		r.arrived = append(r.arrived, arrival{step: v.Step, record: &store.Execution{Seq: v.Seq}})
	}
}
