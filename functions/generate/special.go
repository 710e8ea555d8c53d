package generate

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Special holds options that only imported flows of other systems need. generate itself does
// not read them; the functions that such flows compile to (package compat) do.
type Special struct {
	SchemaBy     input.Text      `json:"schema_by,omitempty" jsonschema:"how the object is asked for: format (the default), the provider's response format, or tool, as the arguments of one forced tool call named schema_name, else extract; fields that the schema does not allow are dropped"`
	TextAs       input.Text      `json:"text_as,omitempty" jsonschema:"the text form of the object: its response, text, message or content when absent; pretty, indented JSON; fenced, indented JSON in a code fence"`
	Conversation json.RawMessage `json:"conversation,omitempty" jsonschema:"{name, past, messages, before, question, role, as}: a conversation kept as the value name of the session, in place of the session's chat. past, messages (of this session) and before (in front while messages is empty) are lists of {role, content, name}; question is the user's first message. memory selects what of past, messages and question is sent, all by default, after the step's own messages. The value becomes messages with the question and the reply, which has role (default assistant) and the name as"`
}

// Extend adds the fields of T with these names to the schema of a function's input.
func Extend[T any](schema *jsonschema.Schema, fields []string) {
	all := input.Schema[T]().Properties
	for _, name := range fields {
		schema.Properties[name] = all[name]
	}
	schema.PropertyOrder = append(schema.PropertyOrder, fields...)
}
