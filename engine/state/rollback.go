package state

import "github.com/stepgraph/stepgraph/engine/store"

// A Past is what a rollback takes a session back to.
type Past struct {
	Ended []store.Execution // that had ended before
	First int64             // number of the first execution that is taken back
	Joins map[string][]TakenPath
	// Arrived are the paths that had been taken into steps with join: required.
	Arrived map[string][]TakenPath
	Kept    map[string]bool // steps that go on as they are now
}

// TakeBack makes s, which a rollback has rebuilt from the history, the session's state in the
// place of `now`. What is never taken back (messages, signals, what an operator has said) and the
// steps that go on are as they are now. Counters never go down: only which execution made which
// output is what it was.
func (s *State) TakeBack(now *State, c *Counters, p Past) {
	outputs := c.n.Outputs
	s.messages = now.messages // what was said was said
	s.extra, s.dataExtra, s.LastEvaluated = now.extra, now.dataExtra, now.LastEvaluated
	was := s.document()
	s.takeUp(&document{
		beforeSeeds: beforeSeeds{Entry: now.entry, Signals: now.signals, Order: now.liveSteps.order,
			storedControl: storedControl{Paused: now.paused, Failure: was.Failure}, Live: was.Live, Settled: was.Settled},
		Seeds:      now.seeds,
		afterSeeds: afterSeeds{Until: now.until, Parent: now.parent, Notices: now.notices, Undone: now.undone},
	})
	s.unknown = now.unknown
	c.n.Outputs, c.n.Attempts = nil, nil
	for i := range p.Ended {
		x := &p.Ended[i]
		if n := len(s.Outputs(x.Step)); n > 0 && len(x.Output) > 0 && x.Status != store.StatusRound && x.Status != store.StatusLost {
			c.NoteOutput(x.Step, x.Seq, min(n, len(c.n.Outputs[x.Step])+1))
		}
	}
	for _, id := range now.statuses.order {
		if p.Kept[id] {
			s.carryOver(now, id)
			c.n.Outputs = put(c.n.Outputs, id, outputs[id])
		}
	}
	for id, took := range p.Joins {
		s.joins.waiting = put(s.joins.waiting, id, took)
	}
	for id, from := range p.Arrived {
		s.SetArrivals(id, from)
	}
	s.noteUndone(p.First, c.n.Seq)
}

// carryOver gives a state all that another one has of a step.
func (s *State) carryOver(old *State, id string) {
	if s.statuses.steps[id] == nil {
		s.statuses.order = append(s.statuses.order, id)
	}
	s.statuses.steps[id] = old.steps[id]
	if list := old.outputs.byStep[id]; list != nil {
		if s.outputs.byStep[id] == nil {
			s.outputs.order = append(s.outputs.order, id)
		}
		s.outputs.byStep[id] = list
	}
	s.live = carry(s.live, old.live, id)
	s.asked = carry(s.asked, old.asked, id)
	s.calls = carry(s.calls, old.calls, id)
	s.handled = carry(s.handled, old.handled, id)
	s.joins.waiting = carry(s.joins.waiting, old.joins.waiting, id)
	s.again = carry(s.again, old.again, id)
}

func carry[V any](to, from map[string]V, id string) map[string]V {
	if v, ok := from[id]; ok {
		return put(to, id, v)
	}
	return to
}
