package agentzero

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// reading matches a text that ends with references to the outputs of other steps.
var reading = regexp.MustCompile(`(?s)^(.*?)\s*((?:@\{SESSION_ID\}\.[\pL\d_-]+(?:\.(?:text|result\.text|output))?\|?\s*)*)$`)

// draw returns the node for a step that was added in the graph; why is the reason if no type
// of node does what the step does.
func (x *exporter) draw(s *engine.Step) (node any, why string) {
	var in map[string]json.RawMessage
	if s.Input != "" && json.Unmarshal([]byte(s.Input), &in) != nil {
		return nil, "its input is not a JSON object"
	}
	known := map[string]bool{}
	take := func(name string) string {
		known[name] = true
		return inputs.Spoken(in[name])
	}
	label := s.Name
	if label == "" {
		label = s.ID
	}
	kind, data := "", inputs.Of("label", label)
	switch s.Function {
	case "agent", "agent.agentzero":
		kind = kindAgent
		m := reading.FindStringSubmatch(take("prompt"))
		if m == nil || strings.Contains(m[1], "@{") {
			return nil, "an agent of Agent Zero gets the texts of the nodes that lead to it behind its own prompt, and nothing in the midst of it"
		}
		profile := take("profile")
		if profile == "" {
			profile = "default"
		}
		data = append(data, inputs.Of("agentProfile", profile, "systemPromptOverride", m[1], "model", take("model"), "tools", x.toolsOf(s), "outputVariable", variableOf(s))...)
		take(fieldProfileOptional)
		take("unless_empty")
		take(fieldEmptyError)
	case "condition":
		kind, data = kindCondition, append(data, inputs.Of("expression", take("expression"), "trueLabel", "True", "falseLabel", "False")...)
		take("input")
		take("variables")
	default:
		return nil, fmt.Sprintf("no node of Agent Zero does what the function %q does", s.Function)
	}
	for _, name := range inputs.Names(in) {
		if !known[name] {
			return nil, fmt.Sprintf("a node of the type %s has no field for %q of its input", kind, name)
		}
	}
	parent := ""
	for held := range x.held {
		if held[1] == s.ID {
			parent = held[0]
		}
	}
	px, py := x.place(s, parent)
	out := inputs.Of("id", s.ID, "type", x.spelled(kind), "position", inputs.Of("x", px, "y", py))
	if parent != "" {
		out = out.With("parentId", parent)
	}
	return out.With("data", data), ""
}

// spelled returns the name of a type in the notation that the flow's other nodes use.
func (x *exporter) spelled(kind string) string {
	for _, s := range x.steps {
		if n := nodeOf(s); n != nil && strings.HasSuffix(n.Type, "Node") {
			return kind + "Node"
		}
	}
	return kind
}

// toolsOf are the functions that an agent may call.
func (x *exporter) toolsOf(s *engine.Step) []any {
	out := []any{}
	for i := range x.w.Paths {
		if p := &x.w.Paths[i]; p.Kind == engine.Tool && p.Source == s.ID && x.steps[p.Target] != nil {
			out = append(out, x.steps[p.Target].Function)
		}
	}
	return out
}

func variableOf(s *engine.Step) string {
	name, _ := s.Extra[propertyVariable].(string)
	return name
}
