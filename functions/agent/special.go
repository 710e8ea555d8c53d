package agent

import (
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Special holds options that only imported flows of other systems need. agent itself does not
// read them; the functions that such flows compile to (package compat) do.
type Special struct {
	generate.Special

	UnlessEmpty      *input.Text `json:"unless_empty,omitempty" jsonschema:"the text this is about: when it is given and empty, no model is called and the answer is empty"`
	OnReject         input.Text  `json:"on_reject,omitempty" jsonschema:"of a call that a person has rejected: tell (the default) the model, with what the person said, or withdraw: the tool is taken away and the model asked as if it had not called it"`
	Convert          input.Bool  `json:"convert,omitempty" jsonschema:"with a schema and without tools: the model answers in its own words first, and is asked for the object in a call of its own, as after tools"`
	Parse            input.Bool  `json:"parse,omitempty" jsonschema:"without a schema: an answer that is the text of a JSON object or list stands in output too"`
	EmptyError       input.Text  `json:"empty_error,omitempty" jsonschema:"the kind of the error that an empty answer is; without it an empty answer is one"`
	RoundLimitError  input.Text  `json:"round_limit_error,omitempty" jsonschema:"the kind of the error when max_rounds is used up; limit when absent"`
	UnknownToolError input.Text  `json:"unknown_tool_error,omitempty" jsonschema:"the kind of the error that the model is told of a tool that is not there; bad_input when absent"`
	CheckArguments   *input.Bool `json:"check_arguments,omitempty" jsonschema:"false makes calls whose arguments do not fit the tool's parameters; the tool decides"`
	ListCalls        input.Bool  `json:"list_calls,omitempty" jsonschema:"true lists the calls of tools in used_tools"`
	Hear             input.Bool  `json:"hear,omitempty" jsonschema:"the prompt is what a person says: it is put into the session's chat, unless it is the newest message there"`
	ProfileOptional  input.Bool  `json:"profile_optional,omitempty" jsonschema:"a profile that is not configured is not an error"`
}

// Extended returns the agent under another name, which also reads the named fields of Special.
func Extended(o generate.Options, name, description string, fields ...string) function.Spec {
	spec := stepFunction{options: o, special: true}.spec()
	spec.Name, spec.Aliases, spec.Description, spec.Examples = name, nil, description, nil
	generate.Extend[Special](spec.Input, fields)
	return spec
}
