// Package refit tells whether a workflow still is what a foreign file compiles to: the
// compilers use it to write a file back and to name what the file's format cannot say.
package refit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"

	"github.com/stepgraph/stepgraph/engine"
)

// Code is the code of every problem Compare finds.
const Code = "does_not_fit"

// Compare lists what a workflow has that the one compiled from the written file has not, and
// the other way round. Layout and properties that change nothing about a run are not looked
// at.
func Compare(has, compiled *engine.Workflow) []engine.Problem {
	c := comparison{}
	steps := map[string]*engine.Step{}
	for i := range compiled.Steps {
		steps[compiled.Steps[i].ID] = &compiled.Steps[i]
	}
	for i := range has.Steps {
		s := &has.Steps[i]
		if other := steps[s.ID]; other != nil {
			c.step(s, other)
		} else {
			c.add(s.ID, "", "step %q has no place in the file", s.ID)
		}
		delete(steps, s.ID)
	}
	for _, id := range sorted(steps) {
		c.add(id, "", "step %q is missing in the workflow", id)
	}
	c.paths(has, compiled)
	return c.problems
}

type comparison struct{ problems []engine.Problem }

func (c *comparison) add(step, path, format string, args ...any) {
	c.problems = append(c.problems, engine.Problem{Level: "error", Step: step, Path: path, Code: Code, Message: fmt.Sprintf(format, args...)})
}

func (c *comparison) step(a, b *engine.Step) {
	for _, p := range []struct {
		name string
		a, b any
	}{
		{"name", a.Name, b.Name}, {"function", a.Function, b.Function}, {"input", value(a.Input), value(b.Input)}, {"join", or(a.Join, engine.JoinAny), or(b.Join, engine.JoinAny)},
		{"retry", value(a.Retry), value(b.Retry)}, {"timeout", a.Timeout, b.Timeout}, {"on_error", or(a.OnError, engine.OnErrorStopPath), or(b.OnError, engine.OnErrorStopPath)},
		{"approval", a.Approval, b.Approval}, {"output_schema", value(a.OutputSchema), value(b.OutputSchema)}, {"bypass", a.Bypass, b.Bypass},
		{"inactive", a.Inactive, b.Inactive},
	} {
		if !reflect.DeepEqual(p.a, p.b) {
			c.add(a.ID, "", "step %q: %s is %v, from the file it would be %v", a.ID, p.name, p.a, p.b)
		}
	}
}

// paths compares what leads where, under which condition and as which tool. Two paths that
// say the same are one.
func (c *comparison) paths(has, compiled *engine.Workflow) {
	mine, theirs := pathTexts(has), pathTexts(compiled)
	for _, text := range sorted(mine) {
		if theirs[text] == nil {
			p := mine[text]
			c.add(p.Source, p.ID, "the %s path from %q to %q has no place in the file", p.Kind, p.Source, p.Target)
		}
	}
	for _, text := range sorted(theirs) {
		if mine[text] == nil {
			p := theirs[text]
			c.add(p.Source, "", "the %s path from %q to %q is missing in the workflow", p.Kind, p.Source, p.Target)
		}
	}
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
