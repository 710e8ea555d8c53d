package native

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// Schema is the JSON Schema of a document, for editors: the keys come from the types that Write
// encodes, the inputs of functions from a registry. It knows the
// spellings of the docs and refuses no file that is written in them. It is draft 7, which is what editors of JSON and YAML understand best.
//
// A field of an input that is not a text may also be a reference, and any object may be one of
// the forms that begin with @ (@text, @literal), so the schemas of inputs are widened for both.
// Their `required` is left out: a model gives part of the input of a tool's step.
func Schema(r *engine.Registry) []byte {
	b := schemaBuilder{definitions: schema{
		"reference": reference,
		"condition": condition,
		"retry":     retry,
		"settings":  settings,
	}}
	b.definitions["step"] = b.step(r)
	b.definitions["path"] = b.ofType(reflect.TypeFor[pathDocument](), "source", "target")
	document := b.ofType(reflect.TypeFor[document](), "format", "version", "steps")
	document["properties"].(schema)[schemaKey] = schema{"type": "string"}
	document["$schema"] = "http://json-schema.org/draft-07/schema#"
	document["title"] = "stepgraph workflow"
	document["description"] = "A workflow: steps and the paths between them, in JSON or YAML."
	document["definitions"] = b.definitions
	text, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		panic("native: the schema cannot be written: " + err.Error()) // maps and texts only
	}
	return append(text, '\n')
}

// A schema is one as a JSON object; its keys are written in order.
type schema = map[string]any

func ref(name string) schema { return schema{"$ref": "#/definitions/" + name} }

var (
	// jsonObject is where a file may have JSON or the same as a text.
	jsonObject = schema{"type": []string{"object", "string"}}

	reference = schema{
		"description": "a reference such as @{SESSION_ID}.step.field, or an object such as {\"@text\": …}",
		"anyOf": []any{
			schema{"type": "string", "pattern": `@\{`},
			schema{"type": "object", "minProperties": 1, "propertyNames": schema{"pattern": "^@"}},
		}}

	condition = schema{
		"description": "when the path is taken; without one it always is. A comparison is {\"when\": \"@{SESSION_ID}.ask.response == 'red'\"} or the text \"when …\"",
		"anyOf": []any{
			schema{"type": []string{"string", "boolean", "number"}},
			schema{"type": "array", "items": ref("condition")},
			schema{"type": "object", "required": []string{"when"}, "additionalProperties": false,
				"properties": schema{"when": schema{"type": "string", "description": "an expression over references"}}},
			schema{"type": "object", "additionalProperties": false, "properties": schema{
				"operator": schema{"type": "string", "enum": bothCases("AND", "OR")},
				"true":     schema{"description": "must hold"},
				"false":    schema{"description": "must not hold"}}},
		}}

	duration = schema{"type": []string{"string", "number"}, "description": `such as "500ms", "30s", "5m", or a number of seconds`}

	retry = schema{"anyOf": []any{schema{"type": "string"}, schema{"type": "object", "additionalProperties": false,
		"description": "how failures that pass are tried again",
		"properties": schema{
			"max_attempts":     schema{"type": "integer", "minimum": 1, "description": "attempts in all", "default": 1},
			"initial_interval": duration,
			"backoff":          schema{"type": "number", "minimum": 1, "default": 2, "description": "what the interval grows by"},
			"max_interval":     duration,
			"jitter":           schema{"type": "number", "minimum": 0, "maximum": 1, "description": "share of the interval that is added or taken at random"},
		}}}}

	settings = schema{"type": "object", "properties": schema{
		"history":              schema{"type": "string", "enum": []string{engine.HistoryFull, engine.HistoryErrors, engine.HistoryNone}, "default": engine.HistoryFull},
		"max_steps":            schema{"type": "integer", "minimum": 0, "description": "visits between two pauses; 0 is the engine's default, 1000"},
		"message_window":       schema{"type": "integer", "minimum": 0, "description": "messages kept in the state; 0 is the default, 20"},
		"steps_at_once":        schema{"type": "integer", "minimum": 0, "description": "calls with effects of one session at once; 0 is the engine's default, 32"},
		"max_sessions_at_once": schema{"type": "integer", "minimum": 0, "description": "sessions that run at once on all engines together; others wait. 0 is no limit"},
		"rate":                 schema{"type": "string", "pattern": `^\s*[0-9]+\s*/\s*[smhd]\s*$`, "description": "starts in a second, minute, hour or day: 10/s, 100/m, 50/h, 1000/d. Starts above it wait"},
		"priority":             schema{"type": "integer", "minimum": 0, "maximum": graph.LastPriority, "default": graph.DefaultPriority, "description": "1 goes first, 9 last"},
		"concurrency_key":      schema{"type": "string", "description": "a reference to the inputs, such as @{SESSION_ID}.customer: max_sessions_at_once and rate hold for each value by itself"},
	}}
)

func bothCases(words ...string) (all []string) {
	for _, w := range words {
		all = append(all, w, strings.ToLower(w))
	}
	return all
}

type schemaBuilder struct {
	definitions schema
}

// ofType is the schema of one of the types that Write encodes. Its tags say what a Go type
// cannot: `doc` describes, `enum` lists, `schema` names a definition.
func (b *schemaBuilder) ofType(t reflect.Type, required ...string) schema {
	properties := schema{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := ofField(f)
		if doc := f.Tag.Get("doc"); doc != "" {
			s["description"] = doc
		}
		properties[name] = s
	}
	return schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func ofField(f reflect.StructField) schema {
	if name := f.Tag.Get("schema"); name != "" {
		switch name {
		case "steps", "paths":
			return schema{"type": "array", "items": ref(strings.TrimSuffix(name, "s"))}
		case "json":
			return maps.Clone(jsonObject)
		case "duration":
			return maps.Clone(duration)
		}
		return schema{"allOf": []any{ref(name)}} // beside a $ref draft 7 reads nothing
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		return schema{"type": "string", "enum": strings.Split(enum, ",")}
	}
	if value := f.Tag.Get("const"); value != "" {
		return schema{"const": json.RawMessage(value)}
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.Slice:
		return schema{"type": []string{"string", "array"}, "items": schema{"type": "string"}}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean", "array", "null"}}}
	}
	return schema{"type": "string"}
}

// step is the schema of a step: what its input holds goes by its function.
func (b *schemaBuilder) step(r *engine.Registry) schema {
	s := b.ofType(reflect.TypeFor[stepDocument](), "id")
	var names []string
	var known, inputs []any
	for _, spec := range r.Specs() {
		if prefix, isPrefix := strings.CutSuffix(spec.Name, "*"); isPrefix {
			known = append(known, schema{"type": "string", "pattern": "^" + strings.ReplaceAll(prefix, ".", `\.`)})
			continue
		}
		all := namesOf(spec)
		names = append(names, all...)
		if input := inputOf(spec); input != nil {
			b.definitions["input of "+spec.Name] = input
			inputs = append(inputs, schema{
				"if":   schema{"required": []string{"function"}, "properties": schema{"function": schema{"enum": all}}},
				"then": schema{"properties": schema{"input": ref("input of " + spec.Name)}},
			})
		}
	}
	slices.Sort(names)
	known = append([]any{schema{"enum": names}}, known...)
	s["properties"].(schema)["function"] = schema{"description": "what the step calls; without one it completes without output", "anyOf": known}
	if len(inputs) > 0 {
		s["allOf"] = inputs
	}
	return s
}

// namesOf are all names by which steps may call a function.
func namesOf(spec *engine.Spec) []string {
	all := append([]string{spec.Name}, spec.Aliases...)
	if short, ok := strings.CutPrefix(spec.Name, "utils."); ok && !slices.Contains(all, short) {
		all = append(all, short)
	}
	return all
}

// inputOf is the schema of a function's input, widened; nil where it says nothing.
func inputOf(spec *engine.Spec) schema {
	if spec.Input == nil {
		return nil
	}
	text, err := json.Marshal(spec.Input)
	var s schema
	if err != nil || json.Unmarshal(text, &s) != nil {
		return nil
	}
	properties, _ := s["properties"].(schema)
	if len(properties) == 0 {
		return nil
	}
	for name, p := range properties {
		properties[name] = widened(p)
	}
	return schema{"description": spec.Description, "properties": properties, "type": []string{"object", "string"}}
}

// widened lets a value be a reference too, at every depth.
func widened(of any) any {
	s, isObject := of.(schema)
	if !isObject {
		return of
	}
	for _, key := range []string{"properties", "patternProperties"} {
		if inner, ok := s[key].(schema); ok {
			for name, p := range inner {
				inner[name] = widened(p)
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(schema); ok && len(inner) > 0 {
			s[key] = widened(inner)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[key].([]any); ok {
			for i := range list {
				list[i] = widened(list[i])
			}
		}
	}
	if isFree(s) {
		return s
	}
	out := schema{}
	if d, ok := s["description"]; ok {
		out["description"] = d
		delete(s, "description")
	}
	out["anyOf"] = []any{s, ref("reference")}
	return out
}

// isFree reports whether a schema accepts any text already, or anything at all.
func isFree(s schema) bool {
	for _, key := range []string{"enum", "const", "pattern", "format", "maxLength", "minLength", "anyOf", "oneOf", "allOf", "not"} {
		if _, ok := s[key]; ok {
			return false
		}
	}
	switch t := s["type"].(type) {
	case nil:
		return true
	case string:
		return t == "string"
	case []any:
		if len(t) == 1 && t[0] == "null" { // a pointer to any value
			delete(s, "type")
			return true
		}
		return slices.Contains(t, any("string")) && !slices.Contains(t, any("object"))
	}
	return false
}
