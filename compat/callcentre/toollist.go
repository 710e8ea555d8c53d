package callcentre

import (
	"encoding/json"
	"strings"
	"unicode/utf16"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

// utf16Units returns the UTF-16 code units of a text: the original system, written in
// JavaScript, replaces a character outside the basic plane by two underscores, and so does
// this package.
func utf16Units(text string) []uint16 { return utf16.Encode([]rune(text)) }

// A tool is one tool of an agent, made from an edge.
type tool struct {
	edge   *edge
	target *node
	name   string
	*offer
}

// An offer is the description of a node for the agents that can call it.
type offer struct {
	description string
	parameters  string // JSON Schema
}

// toolsOf lists the tools of an agent, one for each target, in the order of the edges.
func (g *graph) toolsOf(agent *node) []tool {
	var out []tool
	taken, seen := names{}, map[*node]bool{}
	for _, e := range g.out[agent.ID] {
		to := g.byID[e.Target]
		if to == nil || seen[to] || !makesTool(agent, to) || agent.kind == kindTool {
			continue
		}
		seen[to] = true
		out = append(out, tool{edge: e, target: to, name: toolName(to, taken), offer: to.offered()})
	}
	return out
}

// offered is the description of a node as agents get it, made once for all of them.
func (n *node) offered() *offer {
	switch {
	case n.offer != nil:
	case n.kind == kindDepartment:
		n.offer = &offer{departmentDescription(n), inputs.Encode(querySchema(true))}
	default:
		n.offer = &offer{toolDescription(n, n.reads), inputs.Encode(toolParameters(n))}
	}
	return n.offer
}

func departmentDescription(n *node) string {
	return sentence("Consults the department "+or(n.Data.AgentName, n.Data.Label, n.ID), n.Data.Description) +
		" It returns instructions: what to tell the caller."
}

// toolDescription tells a model what a tool does, what its source holds and how to read the
// answer.
func toolDescription(n, from *node) string {
	text := sentence(or(n.Data.Description, n.Data.Specialty, n.Data.AgentName, n.ID), "")
	if from == nil {
		return text
	}
	if from.Data.AIInstructions != "" {
		text += " " + sentence(from.Data.AIInstructions, "")
	}
	if names := mockFields(from); len(names) > 0 {
		text += " Fields: " + strings.Join(names, ", ") + "."
	} else if from.Data.DataStructure != "" {
		text += " Structure: " + sentence(string(from.Data.DataStructure), "")
	}
	return text + " The answer's data field holds what was found."
}

// sentence ends a text with a full stop, with more after a colon where there is more.
func sentence(text, more string) string {
	if text = strings.TrimSpace(text); more != "" {
		text += ": " + strings.TrimSpace(more)
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// mockFields are the names of the fields of mock data; of a list those of its first row.
func mockFields(n *node) []string {
	if integrationType(n) != typeMock || n.Data.MockOutput == nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(*n.Data.MockOutput)))
	open, err := d.Token()
	if err == nil && open == json.Delim('[') {
		open, err = d.Token()
	}
	if err != nil || open != json.Delim('{') {
		return nil
	}
	var names []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return names
		}
		names = append(names, key.(string))
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return names
		}
	}
	return names
}

// querySchema describes the one argument of what is asked in words.
func querySchema(required bool) inputs.Object {
	names := []string{}
	if required {
		names = append(names, "query")
	}
	return inputs.Of("type", "object", "properties", inputs.Of("query", inputs.Of("type", "string")), "required", names)
}

// toolParameters is the JSON Schema of a tool's arguments; free JSON goes as text.
func toolParameters(n *node) inputs.Object {
	if len(n.Data.Parameters) == 0 {
		return querySchema(false)
	}
	properties, required := inputs.Of(), []string{}
	for _, p := range n.Data.Parameters {
		kind := p.Type
		if kind != "number" && kind != "boolean" {
			kind = "string"
		}
		one := inputs.Of("type", kind)
		if p.Description != "" {
			one = one.With("description", p.Description)
		}
		properties = append(properties, inputs.Field{Name: p.Name, Value: one})
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return inputs.Of("type", "object", "properties", properties, "required", required)
}
