package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// What a model may fill of a tool's input.
//
// A tool's step fixes some fields, such as the address of a request, and leaves others to
// the model. The model's text may come from the author of a page that the model has just
// read, so an argument counts only where the workflow says so: it has to be declared, and
// the step has to leave it open. Anything else is an error that the model sees.

// badArguments describes what is wrong with the arguments of a tool call, "" when they are valid.
func (r *ledger) badArguments(tool *graph.Path, args json.RawMessage) string {
	target := r.def.Step(tool.Target)
	spec := r.e.Registry.Find(target.Function)
	if spec == nil {
		return "" // the tool's visit reports the error
	}
	text, err := r.keptText(args)
	if err != nil {
		return err.Error()
	}
	fixed := graph.FixedFields(target, spec)
	declared, open := graph.DeclaredParameters(graph.ToolParameters(tool, target, spec))
	var undeclared, given []string
	for _, f := range jsontext.Fields(text) {
		switch {
		case fixed[f.Key]:
			given = append(given, f.Key)
		case !open && !slices.Contains(declared, f.Key):
			undeclared = append(undeclared, f.Key)
		}
	}
	switch {
	case len(given) > 0:
		return fmt.Sprintf("the tool sets %s itself; leave it out", strings.Join(given, ", "))
	case len(undeclared) > 0:
		return fmt.Sprintf("the tool has no parameter %s; it has %s", strings.Join(undeclared, ", "), listed(declared))
	}
	return ""
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// overArguments adds the arguments of a tool call to a resolved input: as fields of their own, or
// inside the field that the function reserves for them. badArguments has checked them; a field
// that the step sets since a later edit keeps the step's value.
func (r *ledger) overArguments(input json.RawMessage, step *graph.CompiledStep, spec *function.Spec, call *state.ToolVisit) (json.RawMessage, error) {
	args, err := r.keptText(call.Args)
	if err != nil {
		return nil, err
	}
	fixed := graph.FixedFields(step, spec)
	var given []jsontext.Field
	for _, f := range jsontext.Fields(args) {
		if !fixed[f.Key] {
			given = append(given, f)
		}
	}
	if spec.Arguments == "" {
		return jsontext.With(input, given), nil
	}
	into := json.RawMessage("{}")
	for _, f := range jsontext.Fields(input) {
		if f.Key == spec.Arguments && len(f.Value) > 0 && f.Value[0] == '{' {
			into = f.Value
		}
	}
	return jsontext.With(input, []jsontext.Field{{Key: spec.Arguments, Value: jsontext.With(into, given)}}), nil
}
