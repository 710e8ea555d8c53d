package graph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A NamedTool is a TOOL path under the name models call it by.
type NamedTool struct {
	Name string
	Path *Path
}

// toolNameLength is what model APIs take at most.
const toolNameLength = 64

// Tools are the tools of an agent's step in path order, each under a name of its own: the
// path's, else the step's id, with everything but letters, digits, _ and - replaced. Of
// two equal names the second gets a number.
func (d *Definition) Tools(agent string, _ *function.Registry) []NamedTool {
	step := d.steps[agent]
	if step == nil {
		return nil
	}
	taken := map[string]bool{}
	seen := map[string]bool{}
	var out []NamedTool
	for _, p := range step.ToolPaths {
		if d.steps[p.Target] == nil || seen[p.Target+"\x00"+p.Name] {
			continue
		}
		seen[p.Target+"\x00"+p.Name] = true
		base := p.Name
		if base == "" {
			base = p.Target
		}
		base = toolName(base)
		name := base
		for n := 2; taken[name]; n++ {
			suffix := fmt.Sprintf("_%d", n)
			name = base[:min(len(base), toolNameLength-len(suffix))] + suffix
		}
		taken[name] = true
		out = append(out, NamedTool{Name: name, Path: p})
	}
	return out
}

func toolName(text string) string {
	clean := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, text)
	return clean[:min(len(clean), toolNameLength)]
}

// ToolInfos describes the tools of a step to its function.
func (d *Definition) ToolInfos(step string, registry *function.Registry) []function.ToolInfo {
	var out []function.ToolInfo
	for _, t := range d.Tools(step, registry) {
		target := d.steps[t.Path.Target]
		spec := registry.Find(target.Function)
		info := function.ToolInfo{Name: t.Name, Step: target.ID, Function: target.Function, Properties: t.Path.Extra,
			Description: cmp.Or(t.Path.Description, target.Description)}
		if spec != nil {
			info.Function = spec.Name
			info.Description = cmp.Or(info.Description, spec.Description)
		}
		info.Parameters = ToolParameters(t.Path, target, spec)
		out = append(out, info)
	}
	return out
}

// ToolParameters is the JSON Schema of a tool's arguments: the path's, else that of the
// function's input, which then takes no other fields. What the step gives itself is left
// out of either.
func ToolParameters(p *Path, target *CompiledStep, spec *function.Spec) json.RawMessage {
	fixed := map[string]bool{}
	if spec != nil {
		fixed = FixedFields(target, spec)
	}
	if text, ok := p.Extra["parameters"].(string); ok && json.Valid([]byte(text)) {
		return withoutProperties(json.RawMessage(text), fixed)
	}
	switch {
	case spec == nil:
		return json.RawMessage(`{"type":"object"}`)
	case spec.Parameters != nil:
		return withoutProperties(spec.Parameters, fixed)
	case spec.Arguments != "" || spec.Input == nil:
		return json.RawMessage(`{"type":"object"}`)
	}
	input := spec.Input.CloneSchemas()
	for _, property := range input.Properties {
		property.Comment = "" // for readers of the schema; some providers refuse keywords they do not know
	}
	schema, err := json.Marshal(input)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	if names, _ := DeclaredParameters(schema); len(names) == 0 {
		return schema // the function takes an object of anything
	}
	return closedSchema(withoutProperties(schema, fixed))
}

// withoutProperties takes properties out of a schema, in its order; without any of them it
// is the schema itself.
func withoutProperties(schema json.RawMessage, names map[string]bool) json.RawMessage {
	changed := false
	var whole []jsontext.Field
	for _, f := range jsontext.Fields(schema) {
		switch f.Key {
		case "properties":
			var left []jsontext.Field
			for _, property := range jsontext.Fields(f.Value) {
				if names[property.Key] {
					changed = true
					continue
				}
				left = append(left, property)
			}
			f.Value = jsontext.With(json.RawMessage("{}"), left)
		case "required":
			var required []string
			if json.Unmarshal(f.Value, &required) == nil {
				left, _ := json.Marshal(slices.DeleteFunc(required, func(name string) bool { return names[name] }))
				f.Value = left
			}
		}
		whole = append(whole, f)
	}
	if !changed {
		return schema
	}
	return jsontext.With(json.RawMessage("{}"), whole)
}

// closedSchema makes a function's schema that of a tool: nothing is required, since steps
// fail by themselves where something is missing, and no other fields are taken.
func closedSchema(schema json.RawMessage) json.RawMessage {
	var whole []jsontext.Field
	for _, f := range jsontext.Fields(schema) {
		if f.Key != "required" && f.Key != "additionalProperties" {
			whole = append(whole, f)
		}
	}
	return jsontext.With(json.RawMessage("{}"), append(whole, jsontext.Field{Key: "additionalProperties", Value: json.RawMessage("false")}))
}
