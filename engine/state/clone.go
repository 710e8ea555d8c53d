package state

import (
	"maps"
	"slices"
)

// Clone returns a state for one who writes. It shares nothing with the one that is read but the
// bytes of JSON texts, which no code changes. A clone costs a fraction of what decoding the text again
// does.
//
// TestCloneSharesNothing fills every field there is: a new field that is not cloned fails it.
func (r *Reading) Clone() *State {
	s := r.State
	c := *s
	c.statuses, c.outputs, c.chat = s.statuses.clone(), s.outputs.clone(), chat{slices.Clone(s.messages)}
	c.liveSteps.live = cloneEach(s.live, (*LiveStep).clone)
	c.asks.asked = cloneEach(s.asked, (*Ask).clone)
	c.joins = s.joins.clone()
	c.suspended.calls = cloneEach(s.calls, (*Suspended).clone)
	c.control = s.control.clone()
	c.plan = s.plan.clone()
	c.family = s.family.clone()
	c.undo = undo{slices.Clone(s.undone)}
	c.extra, c.dataExtra, c.unknown = slices.Clone(s.extra), slices.Clone(s.dataExtra), slices.Clone(s.unknown)
	return &c
}

// cloneEach clones a map of pointers.
func cloneEach[T any](m map[string]*T, clone func(*T) *T) map[string]*T {
	if m == nil {
		return nil
	}
	out := make(map[string]*T, len(m))
	for k, v := range m {
		out[k] = clone(v)
	}
	return out
}

// cloneLists clones a map of lists.
func cloneLists[T any](m map[string][]T) map[string][]T {
	if m == nil {
		return nil
	}
	out := make(map[string][]T, len(m))
	for k, v := range m {
		out[k] = slices.Clone(v)
	}
	return out
}

// cloneOf copies a struct that holds no references of its own.
func cloneOf[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

func (s *statuses) clone() statuses {
	return statuses{steps: cloneEach(s.steps, (*Step).clone), order: slices.Clone(s.order), handled: maps.Clone(s.handled)}
}

func (e *Step) clone() *Step {
	c := *e
	c.extra = slices.Clone(e.extra)
	return &c
}

func (o *outputs) clone() outputs {
	return outputs{byStep: cloneEach(o.byStep, (*outputList).clone), order: slices.Clone(o.order)}
}

func (l *outputList) clone() *outputList {
	return &outputList{values: slices.Clone(l.values), single: l.single}
}

func (l *LiveStep) clone() *LiveStep {
	c := *l
	c.Took, c.Missing, c.Why = slices.Clone(l.Took), slices.Clone(l.Missing), slices.Clone(l.Why)
	c.Tool = cloneOf(l.Tool)
	if c.Wait = cloneOf(l.Wait); c.Wait != nil {
		c.Wait.Reads = slices.Clone(l.Wait.Reads)
	}
	return &c
}

func (q *Ask) clone() *Ask {
	c := *q
	c.Options, c.Reads = slices.Clone(q.Options), slices.Clone(q.Reads)
	return &c
}

func (j *joins) clone() joins {
	return joins{waiting: cloneLists(j.waiting), arrived: cloneLists(j.arrived), again: cloneLists(j.again),
		untaken: slices.Clone(j.untaken), halted: j.halted.clone()}
}

func (h *Halted) clone() *Halted {
	c := cloneOf(h)
	if c != nil {
		c.Done, c.Live = cloneVisits(h.Done), cloneVisits(h.Live)
		c.Joins, c.Again = cloneLists(h.Joins), cloneLists(h.Again)
	}
	return c
}

func cloneVisits(list []HaltedVisit) []HaltedVisit {
	out := slices.Clone(list)
	for i := range out {
		out[i].Took = slices.Clone(out[i].Took)
	}
	return out
}

func (d *Suspended) clone() *Suspended {
	c := *d
	c.Reads = slices.Clone(d.Reads)
	c.Body, c.Children, c.Agent = d.Body.clone(), d.Children.clone(), d.Agent.clone()
	return &c
}

func (b *Body) clone() *Body {
	c := cloneOf(b)
	if c != nil {
		c.Waiting, c.Broke, c.Steps = slices.Clone(b.Waiting), slices.Clone(b.Broke), slices.Clone(b.Steps)
	}
	return c
}

func (k *Children) clone() *Children {
	c := cloneOf(k)
	if c != nil {
		c.Live, c.Failed = maps.Clone(k.Live), maps.Clone(k.Failed)
		c.Again, c.Outputs = slices.Clone(k.Again), slices.Clone(k.Outputs)
	}
	return c
}

func (a *Agent) clone() *Agent {
	c := cloneOf(a)
	if c != nil {
		c.Rounds, c.Calls = slices.Clone(a.Rounds), slices.Clone(a.Calls)
	}
	return c
}

func (c *control) clone() control {
	return control{paused: cloneOf(c.paused), cancelled: cloneOf(c.cancelled), held: slices.Clone(c.held), failure: cloneOf(c.failure)}
}

func (p *plan) clone() plan {
	return plan{entry: p.entry, until: slices.Clone(p.until), seeds: maps.Clone(p.seeds), problems: maps.Clone(p.problems), signals: slices.Clone(p.signals)}
}

func (f *family) clone() family {
	c := family{parent: cloneOf(f.parent), notices: slices.Clone(f.notices)}
	if c.parent != nil {
		c.parent.Above = slices.Clone(f.parent.Above)
	}
	for i := range c.notices {
		c.notices[i].To = slices.Clone(c.notices[i].To)
	}
	return c
}
