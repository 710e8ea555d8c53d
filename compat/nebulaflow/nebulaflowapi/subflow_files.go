package nebulaflowapi

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// createSubflow keeps a subflow: a workflow whose id is the subflow's.
func (l *library) createSubflow(ctx context.Context, m command) error {
	id, err := l.keepSubflow(ctx, m.Data)
	if err != nil {
		return err
	}
	l.send(ctx, message{Type: "subflow_saved", Data: map[string]string{"id": id}})
	return nil
}

func (l *library) keepSubflow(ctx context.Context, text json.RawMessage) (string, error) {
	var s struct {
		ID, Title, Version *string
		Inputs, Outputs    *[]json.RawMessage
		Graph              *payload
	}
	if err := (command{Data: text}).decode(&s); err != nil {
		return "", err
	}
	switch {
	case s.ID == nil || s.Title == nil || s.Version == nil:
		return "", wire.Refuse("want id, title and version, three texts")
	case s.Inputs == nil || s.Outputs == nil:
		return "", wire.Refuse("want inputs and outputs, two lists of ports")
	case s.Graph == nil || s.Graph.Nodes == nil || s.Graph.Edges == nil:
		return "", wire.Refuse("want graph with nodes and edges")
	}
	if _, err := (command{Data: mustJSON(s.Graph)}).payload(); err != nil {
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
		return "", wire.Refuse("the id of a subflow has neither / nor @")
	}
	return id, l.n.keepFlow(ctx, id, text, nil)
}

func (l *library) getSubflow(ctx context.Context, m command) error {
	var in struct{ ID string }
	if err := m.decode(&in); err != nil {
		return err
	}
	text, err := l.subflow(ctx, in.ID)
	if err != nil {
		return err
	}
	l.send(ctx, message{Type: "provide_subflow", Data: text})
	return nil
}

func (l *library) subflow(ctx context.Context, id string) (json.RawMessage, error) {
	text, w, err := l.n.textOf(ctx, id)
	if err != nil && wire.Shown(err) == "" {
		return nil, err
	}
	if err != nil || !isSubflow(w) {
		return nil, wire.Refuse("Subflow not found: " + id)
	}
	return text, nil
}

func (l *library) getSubflows(ctx context.Context, _ command) error {
	type line struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	lines := []line{}
	err := l.eachFlow(ctx, func(w *engine.Workflow, text json.RawMessage) {
		if isSubflow(w) {
			lines = append(lines, line{w.ID, gjson.GetBytes(text, "title").String(), gjson.GetBytes(text, "version").String()})
		}
	})
	if err != nil {
		return err
	}
	l.send(ctx, message{Type: "provide_subflows", Data: lines})
	return nil
}

// eachFlow shows all saved flows; those that are edited beyond what a flow can say are left
// out.
func (l *library) eachFlow(ctx context.Context, show func(w *engine.Workflow, text json.RawMessage)) error {
	all, err := l.n.e.Workflows(ctx)
	if err != nil {
		return err
	}
	for _, info := range all {
		text, w, err := l.n.textOf(ctx, info.ID)
		switch {
		case err == nil && w.Extra[flows.RunOfProperty] == nil:
			show(w, text)
		case err != nil && wire.Shown(err) == "":
			return err
		}
	}
	return nil
}

func (l *library) duplicateSubflow(ctx context.Context, m command) error {
	var in struct{ ID, NodeID string }
	if err := m.decode(&in); err != nil {
		return err
	}
	text, err := l.subflow(ctx, in.ID)
	if err != nil {
		return err
	}
	if text, err = sjson.SetBytes(text, "id", ""); err != nil {
		return err
	}
	id, err := l.keepSubflow(ctx, text)
	if err != nil {
		return err
	}
	l.send(ctx, message{Type: "subflow_copied", Data: map[string]string{"nodeId": in.NodeID, "oldId": in.ID, "newId": id}})
	return nil
}
