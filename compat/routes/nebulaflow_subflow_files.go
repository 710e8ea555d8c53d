package compat

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// createSubflow keeps a subflow: a workflow whose id is the subflow's.
func (c *nebulaConn) createSubflow(ctx context.Context, m nebulaCommand) error {
	id, err := c.keepSubflow(ctx, m.Data)
	if err != nil {
		return err
	}
	c.send(ctx, nebulaMessage{Type: "subflow_saved", Data: map[string]string{"id": id}})
	return nil
}

func (c *nebulaConn) keepSubflow(ctx context.Context, text json.RawMessage) (string, error) {
	var s struct {
		ID, Title, Version *string
		Inputs, Outputs    *[]json.RawMessage
		Graph              *nebulaPayload
	}
	if err := (nebulaCommand{Data: text}).decode(&s); err != nil {
		return "", err
	}
	switch {
	case s.ID == nil || s.Title == nil || s.Version == nil:
		return "", flowRefusal("want id, title and version, three texts")
	case s.Inputs == nil || s.Outputs == nil:
		return "", flowRefusal("want inputs and outputs, two lists of ports")
	case s.Graph == nil || s.Graph.Nodes == nil || s.Graph.Edges == nil:
		return "", flowRefusal("want graph with nodes and edges")
	}
	if _, err := (nebulaCommand{Data: mustJSON(s.Graph)}).payload(); err != nil {
		return "", err
	}
	id := *s.ID
	if id == "" {
		id = newSubflowID()
		var err error
		if text, err = sjson.SetBytes(text, "id", id); err != nil {
			return "", err
		}
	}
	if strings.ContainsAny(id, "/@") {
		return "", flowRefusal("the id of a subflow has neither / nor @")
	}
	return id, c.n.keepNebula(ctx, id, text, nil)
}

func (c *nebulaConn) getSubflow(ctx context.Context, m nebulaCommand) error {
	var in struct{ ID string }
	if err := m.decode(&in); err != nil {
		return err
	}
	text, err := c.subflow(ctx, in.ID)
	if err != nil {
		return err
	}
	c.send(ctx, nebulaMessage{Type: "provide_subflow", Data: text})
	return nil
}

func (c *nebulaConn) subflow(ctx context.Context, id string) (json.RawMessage, error) {
	text, w, err := c.n.nebulaText(ctx, id)
	if err != nil && nebulaError(err) == "" {
		return nil, err
	}
	if err != nil || !isSubflow(w) {
		return nil, flowRefusal("Subflow not found: " + id)
	}
	return text, nil
}

func (c *nebulaConn) getSubflows(ctx context.Context, _ nebulaCommand) error {
	type line struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	lines := []line{}
	err := c.eachFlow(ctx, func(w *engine.Workflow, text json.RawMessage) {
		if isSubflow(w) {
			lines = append(lines, line{w.ID, gjson.GetBytes(text, "title").String(), gjson.GetBytes(text, "version").String()})
		}
	})
	if err != nil {
		return err
	}
	c.send(ctx, nebulaMessage{Type: "provide_subflows", Data: lines})
	return nil
}

// eachFlow shows all saved flows; those that are edited beyond what a flow can say are left
// out.
func (c *nebulaConn) eachFlow(ctx context.Context, show func(w *engine.Workflow, text json.RawMessage)) error {
	all, err := c.n.e.Workflows(ctx)
	if err != nil {
		return err
	}
	for _, info := range all {
		text, w, err := c.n.nebulaText(ctx, info.ID)
		switch {
		case err == nil && w.Extra[runOfProperty] == nil:
			show(w, text)
		case err != nil && nebulaError(err) == "":
			return err
		}
	}
	return nil
}

func (c *nebulaConn) duplicateSubflow(ctx context.Context, m nebulaCommand) error {
	var in struct{ ID, NodeID string }
	if err := m.decode(&in); err != nil {
		return err
	}
	text, err := c.subflow(ctx, in.ID)
	if err != nil {
		return err
	}
	if text, err = sjson.SetBytes(text, "id", ""); err != nil {
		return err
	}
	id, err := c.keepSubflow(ctx, text)
	if err != nil {
		return err
	}
	c.send(ctx, nebulaMessage{Type: "subflow_copied", Data: map[string]string{"nodeId": in.NodeID, "oldId": in.ID, "newId": id}})
	return nil
}
