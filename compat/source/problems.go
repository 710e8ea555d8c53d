package source

import (
	"regexp"

	"github.com/stepgraph/stepgraph/engine"
)

// onePath is the place of an edge, or of something in one; ids of a fault there begin with the
// edge's.
var onePath = regexp.MustCompile(`/edges/\d+(/[^/]*)*$`)

// Problems returns the first hundred faults as problems: each with its code, its line and the
// first of the steps or paths it names.
func (f *Faults) Problems() []engine.Problem {
	shown := f.List[:min(len(f.List), mostFaults)]
	index := NewIndex(f.Src)
	out := make([]engine.Problem, len(shown))
	for i, one := range shown {
		out[i] = engine.Problem{Level: "error", Line: index.Line(one.Pointer), Code: one.Code, Message: one.Message}
		switch {
		case len(one.IDs) == 0:
		case onePath.MatchString(one.Pointer):
			out[i].Path = one.IDs[0]
		default:
			out[i].Step = one.IDs[0]
		}
	}
	return out
}
