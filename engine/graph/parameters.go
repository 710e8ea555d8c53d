package graph

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// FixedFields are those that no argument may replace: what the step gives itself, and
// program text and conditions, which are the workflow's alone. Where arguments go into one
// field, they are the names in that field. What the function itself takes from a tool call
// (Spec.Parameters) is never fixed: the step gives it for when it runs by itself.
func FixedFields(target *CompiledStep, spec *function.Spec) map[string]bool {
	fixed := map[string]bool{}
	fields := jsontext.Fields(json.RawMessage(target.Input))
	if spec.Arguments == "" {
		taken, _ := DeclaredParameters(spec.Parameters)
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

// DeclaredParameters are the names in the schema of a tool's arguments. open reports whether
// the schema leaves the names to the caller: it names none, or says so.
func DeclaredParameters(schema json.RawMessage) (names []string, open bool) {
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
		more, _ := DeclaredParameters(part)
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
