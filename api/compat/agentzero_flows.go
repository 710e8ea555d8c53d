package compat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"unicode"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/agentzero"
)

// Properties of workflows that Agent Zero's clients made.
const (
	draftProperty = "draft"  // a flow that does not run yet, JSON text; the workflow has no steps
	runOfProperty = "run_of" // the flow it was made for: a version that was run and never saved
)

func (a *agentZero) list(ctx context.Context, _ flowBody) (any, error) {
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
		if isFlow(w) && w.Extra[runOfProperty] == nil {
			flows = append(flows, line{orText(w.Name, w.ID), w.Description, w.ID + ".json"})
		}
	}
	return map[string]any{"ok": true, "flows": flows}, nil
}

func isFlow(w *engine.Workflow) bool { return w.Extra["source_format"] == agentzero.Format }

// flowID is the workflow of a flow's name or file name: lower case, with - for blanks and
// without anything that is no letter, digit, - or _. A path is reduced to its last part.
func flowID(name string) (string, error) {
	name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".json")
	id := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, strings.TrimSpace(name))
	if strings.Trim(id, "-_") == "" {
		return "", flowRefusal("the flow has no name")
	}
	return id, nil
}

// flow is the saved flow a body names.
func (a *agentZero) flow(ctx context.Context, b flowBody) (*engine.Workflow, error) {
	id, err := flowID(orText(b.Name, b.Filename))
	if err != nil {
		return nil, err
	}
	w, err := a.e.Workflow(ctx, id)
	if errors.Is(err, engine.ErrWorkflowNotFound) || err == nil && !isFlow(w) {
		return nil, flowRefusal("Flow not found: " + id)
	}
	return w, err
}

func (a *agentZero) load(ctx context.Context, b flowBody) (any, error) {
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

// flowText is a saved flow as its editor had it, or what comes closest to it where somebody
// has edited the workflow elsewhere: as long as that is the same flow.
func flowText(w *engine.Workflow) (json.RawMessage, error) {
	if draft, ok := w.Extra[draftProperty].(string); ok {
		return json.RawMessage(draft), nil
	}
	text, problems, err := agentzero.Export(w)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, flowRefusal("the workflow has been edited beyond what a flow can say: " + problems[0].Message)
	}
	return text, nil
}

// save keeps a flow. One that breaks rules is kept as a draft, which cannot run.
func (a *agentZero) save(ctx context.Context, b flowBody) (any, error) {
	text := b.Flow
	if len(b.Nodes) > 0 {
		text = b.whole
	}
	var named struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	if json.Unmarshal(text, &named) != nil {
		return nil, flowRefusal("flow: want a flow with name, nodes and edges")
	}
	id, err := flowID(orText(b.Filename, named.Name))
	if err != nil {
		return nil, err
	}
	old, err := a.e.Workflow(ctx, id)
	switch {
	case err == nil && !isFlow(old):
		return nil, flowRefusal("there is a workflow " + id + " that is no flow of Agent Zero; choose another name")
	case err != nil && !errors.Is(err, engine.ErrWorkflowNotFound):
		return nil, err
	}
	w, err := compileFlow(id, text)
	draft := err != nil
	if draft {
		w = &engine.Workflow{ID: id, Name: named.Name, Description: named.Description,
			Extra: map[string]any{"source_format": agentzero.Format, draftProperty: string(text)}}
	}
	if _, err := a.e.PutWorkflow(ctx, w, ""); err != nil {
		return nil, err
	}
	out := map[string]any{"ok": true, "success": true, "filename": id + ".json"}
	if draft {
		out["draft"] = err.Error()
	}
	return out, nil
}

// compileFlow makes the workflow of a flow. Its error is for people.
func compileFlow(id string, text json.RawMessage) (*engine.Workflow, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, flowRefusal("flow: want a flow with name, nodes and edges")
	}
	f, err := agentzero.Parse(id+".json", text)
	if err != nil {
		return nil, flowRefusal(err.Error())
	}
	w := f.Workflows[0]
	w.ID = id
	w.Normalize()
	return &w, nil
}

func (a *agentZero) remove(ctx context.Context, b flowBody) (any, error) {
	w, err := a.flow(ctx, b)
	if err != nil {
		return nil, err
	}
	if err := a.e.DeleteWorkflow(ctx, w.ID, ""); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "success": true}, nil
}

// readLimited reads a body of at most so many bytes.
func readLimited(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, flowRefusal("the body is too large")
	case err != nil:
		return nil, flowRefusal("the body could not be read: " + err.Error())
	}
	return text, nil
}
