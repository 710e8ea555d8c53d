package nebulaflowapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
)

// A payload is the data of a message that carries a workflow.
type payload struct {
	Nodes  []json.RawMessage `json:"nodes"`
	Edges  []json.RawMessage `json:"edges"`
	State  json.RawMessage   `json:"state"`
	Resume nebulaflow.Resume `json:"resume"`

	// Our own: the workflow to save, load or run as, which else is asked for or the one
	// that was loaded.
	Name     string `json:"name"`
	OnError  string `json:"onError"`
	Parallel *bool  `json:"parallel"`
}

func (m command) hasData() bool { return len(m.Data) > 0 && string(m.Data) != "null" }

// decode reads the data of a command.
func (m command) decode(into any) error {
	if !m.hasData() {
		return wire.Refuse("data is missing")
	}
	if err := json.Unmarshal(m.Data, into); err != nil {
		return wire.Refuse(jsonFault("data", err))
	}
	return nil
}

// payload reads the data of a command that carries a workflow, and checks its shape.
func (m command) payload() (p payload, err error) {
	if err := m.decode(&p); err != nil {
		return p, err
	}
	for i, raw := range p.Nodes {
		if err := checkNode(fmt.Sprintf("data.nodes.%d", i), raw); err != nil {
			return p, err
		}
	}
	for i, raw := range p.Edges {
		var e struct {
			ID     *string `json:"id"`
			Source *string `json:"source"`
			Target *string `json:"target"`
		}
		at := fmt.Sprintf("data.edges.%d", i)
		if err := json.Unmarshal(raw, &e); err != nil {
			return p, wire.Refuse(jsonFault(at, err))
		}
		for _, f := range []struct {
			name  string
			value *string
		}{{"id", e.ID}, {"source", e.Source}, {"target", e.Target}} {
			if f.value == nil {
				return p, wire.Refuse(at + "." + f.name + " is missing")
			}
		}
	}
	return p, checkState(p.State)
}

// checkNode checks the shape of a node, as NebulaFlow does.
func checkNode(at string, raw json.RawMessage) error {
	var n struct {
		ID       *string                    `json:"id"`
		Type     *string                    `json:"type"`
		Data     map[string]json.RawMessage `json:"data"`
		Position *struct {
			X *float64 `json:"x"`
			Y *float64 `json:"y"`
		} `json:"position"`
		Selected *bool `json:"selected"`
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return wire.Refuse(jsonFault(at, err))
	}
	switch {
	case n.ID == nil:
		return wire.Refuse(at + ".id is missing")
	case n.Type == nil:
		return wire.Refuse(at + ".type is missing")
	case n.Data == nil:
		return wire.Refuse(at + ".data is missing")
	case n.Position == nil || n.Position.X == nil || n.Position.Y == nil:
		return wire.Refuse(at + ".position: want {x, y}, two numbers")
	}
	return nil
}

// shownOnly are fields of nodes in which a canvas keeps what it shows: they are not part of
// the flow.
var shownOnly = []string{"executing", "error", "interrupted", "moving", "isEditing", "result", "tokenCount"}

// bareNode is a node without what only its canvas needs.
func bareNode(raw json.RawMessage) json.RawMessage {
	var node, data map[string]json.RawMessage
	if json.Unmarshal(raw, &node) != nil || json.Unmarshal(node["data"], &data) != nil {
		return raw // compiling says what is wrong with it
	}
	for _, name := range shownOnly {
		delete(data, name)
	}
	delete(node, "selected")
	node["data"] = mustJSON(data)
	return mustJSON(node)
}

// bare is the flow of a payload: what decides how it runs, always in the same form.
func (p payload) bare() json.RawMessage {
	nodes := make([]json.RawMessage, len(p.Nodes))
	for i, raw := range p.Nodes {
		nodes[i] = bareNode(raw)
	}
	out := map[string]any{"nodes": nodes, "edges": orEmpty(p.Edges)}
	if p.OnError != "" {
		out["onError"] = p.OnError
	}
	if p.Parallel != nil {
		out["parallel"] = *p.Parallel
	}
	return mustJSON(out)
}

func orEmpty(list []json.RawMessage) []json.RawMessage {
	if list == nil {
		return []json.RawMessage{}
	}
	return list
}

// mustJSON is the text of a value made of JSON texts, which always has one.
func mustJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic("compat: " + err.Error())
	}
	return text
}

func checkState(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var s struct {
		NodeResults     map[string]struct{ Status, Output *string }
		IfElseDecisions map[string]string
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return wire.Refuse(jsonFault("data.state", err))
	}
	for id, r := range s.NodeResults {
		at := "data.state.nodeResults." + id
		if r.Output == nil {
			return wire.Refuse(at + ".output is missing")
		}
		if r.Status == nil || *r.Status != "completed" && *r.Status != "error" && *r.Status != "interrupted" {
			return wire.Refuse(at + ".status: want completed, error or interrupted")
		}
	}
	return nil
}

// jsonFault says where a JSON text has another shape than it must have.
func jsonFault(at string, err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return strings.TrimPrefix(at+": ", ": ") + err.Error()
	}
	if kind.Field != "" {
		at = strings.TrimPrefix(at+"."+kind.Field, ".")
	}
	return strings.TrimPrefix(at+": ", ": ") + "want " + wanted(kind) + ", not " + kind.Value
}

func wanted(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "slice":
		return "a list"
	case "struct", "map":
		return "an object"
	}
	return "a number"
}
