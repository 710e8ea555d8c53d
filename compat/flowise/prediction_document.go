package flowise

import (
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// Document returns the text of a flow: the saved text while it compiles to the workflow, else
// the export of the workflow. A flow that does not compile has no steps, and its text is the
// saved one. problems say what the text cannot express.
func Document(w *engine.Workflow, saved string) (text string, problems []engine.Problem, err error) {
	if saved != "" {
		if len(w.Steps) == 0 {
			return saved, nil, nil
		}
		file, err := Parse(w.ID+".json", []byte(saved))
		if err == nil && len(refit.Compare(&file.Workflows[0], w)) == 0 && drawnAlike(&file.Workflows[0], w) {
			return saved, nil, nil
		}
	}
	document, problems, err := Export(w)
	return string(document), problems, err
}

// drawnAlike reports whether two workflows of the same steps look the same on a canvas.
func drawnAlike(a, b *engine.Workflow) bool {
	for i := range a.Steps {
		s, other := &a.Steps[i], b.Step(a.Steps[i].ID)
		if other == nil || s.Name != other.Name || placed(s.X) != placed(other.X) || placed(s.Y) != placed(other.Y) {
			return false
		}
	}
	return true
}

func placed(at *float64) float64 {
	if at == nil {
		return 0
	}
	return *at
}
