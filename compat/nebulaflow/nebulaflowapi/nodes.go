package nebulaflowapi

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// customProperty marks a workflow of one node that a client keeps for further flows.
const customProperty = "custom_node"

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// customID is the workflow that keeps a node of a client's library, by its title.
func customID(title string) string { return "custom-" + unsafeInName.ReplaceAllString(title, "_") }

func (l *library) saveCustom(ctx context.Context, m command) error {
	if !m.hasData() {
		return wire.Refuse("data is missing")
	}
	if err := checkNode("data", m.Data); err != nil {
		return err
	}
	if kind := gjson.GetBytes(m.Data, "type").String(); !nebulaflow.Known(kind) {
		return wire.Refuse("data.type: there are no nodes of type " + kind)
	}
	title := strings.TrimSpace(gjson.GetBytes(m.Data, "data.title").String())
	if title == "" {
		return wire.Refuse("data.data.title is missing: a node is kept under its title")
	}
	if err := l.keepCustom(ctx, title, m.Data); err != nil {
		return err
	}
	return l.customNodes(ctx, m)
}

func (l *library) keepCustom(ctx context.Context, title string, node json.RawMessage) error {
	text := mustJSON(map[string]any{"nodes": []json.RawMessage{node}, "edges": []any{}, "version": version})
	return l.n.keepFlow(ctx, customID(title), text, map[string]any{customProperty: true})
}

func (l *library) customNodes(ctx context.Context, _ command) error {
	nodes := []json.RawMessage{}
	err := l.eachFlow(ctx, func(w *engine.Workflow, text json.RawMessage) {
		if w.Extra[customProperty] == nil {
			return
		}
		node, err := sjson.SetBytes([]byte(gjson.GetBytes(text, "nodes.0").Raw), "id", "custom:"+strings.TrimPrefix(w.ID, "custom-"))
		if err == nil {
			nodes = append(nodes, node)
		}
	})
	if err != nil {
		return err
	}
	l.send(ctx, message{Type: "provide_custom_nodes", Data: nodes})
	return nil
}

func (l *library) getCustom(ctx context.Context, m command) error {
	if err := l.customNodes(ctx, m); err != nil {
		return err
	}
	return l.storageScope(ctx, m)
}

func (l *library) deleteCustom(ctx context.Context, m command) error {
	var title string
	if err := m.decode(&title); err != nil {
		return err
	}
	if _, err := l.custom(ctx, title); err != nil {
		return err
	}
	if err := l.n.e.DeleteWorkflow(ctx, customID(title), ""); err != nil {
		return err
	}
	return l.customNodes(ctx, m)
}

// custom is the node kept under a title.
func (l *library) custom(ctx context.Context, title string) (json.RawMessage, error) {
	text, w, err := l.n.textOf(ctx, customID(title))
	if err != nil && wire.Shown(err) == "" {
		return nil, err
	}
	if err != nil || w.Extra[customProperty] == nil {
		return nil, wire.Refuse("there is no custom node " + title)
	}
	return json.RawMessage(gjson.GetBytes(text, "nodes.0").Raw), nil
}

func (l *library) renameCustom(ctx context.Context, m command) error {
	var in struct{ OldNodeTitle, NewNodeTitle string }
	if err := m.decode(&in); err != nil {
		return err
	}
	node, err := l.custom(ctx, in.OldNodeTitle)
	if err != nil {
		return err
	}
	if strings.TrimSpace(in.NewNodeTitle) == "" {
		return wire.Refuse("data.newNodeTitle is empty")
	}
	if node, err = sjson.SetBytes(node, "data.title", in.NewNodeTitle); err != nil {
		return err
	}
	if err := l.keepCustom(ctx, in.NewNodeTitle, node); err != nil {
		return err
	}
	if customID(in.NewNodeTitle) != customID(in.OldNodeTitle) {
		if err := l.n.e.DeleteWorkflow(ctx, customID(in.OldNodeTitle), ""); err != nil {
			return err
		}
	}
	return l.customNodes(ctx, m)
}
