package callcentre

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// draw returns the node for a step that was added in the graph: an agent becomes a department,
// an integration with a type an integration, and an integration without a type a sub-agent,
// which passes its arguments on. why is the reason if no type of node does what the step does.
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
	case isAgent(s):
		kind = "departmentNode"
		about := s.Description
		if about == "" && offered != nil {
			about = offered.Description
		}
		data = append(data, inputs.Of("agentName", label, "description", about, "systemPrompt", take("system"), "model", take("profile"), "tools", drawnFrom(w, s.ID))...)
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

// isAgent reports whether a step is an agent, compiled from a file or added by hand.
func isAgent(s *engine.Step) bool { return s.Function == "agent.callcentre" || s.Function == "agent" }

// handlesOf is the list in an agent's data that its handles stand for, and what the names of the
// handles begin with; "" for steps without such.
func handlesOf(w *engine.Workflow, id string) (list, prefix string) {
	s := w.Step(id)
	if s == nil || !isAgent(s) {
		return "", ""
	}
	var n node
	if s.Config != "" && json.Unmarshal([]byte(s.Config), &n) == nil && kinds[n.Type] == kindRouter {
		return "intents", "intent-"
	}
	return "tools", "tool-"
}

// labelIn is what a step is called in the editor.
func labelIn(w *engine.Workflow, id string) string {
	if s := w.Step(id); s != nil && s.Name != "" {
		return s.Name
	}
	return id
}

// drawnFrom are the labels of what was drawn since as a tool of an agent.
func drawnFrom(w *engine.Workflow, id string) []string {
	out := []string{}
	for i := range w.Paths {
		if p := &w.Paths[i]; p.Kind == engine.Tool && p.Source == id && p.Extra[propertyEdge] == nil {
			if label := labelIn(w, p.Target); !slices.Contains(out, label) {
				out = append(out, label)
			}
		}
	}
	return out
}

// withHandles adds to an agent's intents or tools what was drawn from it since.
func withHandles(w *engine.Workflow, s *engine.Step, text json.RawMessage) (json.RawMessage, error) {
	list, _ := handlesOf(w, s.ID)
	var err error
	for _, label := range drawnFrom(w, s.ID) {
		if list == "" || slices.ContainsFunc(gjson.GetBytes(text, "data."+list).Array(), func(v gjson.Result) bool { return v.String() == label }) {
			continue
		}
		if !gjson.GetBytes(text, "data."+list).IsArray() {
			text, err = sjson.SetRawBytes(text, "data."+list, []byte("[]"))
		}
		if err == nil {
			text, err = sjson.SetBytes(text, "data."+list+".-1", label)
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}
