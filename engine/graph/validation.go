package graph

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

type validation struct {
	d        *Definition
	registry *function.Registry
	problems []function.Problem
	names    map[string]bool            // see named
	into     map[string][]string        // see ancestors
	read     map[string]map[string]bool // see reads
}

func (v *validation) add(level, code string, step, path, format string, args ...any) {
	v.problems = append(v.problems, function.Problem{Level: level, Code: code, Step: step, Path: path, Message: fmt.Sprintf(format, args...)})
}

func orEmpty(input string) string {
	if jsontext.Blank(input) {
		return "{}"
	}
	return input
}

// isTool reports whether an agent may call a step, so that a model gives part of its input.
func (v *validation) isTool(id string) bool {
	for i := range v.d.Workflow.Paths {
		if p := &v.d.Workflow.Paths[i]; p.Kind == Tool && p.Target == id {
			return true
		}
	}
	return false
}
