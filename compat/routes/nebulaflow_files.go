package compat

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// nebulaVersion is the version of the files NebulaFlow writes.
const nebulaVersion = "1.1.0"

func isNebula(w *engine.Workflow) bool { return w.Extra["source_format"] == nebulaflow.Format }

// isSubflow tells whether a flow of NebulaFlow has ports.
func isSubflow(w *engine.Workflow) bool {
	if draft, ok := w.Extra[draftProperty].(string); ok {
		return gjson.Get(draft, "graph").Exists()
	}
	beside, _ := w.Extra["source"].(string)
	return gjson.Get(beside, "outputs").Exists()
}

// compileNebula makes the workflow of a flow. Its error is for people.
func compileNebula(id string, text json.RawMessage) (*engine.Workflow, error) {
	f, err := nebulaflow.Parse(id+".json", text)
	if err != nil {
		return nil, flowRefusal(err.Error())
	}
	w := f.Workflows[0]
	nameNebula(&w, id)
	w.Normalize()
	return &w, nil
}

func nameNebula(w *engine.Workflow, id string) {
	w.ID = id
	for i := range w.Steps {
		w.Steps[i].Workflow = id
	}
}

// keepNebula stores a flow under an id, over a flow of NebulaFlow and nothing else. One that
// breaks rules is kept as a draft, which cannot run.
func (n *nebulaFlow) keepNebula(ctx context.Context, id string, text json.RawMessage, extra map[string]any) error {
	old, err := n.e.Workflow(ctx, id)
	switch {
	case err == nil && !isNebula(old):
		return flowRefusal("there is a workflow " + id + " that is no flow of NebulaFlow; choose another name")
	case err == nil && isSubflow(old) != gjson.GetBytes(text, "graph").Exists():
		return flowRefusal("flows and subflows do not replace one another: there is one called " + id)
	case err != nil && !errors.Is(err, engine.ErrWorkflowNotFound):
		return err
	}
	w, err := compileNebula(id, text)
	if err != nil {
		w = &engine.Workflow{ID: id, Extra: map[string]any{"source_format": nebulaflow.Format, draftProperty: string(text)}}
	}
	for name, value := range extra {
		w.Extra[name] = value
	}
	_, err = n.e.Put(ctx, w, engine.PutOptions{Force: true})
	return err
}

// nebulaText is a stored flow as its editor had it, or what comes closest to it where
// somebody has edited the workflow elsewhere: as long as that is the same flow.
func (n *nebulaFlow) nebulaText(ctx context.Context, id string) (json.RawMessage, *engine.Workflow, error) {
	w, err := n.e.Workflow(ctx, id)
	if errors.Is(err, engine.ErrWorkflowNotFound) || err == nil && !isNebula(w) {
		return nil, nil, flowRefusal("there is no flow " + id)
	}
	if err != nil {
		return nil, nil, err
	}
	if draft, ok := w.Extra[draftProperty].(string); ok {
		return json.RawMessage(draft), w, nil
	}
	text, problems, err := nebulaflow.Export(w)
	if err != nil {
		return nil, nil, err
	}
	if len(problems) > 0 {
		return nil, nil, flowRefusal("the workflow has been edited beyond what a flow can say: " + problems[0].Message)
	}
	return text, w, nil
}

// A nebulaDialog goes on with the name a person gave, "" when there is none.
type nebulaDialog func(ctx context.Context, name string) error

// nebulaDialogs is how many questions to a client may be open.
const nebulaDialogs = 8

// ask lets the client's person choose a file, as NebulaFlow's bridge to browsers does. The
// name of the file is that of the workflow.
func (c *nebulaConn) ask(ctx context.Context, kind string, then nebulaDialog) error {
	if len(c.dialogs) >= nebulaDialogs {
		return flowRefusal("answer the questions for files first")
	}
	c.requests++
	id := fmt.Sprintf("%s-%d", kind, c.requests)
	c.dialogs[id] = then
	c.send(ctx, nebulaMessage{Type: "bridge:" + kind, RequestID: id, DefaultURI: orText(c.name, "workflow") + ".json"})
	return nil
}

func (c *nebulaConn) dialogResult(ctx context.Context, m nebulaCommand) error {
	then := c.dialogs[m.RequestID]
	if then == nil {
		return flowRefusal("nothing was asked under that requestId")
	}
	delete(c.dialogs, m.RequestID)
	name := m.Path
	if name == "" && len(m.Paths) > 0 {
		name = m.Paths[0]
	}
	if m.Cancelled {
		name = ""
	}
	return then(ctx, name)
}

func (c *nebulaConn) saveWorkflow(ctx context.Context, m nebulaCommand) error {
	p, err := m.payload()
	if err != nil {
		return err
	}
	save := func(ctx context.Context, name string) error {
		if err := c.saveAs(ctx, name, p); err != nil {
			text := nebulaError(err)
			if text == "" {
				return err
			}
			c.send(ctx, nebulaMessage{Type: "workflow_save_failed", Data: map[string]string{"error": text}})
		}
		return nil
	}
	if p.Name != "" {
		return save(ctx, p.Name)
	}
	return c.ask(ctx, "show_save_dialog", save)
}

func (c *nebulaConn) saveAs(ctx context.Context, name string, p nebulaPayload) error {
	if name == "" {
		return flowRefusal("cancelled")
	}
	id, err := flowID(name)
	if err != nil {
		return err
	}
	file := map[string]any{"nodes": orEmpty(p.Nodes), "edges": orEmpty(p.Edges), "version": nebulaVersion}
	if len(p.State) > 0 {
		file["state"] = p.State
	}
	if p.OnError != "" {
		file["onError"] = p.OnError
	}
	if err := c.n.keepNebula(ctx, id, mustJSON(file), nil); err != nil {
		return err
	}
	c.opened(id)
	c.send(ctx, nebulaMessage{Type: "workflow_saved", Data: map[string]string{"path": id + ".json"}})
	return nil
}

func (c *nebulaConn) opened(id string) {
	c.name = id
	c.n.last.Store(&id)
}

func (c *nebulaConn) loadWorkflow(ctx context.Context, m nebulaCommand) error {
	var in struct {
		Name string `json:"name"`
	}
	if m.hasData() {
		if err := m.decode(&in); err != nil {
			return err
		}
	}
	if in.Name != "" {
		return c.load(ctx, in.Name)
	}
	return c.ask(ctx, "show_open_dialog", func(ctx context.Context, name string) error {
		if name == "" {
			return nil // cancelled
		}
		return c.load(ctx, name)
	})
}

func (c *nebulaConn) loadLast(ctx context.Context, _ nebulaCommand) error {
	last := c.n.last.Load()
	if last == nil {
		return nil
	}
	return c.load(ctx, *last)
}

func (c *nebulaConn) load(ctx context.Context, name string) error {
	id, err := flowID(name)
	if err != nil {
		return err
	}
	text, w, err := c.n.nebulaText(ctx, id)
	if err != nil {
		return err
	}
	if isSubflow(w) {
		return flowRefusal(id + " is a subflow: get_subflow shows it")
	}
	data := map[string]json.RawMessage{"nodes": json.RawMessage("[]"), "edges": json.RawMessage("[]")}
	for _, field := range []string{"nodes", "edges", "state", "onError"} {
		if value := gjson.GetBytes(text, field); value.Exists() {
			data[field] = json.RawMessage(value.Raw)
		}
	}
	c.opened(id)
	c.send(ctx, nebulaMessage{Type: "workflow_loaded", Data: data})
	return nil
}

// newSubflowID is random, as NebulaFlow's are.
func newSubflowID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
