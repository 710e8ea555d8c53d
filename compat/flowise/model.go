package flowise

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// Rounds and calls of an agent are not bounded in Flowise; a flow with more is lost.
const (
	agentRounds = 100
	agentCalls  = 500
)

// Kinds of memory.
const (
	memoryWindow        = "windowSize"
	memorySummary       = "conversationSummary"
	memorySummaryBuffer = "conversationSummaryBuffer"
)

// model fills in the step of an LLM or an agent.
func (m *modelNodes) model(s *engine.Step, n *node) {
	prefix := prefixOf(n)
	in := n.Data.Inputs
	input := m.modelSettings(n, in.text(prefix+"Model"), in.object(prefix+"ModelConfig"))
	remembers := in.flag(prefix + "EnableMemory")
	input = append(input, m.memory(n, remembers)...)
	input = append(input, inputs.Field{Name: "messages", Value: m.messages(n, prefix+"Messages")})
	if user := m.setting(n, in, prefix+"UserMessage"); remembers && user != nil {
		input = input.With("user", user.value())
	}
	input = input.With("conversation", m.conversation(n).With("role", roleOf(in.text(prefix+"ReturnResponseAs"))).With("as", lowerName(n)))
	input = append(input, m.structured(n)...)
	input = append(input, inputs.Of("parse", true, "parallel", false, "max_rounds", agentRounds, "max_calls", agentCalls)...)
	if n.kind() == kindAgent {
		input = input.With("on_reject", "withdraw")
	}
	if m.last(n) {
		input = input.With("directly_set_reply", true)
	}
	s.Function, s.Input = "agent.flowise", inputs.Encode(input)
	if n.kind() == kindAgent {
		m.tools.agentTools(n)
	}
}

func roleOf(as string) string {
	if as == "assistantMessage" {
		return "assistant"
	}
	return "user"
}

// conversation is the talk a model takes part in.
func (m *modelNodes) conversation(n *node) inputs.Object {
	chat := m.local(n, valueChat)
	return inputs.Of("name", chat, "past", list(valuePast), "messages", list(chat), "before", list(valueBefore), "question", inputs.RefOr(valueInput))
}

// memory says which messages of the talk go along.
func (m *modelNodes) memory(n *node, remembers bool) inputs.Object {
	in, prefix := n.Data.Inputs, prefixOf(n)
	if !remembers {
		return inputs.Of("memory", "none")
	}
	switch in.text(prefix + "MemoryType") {
	case memoryWindow:
		return inputs.Of("memory", "window", "history", 2*in.count(prefix+"MemoryWindowSize", 20))
	case memorySummary:
		return inputs.Of("memory", "summary")
	case memorySummaryBuffer:
		return inputs.Of("memory", "summary", "memory_tokens", in.count(prefix+"MemoryMaxTokenLimit", 2000))
	}
	return inputs.Of("memory", "all")
}

// messages are a node's own ones, system messages first.
func (m *modelNodes) messages(n *node, field string) []any {
	rows, _ := n.Data.Inputs.rows(field)
	var system, others []any
	for _, row := range rows {
		role := row.text("role")
		var content text
		if n.accepts(field, "content") {
			content = m.template(n, row.text("content"))
		} else {
			content = lit(row.text("content"))
		}
		message := inputs.Of("role", role, "content", content.value())
		switch role {
		case "system":
			system = append([]any{message}, system...) // each is moved to the front
		case "user", "assistant", "developer":
			others = append(others, message)
		default:
			m.note(n, "message_role", "a message with the role %q is not sent", role)
		}
	}
	return append(append([]any{}, system...), others...)
}

// structured asks for an object, as one forced call of a tool.
func (m *modelNodes) structured(n *node) inputs.Object {
	rows := m.structure(n)
	if len(rows) == 0 {
		return nil
	}
	fixed := true // no description holds a variable: the schema is data as it stands
	for _, row := range rows {
		_, plain := m.about(n, row).plain()
		fixed = fixed && plain
	}
	properties, required := inputs.Of(), []any{}
	for _, row := range rows {
		key := row.text("key")
		if key == "" {
			continue
		}
		properties, required = properties.Set(key, m.property(n, row, fixed)), append(required, key)
	}
	as := "pretty"
	if n.kind() == kindAgent {
		as = "fenced"
	}
	schema := inputs.Of("type", "object", "properties", properties, "required", required, "additionalProperties", false)
	if fixed {
		schema = inputs.Of("@literal", schema)
	}
	return inputs.Of("schema", schema, "schema_name", "extract", "schema_by", "tool", "text_as", as, "convert", n.kind() == kindAgent)
}

// about is the description of a key of a structured output.
func (m *modelNodes) about(n *node, row settings) text {
	if !n.accepts(prefixOf(n)+"StructuredOutput", "description") {
		return lit(row.text("description"))
	}
	return m.template(n, row.text("description"))
}

// property is one key of a structured output. In a schema that is not fixed only descriptions
// are read for references.
func (m *modelNodes) property(n *node, row settings, fixed bool) inputs.Object {
	data := func(v any) any {
		if fixed {
			return v
		}
		return inputs.Of("@literal", v)
	}
	var out inputs.Object
	switch row.text("type") {
	case "stringArray":
		out = inputs.Of("type", "array", "items", inputs.Of("type", "string"))
	case "number":
		out = inputs.Of("type", "number")
	case "boolean":
		out = inputs.Of("type", "boolean")
	case "enum":
		values := []any{}
		for _, value := range strings.Split(row.text("enumValues"), ",") {
			values = append(values, strings.TrimSpace(value))
		}
		out = inputs.Of("type", "string", "enum", data(values))
	case "jsonArray":
		out = inputs.Of("type", "array", "items", data(m.itemSchema(n, row)))
	default:
		out = inputs.Of("type", "string")
	}
	about := m.about(n, row)
	if plain, _ := about.plain(); fixed && plain != "" {
		return out.With("description", plain)
	}
	if !fixed && about != nil {
		return out.With("description", about.value())
	}
	return out
}

// itemSchema is that of the objects in a list, given as {key: {type, description, required?}}.
func (m *modelNodes) itemSchema(n *node, row settings) any {
	fields, err := orderedFields(row["jsonSchema"])
	if err != nil {
		m.note(n, "json_schema", "the JSON schema of %q cannot be read: %v", row.text("key"), err)
		return inputs.Of("type", "object")
	}
	return objectSchema(fields)
}

func objectSchema(fields []field) inputs.Object {
	properties, required := inputs.Of(), []any{}
	for _, f := range fields {
		var given struct {
			Type        string          `json:"type"`
			Description string          `json:"description"`
			Required    *bool           `json:"required"`
			Enum        json.RawMessage `json:"enum"`
			Properties  json.RawMessage `json:"properties"`
			Items       json.RawMessage `json:"items"`
		}
		if json.Unmarshal(f.value, &given) != nil {
			continue
		}
		property := inputs.Of("type", schemaType(given.Type))
		switch {
		case given.Type == "object" && given.Properties != nil:
			if inner, err := orderedFields(given.Properties); err == nil {
				property = objectSchema(inner)
			}
		case given.Type == "array" && given.Items != nil:
			property = property.With("items", given.Items)
		case given.Enum != nil:
			property = property.With("enum", given.Enum)
		}
		if given.Description != "" {
			property = property.With("description", given.Description)
		}
		properties = properties.Set(f.name, property)
		if given.Required == nil || *given.Required {
			required = append(required, f.name)
		}
	}
	return inputs.Of("type", "object", "properties", properties, "required", required, "additionalProperties", false)
}

func schemaType(given string) string {
	switch given {
	case "string", "number", "integer", "boolean", "array", "object":
		return given
	}
	return "string"
}
