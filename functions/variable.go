package functions

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// VariableInput is the input of variable.
type VariableInput struct {
	Name     input.Text      `json:"name,omitempty" jsonschema:"the field of the output that holds value as well"`
	Value    json.RawMessage `json:"value,omitempty" jsonschema:"any value"`
	Set      json.RawMessage `json:"set,omitempty" jsonschema:"an object; each of its fields becomes a field of the output"`
	Global   input.Bool      `json:"global,omitempty" jsonschema:"value is also the output of a step called name, which need not exist: @{SESSION_ID}.name"`
	Globals  json.RawMessage `json:"globals,omitempty" jsonschema:"an object: each field is set as a global of its name"`
	Merge    input.Bool      `json:"merge,omitempty" jsonschema:"globals that are objects are merged into their value in previous"`
	Previous json.RawMessage `json:"previous,omitempty" jsonschema:"merge: the global's value so far, such as @{SESSION_ID}.name with an empty default; with globals an object of them by name"`
}

// Variable sets values that references can use: the output has the fields of set, every other
// field of the input, and value, also under the given name. Globals are values of the session,
// referenced by name like the outputs of steps. It is pure: the values are part of the
// checkpoint with its output.
func Variable(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[VariableInput](fields)
	if err != nil {
		return nil, err
	}
	var out input.Object
	if in.Set != nil {
		if out, err = input.Parse(in.Set); err != nil {
			return nil, input.Bad("set: want an object, not %s", abridged(in.Set))
		}
	}
	globals, err := in.globals(orNull(fields.Get("value")))
	if err != nil {
		return nil, err
	}
	out = out.Over(fields.Without("name", "set", "global", "globals", "merge", "previous"))
	if in.Name != "" && out.Has("value") {
		out = out.With(string(in.Name), orNull(out.Get("value")))
	}
	for _, g := range globals {
		function.CallOf(ctx).Set(g.Name, g.Value)
	}
	return out.Over(globals).Encode(), nil
}

// globals returns the global values to set.
func (in VariableInput) globals(value json.RawMessage) (input.Object, error) {
	var all input.Object
	if in.Globals != nil {
		given, err := input.Parse(in.Globals)
		if err != nil {
			return nil, input.Bad("globals: want an object, not %s", abridged(in.Globals))
		}
		previous, err := inputsObject(in.Previous)
		if bool(in.Merge) && err != nil {
			return nil, input.Bad("previous: want an object with the globals so far by name, not %s", abridged(in.Previous))
		}
		for _, g := range given {
			all = append(all, input.Field{Name: g.Name, Value: in.over(previous.Get(g.Name), g.Value)})
		}
	}
	if !in.Global {
		return all, nil
	}
	if in.Name == "" {
		return nil, input.Bad("name: is missing, so nobody could refer to the global")
	}
	previous := in.Previous
	if in.Globals != nil {
		previous = nil
	}
	return all.With(string(in.Name), in.over(previous, value)), nil
}

// over merges value into the previous value if both are objects, else returns value.
func (in VariableInput) over(previous, value json.RawMessage) json.RawMessage {
	if !in.Merge {
		return value
	}
	below, err := input.Parse(previous)
	if err != nil {
		return value // there is no previous object
	}
	above, err := input.Parse(value)
	if err != nil {
		return value
	}
	return below.Over(above).Encode()
}

func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// checkVariable reports set and globals that are not objects; other fields may have references.
func checkVariable(in VariableInput, _ input.Object) error {
	for _, part := range []struct {
		name  string
		value json.RawMessage
	}{{"set", in.Set}, {"globals", in.Globals}} {
		if part.value == nil {
			continue
		}
		if _, err := input.Parse(part.value); err != nil {
			return input.Bad("%s: want an object, not %s", part.name, abridged(part.value))
		}
	}
	return nil
}

func variableSpec() function.Spec {
	return function.Spec{
		Name:        "variable",
		Aliases:     []string{"utils.variable"},
		Description: "Stores values under names.",
		Check:       input.Check[VariableInput](tried(Variable), checkInput(checkVariable)),
		Needs:       function.Needs{Own: true, Values: true},
		Input:       input.Schema[VariableInput](),
		Examples: []function.Example{
			{Title: "Fields of the output", Input: json.RawMessage(`{"set": {"city": "Turin"}, "name": "tries", "value": 3}`),
				Output: json.RawMessage(`{"city":"Turin","value":3,"tries":3}`)},
			{Title: "A global, read as @{SESSION_ID}.state", Input: json.RawMessage(`{"globals": {"state": {"b": 2}}, "merge": true, "previous": {"state": {"a": 1}}}`),
				Output: json.RawMessage(`{"state":{"a":1,"b":2}}`)},
		},
		Function: function.ObjectFunc(Variable),
	}
}
