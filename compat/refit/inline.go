package refit

import (
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// Values are steps that a compiler puts in front of a node because a field of the node reads what
// references cannot name, such as an element of an HTTP answer that may be null. The same field
// written with native references needs no such step. To compare the two, such a step is left out
// of both workflows and each reference to its output is replaced by what it stands for.
type Values struct {
	Is   func(s *engine.Step) bool // whether a step only computes values for the one after it
	Name func(text string) string  // an input whose references to values are replaced by what they stand for
}

// inliner leaves out the steps with values, except those that were edited in the workflow.
type inliner struct {
	v      *Values
	edited map[string]bool
}

func newInliner(v *Values, w, before *engine.Workflow) inliner {
	in := inliner{v: v, edited: map[string]bool{}}
	if v == nil {
		return in
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		if !v.Is(s) {
			continue
		}
		other := before.Step(s.ID)
		in.edited[s.ID] = other == nil || len(stepDifferences(s, other)) > 0
	}
	return in
}

// inline is a workflow without the steps with values.
func (in inliner) inline(w *engine.Workflow) *engine.Workflow {
	if in.v == nil {
		return w
	}
	after := map[string]string{} // a step with values to the one it computes them for
	joins := map[string]string{}
	for i := range w.Paths {
		if s := w.Step(w.Paths[i].Source); s != nil && w.Paths[i].Kind == engine.Next && in.v.Is(s) && !in.edited[s.ID] {
			after[s.ID], joins[w.Paths[i].Target] = w.Paths[i].Target, s.Join
		}
	}
	if len(after) == 0 {
		return w
	}
	out := *w
	out.Steps = slices.DeleteFunc(slices.Clone(w.Steps), func(s engine.Step) bool { return after[s.ID] != "" })
	for i := range out.Steps {
		s := &out.Steps[i]
		s.Extra, s.Input = maps.Clone(s.Extra), in.v.Name(s.Input)
		s.Join = or(s.Join, joins[s.ID])
	}
	out.Paths = slices.DeleteFunc(slices.Clone(w.Paths), func(p engine.Path) bool { return after[p.Source] != "" && after[p.Source] == p.Target })
	for i := range out.Paths {
		if to := after[out.Paths[i].Target]; to != "" {
			out.Paths[i].Target = to
		}
	}
	return &out
}
