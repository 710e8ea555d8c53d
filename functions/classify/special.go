package classify

import (
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Special holds options that only imported flows of other systems need. classify itself does
// not read them; the functions that such flows compile to (package compat) do.
type Special struct {
	generate.Special

	Ask       input.Text `json:"ask,omitempty" jsonschema:"the whole of what the model is asked, instead of ours, which is an object of input, classes and instructions"`
	Strict    input.Bool `json:"strict,omitempty" jsonschema:"a reply without JSON that names a class, as {class} or {output}, is an error; otherwise the reply itself may be the name"`
	OnUnknown input.Text `json:"on_unknown,omitempty" jsonschema:"error (the default), or last: the class of a reply that names none"`
}

// Extended returns classify under another name, which also reads the named fields of Special.
func Extended(o generate.Options, name, description string, fields ...string) function.Spec {
	spec := stepFunction{options: o, special: true}.spec()
	spec.Name, spec.Aliases, spec.Description, spec.Examples = name, nil, description, nil
	generate.Extend[Special](spec.Input, fields)
	return spec
}
