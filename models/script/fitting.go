package script

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/models"
)

// fits reports whether a general reply fits a call: an object if the schema allows it, a text
// if no object is requested. A call with tool results gets no tool calls, and tool calls fit
// only if the call offers these tools.
func (f *File) fits(req models.Request, reply Reply) bool {
	switch {
	case len(reply.ToolCalls) > 0:
		return !answersTools(req) && (!f.Fitting || offers(req, reply.ToolCalls))
	case !f.Fitting || reply.Error != nil:
		return true
	}
	schema, _ := wanted(req)
	if schema == nil {
		return reply.Object == nil
	}
	object := reply.Object
	if object == nil {
		object = models.Object(schema, reply.Text)
	}
	return admits(schema, object)
}

// offers reports whether a call offers every tool of a reply.
func offers(req models.Request, calls []Call) bool {
	return !slices.ContainsFunc(calls, func(c Call) bool {
		return !slices.ContainsFunc(req.Tools, func(t models.Tool) bool { return t.Name == c.Name })
	})
}

// wanted returns the schema of the requested object, nil for none, and the tool whose
// arguments it is, if the call requires a tool.
func wanted(req models.Request) (schema json.RawMessage, tool string) {
	if req.Schema != nil {
		return req.Schema, ""
	}
	for _, t := range req.Tools {
		if t.Name == req.ToolChoice {
			return t.Parameters, t.Name
		}
	}
	return nil, ""
}

func admits(schema, value json.RawMessage) bool {
	if value == nil {
		return false
	}
	compiled, err := schemacheck.Compile(schema)
	return err == nil && len(compiled.Check(value)) == 0
}

// sample generates a reply from the schema, with words of the question where the schema
// requires text; false if no valid object is found.
func sample(req models.Request) (Reply, bool) {
	schema, tool := wanted(req)
	s := &sampler{words: req.LastUser()}
	if schema == nil || json.Unmarshal(schema, &s.root) != nil {
		return Reply{}, false
	}
	value, err := json.Marshal(s.of(s.root, 0))
	if err != nil || s.made > maxValues || !admits(schema, value) {
		return Reply{}, false
	}
	if tool != "" {
		return Reply{ToolCalls: []Call{{Name: tool, Arguments: value}}}, true
	}
	return Reply{Text: string(value), Object: value}, true
}

// Limits of a generated value; a schema that needs more gets none.
const (
	maxNesting = 12  // of a schema that refers to itself
	maxValues  = 500 // in a sample
	maxItems   = 20  // of a list
	maxWords   = 80  // of a text, in bytes
)

type sampler struct {
	root  map[string]any
	words string
	made  int
}

// of generates a value for the common keywords of JSON Schema.
func (s *sampler) of(schema map[string]any, depth int) any {
	if s.made++; depth > maxNesting || s.made > maxValues {
		return nil
	}
	if value, ok := schema["const"]; ok {
		return value
	}
	for _, name := range []string{"examples", "enum"} {
		if list, ok := schema[name].([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	if value, ok := schema["default"]; ok {
		return value
	}
	if at, ok := schema["$ref"].(string); ok {
		return s.of(s.at(at), depth+1)
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := schema[name].([]any); ok && len(list) > 0 {
			first, _ := list[0].(map[string]any)
			return s.of(first, depth+1)
		}
	}
	switch kind(schema) {
	case "object":
		return s.object(schema, depth)
	case "array":
		item, _ := schema["items"].(map[string]any)
		out := []any{}
		for range int(min(max(1, number(schema, "minItems")), maxItems)) {
			out = append(out, s.of(item, depth+1))
		}
		return out
	case "string":
		return s.text(schema)
	case "integer", "number":
		return max(number(schema, "minimum"), number(schema, "exclusiveMinimum")+1) // prefer a value other than zero
	case "boolean":
		return true
	}
	return nil
}

func (s *sampler) object(schema map[string]any, depth int) map[string]any {
	out := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		p, _ := property.(map[string]any)
		out[name] = s.of(p, depth+1)
	}
	return out
}

func (s *sampler) text(schema map[string]any) string {
	words := strings.ToValidUTF8(s.words[:min(len(s.words), maxWords)], "")
	if most, ok := schema["maxLength"].(float64); ok && int(most) < len(words) {
		words = strings.ToValidUTF8(words[:max(0, int(most))], "")
	}
	least := int(min(number(schema, "minLength"), maxWords))
	return words + strings.Repeat(".", max(0, least-utf8.RuneCountInString(words)))
}

// at resolves a reference within the schema.
func (s *sampler) at(ref string) map[string]any {
	var value any = s.root
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#"), "/") {
		if name == "" {
			continue
		}
		object, _ := value.(map[string]any)
		value = object[jsontext.UnescapeToken(name)]
	}
	out, _ := value.(map[string]any)
	return out
}

// kind returns the type that a schema allows, the first of several.
func kind(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		if i := slices.IndexFunc(t, func(v any) bool { return v != "null" }); i >= 0 {
			name, _ := t[i].(string)
			return name
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return "string"
}

func number(schema map[string]any, name string) float64 {
	n, _ := schema[name].(float64)
	return n
}
