package compat

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// customProperty marks a workflow of one node that a client keeps for further flows.
const customProperty = "custom_node"

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
	text, _, err := c.n.nebulaText(ctx, id)
	if err != nil || !gjson.GetBytes(text, "graph").Exists() {
		if nebulaError(err) == "" && err != nil {
			return nil, err
		}
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
		if gjson.GetBytes(text, "graph").Exists() {
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

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// customID is the workflow that keeps a node of a client's library, by its title.
func customID(title string) string { return "custom-" + unsafeInName.ReplaceAllString(title, "_") }

func (c *nebulaConn) saveCustom(ctx context.Context, m nebulaCommand) error {
	if !m.hasData() {
		return flowRefusal("data is missing")
	}
	if err := checkNebulaNode("data", m.Data); err != nil {
		return err
	}
	title := strings.TrimSpace(gjson.GetBytes(m.Data, "data.title").String())
	if title == "" {
		return flowRefusal("data.data.title is missing: a node is kept under its title")
	}
	if err := c.keepCustom(ctx, title, m.Data); err != nil {
		return err
	}
	return c.customNodes(ctx, m)
}

func (c *nebulaConn) keepCustom(ctx context.Context, title string, node json.RawMessage) error {
	text := mustJSON(map[string]any{"nodes": []json.RawMessage{node}, "edges": []any{}, "version": nebulaVersion})
	return c.n.keepNebula(ctx, customID(title), text, map[string]any{customProperty: true})
}

func (c *nebulaConn) customNodes(ctx context.Context, _ nebulaCommand) error {
	nodes := []json.RawMessage{}
	err := c.eachFlow(ctx, func(w *engine.Workflow, text json.RawMessage) {
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
	c.send(ctx, nebulaMessage{Type: "provide_custom_nodes", Data: nodes})
	return nil
}

func (c *nebulaConn) getCustom(ctx context.Context, m nebulaCommand) error {
	if err := c.customNodes(ctx, m); err != nil {
		return err
	}
	return c.storageScope(ctx, m)
}

func (c *nebulaConn) deleteCustom(ctx context.Context, m nebulaCommand) error {
	var title string
	if err := m.decode(&title); err != nil {
		return err
	}
	if _, err := c.custom(ctx, title); err != nil {
		return err
	}
	if err := c.n.e.DeleteWorkflow(ctx, customID(title), ""); err != nil {
		return err
	}
	return c.customNodes(ctx, m)
}

// custom is the node kept under a title.
func (c *nebulaConn) custom(ctx context.Context, title string) (json.RawMessage, error) {
	text, w, err := c.n.nebulaText(ctx, customID(title))
	if err != nil && nebulaError(err) == "" {
		return nil, err
	}
	if err != nil || w.Extra[customProperty] == nil {
		return nil, flowRefusal("there is no custom node " + title)
	}
	return json.RawMessage(gjson.GetBytes(text, "nodes.0").Raw), nil
}

func (c *nebulaConn) renameCustom(ctx context.Context, m nebulaCommand) error {
	var in struct{ OldNodeTitle, NewNodeTitle string }
	if err := m.decode(&in); err != nil {
		return err
	}
	node, err := c.custom(ctx, in.OldNodeTitle)
	if err != nil {
		return err
	}
	if strings.TrimSpace(in.NewNodeTitle) == "" {
		return flowRefusal("data.newNodeTitle is empty")
	}
	if node, err = sjson.SetBytes(node, "data.title", in.NewNodeTitle); err != nil {
		return err
	}
	if err := c.keepCustom(ctx, in.NewNodeTitle, node); err != nil {
		return err
	}
	if customID(in.NewNodeTitle) != customID(in.OldNodeTitle) {
		if err := c.n.e.DeleteWorkflow(ctx, customID(in.OldNodeTitle), ""); err != nil {
			return err
		}
	}
	return c.customNodes(ctx, m)
}

// storageScope: there is one place for everything, the engine's store.
func (c *nebulaConn) storageScope(ctx context.Context, _ nebulaCommand) error {
	c.send(ctx, nebulaMessage{Type: "storage_scope", Data: map[string]string{"scope": "user"}})
	return nil
}

func (c *nebulaConn) getModels(ctx context.Context, _ nebulaCommand) error {
	type model struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	models := []model{}
	if c.n.o.Models != nil {
		names, err := c.n.o.Models()
		if err != nil {
			return err
		}
		for _, name := range names {
			models = append(models, model{name, name})
		}
	}
	c.send(ctx, nebulaMessage{Type: "models_loaded", Data: models})
	return nil
}

// calculateTokens counts as NebulaFlow does: characters of JavaScript.
func (c *nebulaConn) calculateTokens(ctx context.Context, m nebulaCommand) error {
	var in struct{ Text, NodeID *string }
	if err := m.decode(&in); err != nil {
		return err
	}
	if in.Text == nil || in.NodeID == nil {
		return flowRefusal("want data.text and data.nodeId")
	}
	c.send(ctx, tokenCount(*in.NodeID, *in.Text))
	return nil
}

func tokenCount(node, text string) nebulaMessage {
	return nebulaMessage{Type: "token_count", Data: map[string]any{"nodeId": node, "count": len(utf16.Encode([]rune(text)))}}
}

func (c *nebulaConn) copySelection(_ context.Context, m nebulaCommand) error {
	if _, err := m.payload(); err != nil {
		return err
	}
	c.clipboard = m.Data
	return nil
}

func (c *nebulaConn) pasteSelection(ctx context.Context, _ nebulaCommand) error {
	out := nebulaMessage{Type: "clipboard_paste"}
	if c.clipboard != nil {
		out.Data = c.clipboard
	}
	c.send(ctx, out)
	return nil
}

// openLink lets the client open an address of the web; what it may open of files is the
// business of its own host.
func (c *nebulaConn) openLink(ctx context.Context, m nebulaCommand) error {
	scheme, _, _ := strings.Cut(strings.ToLower(m.URL), ":")
	switch scheme {
	case "http", "https", "mailto", "tel":
		c.send(ctx, nebulaMessage{Type: "bridge:open_external", URL: m.URL})
		return nil
	}
	return flowRefusal("only addresses that begin with http, https, mailto or tel can be opened")
}

// nothing answers messages about what is not kept here: caches of results, and the canvas.
func (c *nebulaConn) nothing(context.Context, nebulaCommand) error { return nil }
