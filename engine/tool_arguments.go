package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// What a model may fill of a tool's input.
//
// A tool's step fixes some fields, such as the address of a request, and leaves others to
// the model. The model's text may have been written by whoever wrote the page it has just
// read, so an argument counts only where the workflow says so: it has to be declared, and
// the step has to leave it open. Anything else is an error that the model sees.

// badArguments says what is wrong with the arguments of a call, "" when nothing is.
func (r *runner) badArguments(tool *Path, args json.RawMessage) string {
	target := r.def.steps[tool.Target]
	spec := r.e.registry.Find(target.Function)
	if spec == nil {
		return "" // the visit says so
	}
	text, err := r.keptText(args)
	if err != nil {
		return err.Error()
	}
	fixed := fixedFields(target, spec)
	declared, open := declaredParameters(toolParameters(tool, target, spec))
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

// fixedFields are those that no argument may replace: what the step gives itself, and
// program text and conditions, which are the workflow's alone. Where arguments go into one
// field, they are the names in that field. What the function itself takes from a tool call
// (Spec.Parameters) is never fixed: the step gives it for when it runs by itself.
func fixedFields(target *compiledStep, spec *Spec) map[string]bool {
	fixed := map[string]bool{}
	fields := jsontext.Fields(json.RawMessage(target.Input))
	if spec.Arguments == "" {
		taken, _ := declaredParameters(spec.Parameters)
		for _, f := range fields {
			if !slices.Contains(taken, f.Key) {
				fixed[f.Key] = true
			}
		}
		for _, key := range slices.Concat(spec.Program, spec.Raw) {
			fixed[key] = true
		}
		return fixed
	}
	for _, f := range fields {
		if f.Key == spec.Arguments {
			for _, inner := range jsontext.Fields(f.Value) {
				fixed[inner.Key] = true
			}
		}
	}
	return fixed
}

// declaredParameters are the names in the schema of a tool's arguments. open reports whether
// the schema leaves the names to whoever calls: it names none, or says so.
func declaredParameters(schema json.RawMessage) (names []string, open bool) {
	var s struct {
		Properties           map[string]json.RawMessage `json:"properties"`
		AdditionalProperties json.RawMessage            `json:"additionalProperties"`
		AllOf, AnyOf, OneOf  []json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil, false
	}
	for name := range s.Properties {
		names = append(names, name)
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		more, _ := declaredParameters(part)
		names = append(names, more...)
	}
	slices.Sort(names)
	switch more := string(s.AdditionalProperties); more {
	case "":
		return slices.Compact(names), len(names) == 0
	default:
		return slices.Compact(names), more != "false"
	}
}

// overArguments puts the arguments of a tool call into a resolved input: beside its fields,
// or into the one that the function has for them. badArguments has seen them; what a later
// edit of the step fixed stays as the step has it.
func (r *runner) overArguments(input json.RawMessage, step *compiledStep, spec *Spec, call *toolVisit) (json.RawMessage, error) {
	args, err := r.keptText(call.Args)
	if err != nil {
		return nil, err
	}
	fixed := fixedFields(step, spec)
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
