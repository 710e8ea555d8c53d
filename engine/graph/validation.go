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
	names    map[string]bool     // see named
	into     map[string][]string // see ancestors
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
