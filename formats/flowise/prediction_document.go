package flowise

import (
	"errors"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/internal/refit"
)

// Document is the text of a flow: the one it was saved with as long as the workflow is what
// that compiles to, else what comes closest to the workflow as it is now. A flow that does not
// compile has no steps, and its text is the saved one.
func Document(w *engine.Workflow, saved string) (string, error) {
	if saved != "" {
		if len(w.Steps) == 0 {
			return saved, nil
		}
		file, err := Parse(w.ID+".json", []byte(saved))
		if err == nil && len(refit.Compare(&file.Workflows[0], w)) == 0 && drawnAlike(&file.Workflows[0], w) {
			return saved, nil
		}
	}
	text, problems, err := Export(w)
	if err != nil {
		return "", err
	}
	if len(problems) > 0 {
		return "", errors.New("the workflow has been edited beyond what a flow can say: " + problems[0].Message)
	}
	return string(text), nil
}

// drawnAlike tells whether two workflows of the same steps look the same on a canvas.
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
