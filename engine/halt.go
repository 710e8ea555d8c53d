package engine

// A halted session is one that `on_error: fail_session` has ended. What was cut off by that is
// kept until a retry of the step takes it up again: without it the session would end complete
// though branches of it never went on.
type halted struct {
	Step string `json:"step"` // that failed the session
	// Done are finished visits, by their EXECUTION, whose paths were not followed.
	Done []haltedVisit `json:"done,omitempty"`
	// Live are the steps that were cancelled, with the paths that had led to them.
	Live  []haltedVisit          `json:"live,omitempty"`
	Joins map[string][]takenPath `json:"joins,omitempty"`
	Again map[string][]takenPath `json:"again,omitempty"`
}

type haltedVisit struct {
	Step string      `json:"step"`
	Seq  int64       `json:"seq,omitempty"`
	Took []takenPath `json:"took,omitempty"`
}

// halt begins to note what the failure of a step cuts off.
func (r *runner) halt(cause string) *halted {
	e := &r.state.engine
	if e.Halted == nil {
		e.Halted = &halted{}
	}
	h := e.Halted
	h.Step = cause
	for id, took := range e.Joins {
		h.Joins = put(h.Joins, id, took)
	}
	for id, took := range e.Again {
		h.Again = put(h.Again, id, took)
	}
	return h
}

// note keeps a step that is about to be cancelled. Body steps and tools are begun by their
// container or agent.
func (h *halted) note(r *runner, id string) {
	if l := r.state.engine.Live[id]; l != nil && l.Tool == nil && r.holderOf(id) == "" {
		h.Live = append(h.Live, haltedVisit{Step: id, Took: l.Took})
	}
}

// haltPaths keeps the visits that finished in the wave in which the session failed.
func (r *runner) haltPaths(done []arrival) {
	h := r.state.engine.Halted
	for _, d := range done {
		if h != nil && r.holderOf(d.step) == "" {
			h.Done = append(h.Done, haltedVisit{Step: d.step, Seq: d.record.Seq})
		}
	}
}

// takeUpHalted goes on with what the failure of a step had cut off, now that it is retried:
// paths of finished visits are followed in the next wave, cancelled steps begin new visits,
// joins wait again.
func (r *runner) takeUpHalted(again []string) {
	h := r.state.engine.Halted
	if h == nil || !containsText(again, h.Step) {
		return
	}
	r.state.engine.Halted = nil
	for id, took := range h.Joins {
		r.state.engine.Joins = put(r.state.engine.Joins, id, append(took, r.state.engine.Joins[id]...))
	}
	for _, v := range h.Live {
		if r.def.Step(v.Step) != nil && !r.liveStatus(v.Step) {
			r.beginVisit(v.Step, append(v.Took, h.Again[v.Step]...))
		}
	}
	for _, v := range h.Done {
		r.arrived = append(r.arrived, arrival{step: v.Step, record: &Execution{Seq: v.Seq}})
	}
}
