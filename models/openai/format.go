package openai

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"

	"github.com/stepgraph/stepgraph/models"
)

// formatName matches the characters that the API does not allow in the name of a schema.
var formatName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// newResponseFormat requests structured output in the best form that the server supports; nil
// requests text.
func newResponseFormat(req models.Request, spoken dialect) (*responseFormat, error) {
	switch {
	case len(req.Schema) == 0:
		return nil, nil
	case !json.Valid(req.Schema):
		return nil, errors.New("the schema of the output is not valid JSON")
	case spoken.plainJSON:
		return &responseFormat{Type: "json_object"}, nil
	}
	name := formatName.ReplaceAllString(req.SchemaName, "_")
	if name == "" {
		name = "output"
	}
	return &responseFormat{Type: "json_schema", JSONSchema: &jsonSchema{
		Name: name[:min(len(name), 64)], Schema: req.Schema, Strict: strict(req.Schema),
	}}, nil
}

// withSchemaInWords adds the schema to the messages, for servers with plain JSON mode.
// OpenAI's JSON mode also requires the word JSON in the messages.
func withSchemaInWords(messages []models.Message, schema json.RawMessage) []models.Message {
	wish := models.Message{
		Role:    models.RoleSystem,
		Content: models.SchemaInWords(schema),
	}
	at := 0
	for at < len(messages) && messages[at].Role == models.RoleSystem {
		at++
	}
	return slices.Insert(slices.Clone(messages), at, wish)
}

// unstrict lists keywords that strict mode refuses.
var unstrict = []string{"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"}

// strict reports whether strict mode accepts a schema: the root is an object, and every object
// in it lists all its properties as required and allows no others. A wrong yes costs one
// refused call; a wrong no only loses the guarantee that the output fits.
func strict(schema json.RawMessage) bool {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil || root["type"] != "object" {
		return false
	}
	return strictSchema(root)
}

func strictSchema(schema map[string]any) bool {
	for _, keyword := range unstrict {
		if _, ok := schema[keyword]; ok {
			return false
		}
	}
	return strictObject(schema) && strictChildren(schema)
}

func strictObject(schema map[string]any) bool {
	properties, _ := schema["properties"].(map[string]any)
	if properties == nil && !isObject(schema["type"]) {
		return true
	}
	required, _ := schema["required"].([]any)
	for name := range properties {
		if !slices.Contains(required, any(name)) {
			return false
		}
	}
	return schema["additionalProperties"] == false
}

func isObject(kind any) bool {
	if list, ok := kind.([]any); ok {
		return slices.Contains(list, any("object"))
	}
	return kind == "object"
}

// strictChildren checks every schema inside another.
func strictChildren(schema map[string]any) bool {
	for _, keyword := range []string{"properties", "$defs", "definitions"} {
		named, _ := schema[keyword].(map[string]any)
		for _, child := range named {
			if !strictValue(child) {
				return false
			}
		}
	}
	branches, _ := schema["anyOf"].([]any)
	for _, child := range branches {
		if !strictValue(child) {
			return false
		}
	}
	items, ok := schema["items"]
	return !ok || strictValue(items)
}

func strictValue(child any) bool {
	schema, ok := child.(map[string]any)
	return ok && strictSchema(schema)
}
