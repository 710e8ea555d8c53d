package engine

import (
	"errors"
	"fmt"
	"testing"
)

func TestDefinitionsAreBounded(t *testing.T) {
	w := &Workflow{ID: "large"}
	for i := range maxWorkflowSteps {
		w.Steps = append(w.Steps, Step{ID: fmt.Sprint("s", i)})
	}
	if err := checkWorkflow(w); err != nil {
		t.Errorf("%d steps: %v", len(w.Steps), err)
	}
	w.Steps = append(w.Steps, Step{ID: "one too many"})
	if err := checkWorkflow(w); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d steps: %v", len(w.Steps), err)
	}
	w.Steps, w.Paths = w.Steps[:1], make([]Path, maxWorkflowPaths+1)
	if err := checkWorkflow(w); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d paths: %v", len(w.Paths), err)
	}
}
