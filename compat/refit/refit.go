// Package refit compares a workflow with the one that a foreign file compiles to. The
// compilers use it to export a workflow and to name what the file's format cannot express.
package refit

import (
	"encoding/json"
	"sort"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Code is the code of every problem that Compare returns.
const Code = "does_not_fit"

// First returns a Dialect's Parse: the first workflow of a file that a format compiles.
func First(parse func(name string, src []byte) (source.File, error)) func([]byte) (*engine.Workflow, error) {
	return func(text []byte) (*engine.Workflow, error) {
		file, err := parse("export.json", text)
		if err != nil {
			return nil, err
		}
		return &file.Workflows[0], nil
	}
}

// Compare lists the differences between a workflow and the one compiled from the written file,
// in both directions. Layout and properties without effect on a run are ignored.
func Compare(has, compiled *engine.Workflow) []engine.Problem {
	return problemsOf(differences(has, compiled), Drawing{})
}

func pathTexts(w *engine.Workflow) map[string]*engine.Path {
	out := map[string]*engine.Path{}
	for i := range w.Paths {
		p := &w.Paths[i]
		condition := p.Condition
		if text, ok := condition.(string); ok {
			condition = value(text)
		}
		text, err := json.Marshal([]any{p.Kind, p.Source, p.Target, condition, p.Operator, p.Back, p.Name, p.Description, p.Extra["parameters"]})
		if err != nil {
			text = []byte(p.ID) // a condition no JSON can hold fits no file
		}
		out[string(text)] = p
	}
	return out
}

// value is what a JSON text means, so that texts that mean the same compare equal; other
// texts are themselves.
func value(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// A jsonText is a property that holds JSON as text.
type jsonText string

// decoded is what a property means: a JSON text is its value.
func decoded(v any) any {
	if text, ok := v.(jsonText); ok {
		return value(string(text))
	}
	return v
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
