package callcentre

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// draw is the node of a step that was added in the graph: an agent is a department, an integration
// with a type is one, and an integration without hands its arguments on, as a sub-agent does. why
// says that no node does what the step does.
func draw(w *engine.Workflow, s *engine.Step) (node any, why string) {
	var in map[string]json.RawMessage
	if s.Input != "" && json.Unmarshal([]byte(s.Input), &in) != nil {
		return nil, "its input is not a JSON object"
	}
	known := map[string]bool{}
	take := func(name string) string {
		known[name] = true
		return inputs.Spoken(in[name])
	}
	label, offered := s.Name, offeredBy(w, s.ID)
	if label == "" {
		label = s.ID
	}
	kind, data := "", inputs.Of("label", label)
	switch {
	case s.Function == "agent":
		kind = "departmentNode"
		about := s.Description
		if about == "" && offered != nil {
			about = offered.Description
		}
		data = append(data, inputs.Of("agentName", label, "description", about, "systemPrompt", take("system"), "model", take("profile"), "tools", []any{})...)
		for _, name := range []string{"query", "parallel", "check_arguments", "marks", "unknown_tool_error", "max_rounds", "on_limit", "round_limit_error", "empty_error", "profile_optional"} {
			take(name)
		}
	case s.Function == "integration" && in["type"] != nil:
		kind, data = "integrationNode", data.With("integrationType", take("type"))
		for _, f := range sourceFields {
			if text := take(f.input); text != "" {
				data = data.With(f.data, text)
			}
		}
		if latency := in["latency"]; latency != nil {
			data = data.With("latency", latency)
		}
		take("latency")
		take("arguments")
	case s.Function == "integration":
		kind = "subAgentNode"
		data = append(data, inputs.Of("functionName", label, "specialty", label, "accessLevel", "read", "description", s.Description)...)
	default:
		return nil, fmt.Sprintf("no node of a call centre does what the function %q does", s.Function)
	}
	for _, name := range inputs.Names(in) {
		if !known[name] {
			return nil, fmt.Sprintf("a node of the type %s has no field for %q of its input", kind, name)
		}
	}
	x, y := 0.0, 0.0
	if s.X != nil && s.Y != nil {
		x, y = *s.X, *s.Y
	}
	return inputs.Of("id", s.ID, "type", spelled(w, kind), "position", inputs.Of("x", x, "y", y), "data", data), ""
}

// offeredBy is the first path that offers a step to an agent, nil for none.
func offeredBy(w *engine.Workflow, step string) *engine.Path {
	i := slices.IndexFunc(w.Paths, func(p engine.Path) bool { return p.Kind == engine.Tool && p.Target == step })
	if i < 0 {
		return nil
	}
	return &w.Paths[i]
}

// seedTypes are the types as the seed spells them.
var seedTypes = map[string]string{"departmentNode": "DEPARTMENT", "subAgentNode": "SUB_AGENT", "integrationNode": "INTEGRATION"}

// spelled is a type in the spelling that the other nodes of the graph have.
func spelled(w *engine.Workflow, kind string) string {
	for i := range w.Steps {
		var n node
		if w.Steps[i].Config != "" && json.Unmarshal([]byte(w.Steps[i].Config), &n) == nil && slices.Contains([]string{"ROUTER", "DEPARTMENT", "SUB_AGENT", "INTEGRATION"}, n.Type) {
			return seedTypes[kind]
		}
	}
	return kind
}
