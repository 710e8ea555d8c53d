package agentzeroapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
)

// deletedProperty marks a flow that was deleted in the editor and is kept so that its runs can
// still be read.
const deletedProperty = "deleted"

func (a *editor) list(ctx context.Context, _ flowBody) (any, error) {
	all, err := a.e.Workflows(ctx)
	if err != nil {
		return nil, err
	}
	type line struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Filename    string `json:"filename"`
	}
	flows := []line{}
	for _, info := range all {
		w, err := a.e.Workflow(ctx, info.ID)
		if errors.Is(err, engine.ErrWorkflowNotFound) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		if listed(w) {
			flows = append(flows, line{cmp.Or(w.Name, w.ID), w.Description, w.ID + ".json"})
		}
	}
	return map[string]any{"ok": true, "flows": flows}, nil
}

func isFlow(w *engine.Workflow) bool { return w.Extra["source_format"] == agentzero.Format }

// listed reports whether a workflow is one of the flows that the editor shows.
func listed(w *engine.Workflow) bool {
	return isFlow(w) && w.Extra[flows.RunOfProperty] == nil && w.Extra[deletedProperty] == nil
}

// nameID returns the workflow id for a flow's name, built as the public implementation names
// its files: lower case, - for white space and _, other characters than letters, digits and -
// removed.
func nameID(name string) (string, error) {
	parts := strings.FieldsFunc(flows.Slug(name), func(c rune) bool { return c == '-' || c == '_' })
	if len(parts) == 0 {
		return "", flows.ErrNoName
	}
	return strings.Join(parts, "-"), nil
}

// flow returns the saved flow that a body names, by its name or by its file name.
func (a *editor) flow(ctx context.Context, b flowBody) (*engine.Workflow, error) {
	ids := []func(string) (string, error){nameID, flows.ID}
	text := b.Name
	if text == "" {
		ids, text = ids[1:], b.Filename
	}
	var none error
	for _, of := range ids {
		id, err := of(text)
		if err != nil {
			return nil, err
		}
		w, err := a.e.Workflow(ctx, id)
		if err != nil && !errors.Is(err, engine.ErrWorkflowNotFound) || err == nil && listed(w) {
			return w, err
		}
		none = wire.Refuse("Flow not found: " + id)
	}
	return nil, none
}

func (a *editor) load(ctx context.Context, b flowBody) (any, error) {
	w, err := a.flow(ctx, b)
	if err != nil {
		return nil, err
	}
	text, err := flowText(w)
	if err != nil {
		return nil, err
	}
	if b.Filename == "" {
		return text, nil
	}
	return map[string]any{"ok": true, "flow": text}, nil
}

// flowText returns the text of a saved flow: a draft as the editor sent it, else the export of
// the workflow. A workflow that a flow cannot express is refused.
func flowText(w *engine.Workflow) (json.RawMessage, error) {
	if draft, ok := w.Extra[flows.DraftProperty].(string); ok {
		return json.RawMessage(draft), nil
	}
	text, problems, err := agentzero.Export(w)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, wire.Refuse("the workflow has been edited beyond what a flow can say: " + problems[0].Message)
	}
	return text, nil
}

// save stores a flow. A flow with faults is stored as a draft, which cannot run.
func (a *editor) save(ctx context.Context, b flowBody) (any, error) {
	text := b.Flow
	if len(b.Nodes) > 0 {
		text = b.whole
	}
	var named struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	if json.Unmarshal(text, &named) != nil {
		return nil, wire.Refuse("flow: want a flow with name, nodes and edges")
	}
	id, err := nameID(named.Name)
	if b.Filename != "" {
		id, err = flows.ID(b.Filename)
	}
	if err != nil {
		return nil, err
	}
	old, err := a.e.Workflow(ctx, id)
	switch {
	case err == nil && !isFlow(old):
		return nil, wire.Refuse("there is a workflow " + id + " that is not a flow of Agent Zero; choose another name")
	case err != nil && !errors.Is(err, engine.ErrWorkflowNotFound):
		return nil, err
	}
	w, err := compileFlow(id, text)
	draft := err != nil
	if draft {
		w = &engine.Workflow{ID: id, Name: named.Name, Description: named.Description,
			Extra: map[string]any{"source_format": agentzero.Format, flows.DraftProperty: string(text)}}
	}
	if _, err := a.e.Put(ctx, w, engine.PutOptions{Force: true}); err != nil {
		return nil, err
	}
	out := map[string]any{"ok": true, "success": true, "filename": id + ".json"}
	if draft {
		out["draft"] = err.Error()
	}
	return out, nil
}

// compileFlow compiles a flow. Its error is shown to the user.
func compileFlow(id string, text json.RawMessage) (*engine.Workflow, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, wire.Refuse("flow: want a flow with name, nodes and edges")
	}
	f, err := agentzero.Parse(id+".json", text)
	if err != nil {
		return nil, wire.Refuse(err.Error())
	}
	w := f.Workflows[0]
	w.ID = id
	w.Normalize()
	return &w, nil
}

func (a *editor) remove(ctx context.Context, b flowBody) (any, error) {
	w, err := a.flow(ctx, b)
	if err != nil {
		return nil, err
	}
	if err := a.discard(ctx, w); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "success": true}, nil
}

// discard deletes a flow. A flow with runs is only hidden, so that its runs continue and can
// be read.
func (a *editor) discard(ctx context.Context, w *engine.Workflow) error {
	runs, err := a.e.CountSessions(ctx, engine.SessionQuery{Workflow: w.ID}, "status")
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return a.e.DeleteWorkflow(ctx, w.ID, "")
	}
	hidden := *w
	hidden.Extra = maps.Clone(w.Extra)
	hidden.Extra[deletedProperty] = true
	_, err = a.e.Put(ctx, &hidden, engine.PutOptions{Force: true})
	return err
}
