package nebulaflowapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// version is the version of the files NebulaFlow writes.
const version = "1.1.0"

func isFlow(w *engine.Workflow) bool { return w.Extra["source_format"] == nebulaflow.Format }

// isSubflow reports whether a flow of NebulaFlow has ports.
func isSubflow(w *engine.Workflow) bool {
	if draft, ok := w.Extra[flows.DraftProperty].(string); ok {
		return gjson.Get(draft, "graph").Exists()
	}
	beside, _ := w.Extra["source"].(string)
	return gjson.Get(beside, "outputs").Exists()
}

// compileFlow makes the workflow of a flow. Its error is for people.
func compileFlow(id string, text json.RawMessage) (*engine.Workflow, error) {
	f, err := nebulaflow.Parse(id+".json", text)
	if err != nil {
		return nil, wire.Refuse(err.Error())
	}
	w := f.Workflows[0]
	nameFlow(&w, id)
	w.Normalize()
	return &w, nil
}

func nameFlow(w *engine.Workflow, id string) {
	w.ID = id
	for i := range w.Steps {
		w.Steps[i].Workflow = id
	}
}

// keepFlow stores a flow under an id, over a flow of NebulaFlow and nothing else. One that
// breaks rules is kept as a draft, which cannot run.
func (n *host) keepFlow(ctx context.Context, id string, text json.RawMessage, extra map[string]any) error {
	old, err := n.e.Workflow(ctx, id)
	switch {
	case err == nil && !isFlow(old):
		return wire.Refuse("there is a workflow " + id + " that is not a flow of NebulaFlow; choose another name")
	case err == nil && isSubflow(old) != gjson.GetBytes(text, "graph").Exists():
		return wire.Refuse("flows and subflows do not replace one another: there is one called " + id)
	case err != nil && !errors.Is(err, engine.ErrWorkflowNotFound):
		return err
	}
	w, err := compileFlow(id, text)
	if err != nil {
		w = &engine.Workflow{ID: id, Extra: map[string]any{"source_format": nebulaflow.Format, flows.DraftProperty: string(text)}}
	}
	for name, value := range extra {
		w.Extra[name] = value
	}
	_, err = n.e.Put(ctx, w, engine.PutOptions{Force: true})
	return err
}

// textOf is a stored flow as its editor had it, or what comes closest to it where
// somebody has edited the workflow elsewhere: as long as that is the same flow.
func (n *host) textOf(ctx context.Context, id string) (json.RawMessage, *engine.Workflow, error) {
	w, err := n.e.Workflow(ctx, id)
	if errors.Is(err, engine.ErrWorkflowNotFound) || err == nil && !isFlow(w) {
		return nil, nil, wire.Refuse("there is no flow " + id)
	}
	if err != nil {
		return nil, nil, err
	}
	if draft, ok := w.Extra[flows.DraftProperty].(string); ok {
		return json.RawMessage(draft), w, nil
	}
	text, problems, err := nebulaflow.Export(w)
	if err != nil {
		return nil, nil, err
	}
	if len(problems) > 0 {
		return nil, nil, wire.Refuse("the workflow has been edited beyond what a flow can say: " + problems[0].Message)
	}
	return text, w, nil
}

// A dialog goes on with the name a person gave, "" when there is none.
type dialog func(ctx context.Context, name string) error

// dialogLimit is how many questions to a client may be open.
const dialogLimit = 8

// ask lets the client's person choose a file, as NebulaFlow's bridge to browsers does. The
// name of the file is that of the workflow.
func (l *library) ask(ctx context.Context, kind string, then dialog) error {
	if len(l.dialogs) >= dialogLimit {
		return wire.Refuse("answer the questions for files first")
	}
	l.requests++
	id := fmt.Sprintf("%s-%d", kind, l.requests)
	l.dialogs[id] = then
	l.send(ctx, message{Type: "bridge:" + kind, RequestID: id, DefaultURI: cmp.Or(l.name, "workflow") + ".json"})
	return nil
}

func (l *library) dialogResult(ctx context.Context, m command) error {
	then := l.dialogs[m.RequestID]
	if then == nil {
		return wire.Refuse("nothing was asked under that requestId")
	}
	delete(l.dialogs, m.RequestID)
	name := m.Path
	if name == "" && len(m.Paths) > 0 {
		name = m.Paths[0]
	}
	if m.Cancelled {
		name = ""
	}
	return then(ctx, name)
}

func (l *library) saveWorkflow(ctx context.Context, m command) error {
	p, err := m.payload()
	if err != nil {
		return err
	}
	save := func(ctx context.Context, name string) error {
		if err := l.saveAs(ctx, name, p); err != nil {
			text := wire.Shown(err)
			if text == "" {
				return err
			}
			l.send(ctx, message{Type: "workflow_save_failed", Data: map[string]string{"error": text}})
		}
		return nil
	}
	if p.Name != "" {
		return save(ctx, p.Name)
	}
	return l.ask(ctx, "show_save_dialog", save)
}

func (l *library) saveAs(ctx context.Context, name string, p payload) error {
	if name == "" {
		return wire.Refuse("cancelled")
	}
	id, err := flows.ID(name)
	if err != nil {
		return err
	}
	file := map[string]any{"nodes": orEmpty(p.Nodes), "edges": orEmpty(p.Edges), "version": version}
	if len(p.State) > 0 {
		file["state"] = p.State
	}
	if p.OnError != "" {
		file["onError"] = p.OnError
	}
	if p.Parallel != nil {
		file["parallel"] = *p.Parallel
	}
	if err := l.n.keepFlow(ctx, id, mustJSON(file), nil); err != nil {
		return err
	}
	l.opened(id)
	l.send(ctx, message{Type: "workflow_saved", Data: map[string]string{"path": id + ".json"}})
	return nil
}

func (l *library) opened(id string) {
	l.name = id
	l.n.last.Store(&id)
}

func (l *library) loadWorkflow(ctx context.Context, m command) error {
	var in struct {
		Name string `json:"name"`
	}
	if m.hasData() {
		if err := m.decode(&in); err != nil {
			return err
		}
	}
	if in.Name != "" {
		return l.load(ctx, in.Name)
	}
	return l.ask(ctx, "show_open_dialog", func(ctx context.Context, name string) error {
		if name == "" {
			return nil // cancelled
		}
		return l.load(ctx, name)
	})
}

func (l *library) loadLast(ctx context.Context, _ command) error {
	last := l.n.last.Load()
	if last == nil {
		return nil
	}
	return l.load(ctx, *last)
}

func (l *library) load(ctx context.Context, name string) error {
	id, err := flows.ID(name)
	if err != nil {
		return err
	}
	text, w, err := l.n.textOf(ctx, id)
	if err != nil {
		return err
	}
	if isSubflow(w) {
		return wire.Refuse(id + " is a subflow: get_subflow shows it")
	}
	data := map[string]json.RawMessage{"nodes": json.RawMessage("[]"), "edges": json.RawMessage("[]")}
	for _, field := range []string{"nodes", "edges", "state", "onError", "parallel"} {
		if value := gjson.GetBytes(text, field); value.Exists() {
			data[field] = json.RawMessage(value.Raw)
		}
	}
	l.opened(id)
	l.send(ctx, message{Type: "workflow_loaded", Data: data})
	return nil
}

// newSubflowID is random, as NebulaFlow's are.
func newSubflowID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
