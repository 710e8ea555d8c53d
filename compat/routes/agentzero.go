package compat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/engine"
)

// AgentZeroEngine is what Agent Zero's routes ask of an engine.
type AgentZeroEngine interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
	Act(ctx context.Context, a engine.Action) (*engine.Session, error)
	DeleteSession(ctx context.Context, id string, cancel bool) error
	EvalReference(ctx context.Context, session, text string, whole bool) (*engine.ReferenceResult, error)
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Workflows(ctx context.Context) ([]engine.WorkflowInfo, error)
	Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error)
	DeleteWorkflow(ctx context.Context, id, match string) error
	Validate(w *engine.Workflow) []engine.Problem
}

type agentZero struct {
	e        AgentZeroEngine
	log      *slog.Logger
	profiles func() ([]AgentProfile, error)
}

// An AgentProfile is one as Agent Zero's editor lists them.
type AgentProfile struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

// AgentZero mounts the routes of Agent Zero's flow editor, in the design's spelling and in
// that of the public implementation: what a client sends decides which fields it is answered
// with only where the two cannot stand side by side. profiles, nil for none, are what the
// drawer of a node offers.
func AgentZero(r chi.Router, e AgentZeroEngine, profiles func() ([]AgentProfile, error), log *slog.Logger) {
	a := &agentZero{e, log, profiles}
	r.Get("/api/flow_list", a.answered(a.list))
	r.Get("/api/agents", a.answered(a.agents))
	for path, handle := range map[string]func(context.Context, flowBody) (any, error){
		"/api/agents":             a.agents,
		"/api/flow_list":          a.list,
		"/api/flow_load":          a.load,
		"/api/flow_save":          a.save,
		"/api/flow_delete":        a.remove,
		"/api/flow_execute":       a.execute,
		"/api/flow_status":        a.status,
		"/api/flow_stop":          a.stop,
		"/api/flow_template_list": a.templates,
		"/api/flow_group_remove":  a.forget,
	} {
		r.Post(path, a.answered(handle))
	}
}

// agents lists the profiles, the default one first: Agent Zero has it always.
func (a *agentZero) agents(_ context.Context, b flowBody) (any, error) {
	if b.Action != "" && b.Action != "list" {
		return nil, flowRefusal(fmt.Sprintf("action %q: profiles can only be listed here; PUT /api/v1/profiles/{name} changes one", b.Action))
	}
	list := []AgentProfile{{"default", "Default"}}
	if a.profiles != nil {
		all, err := a.profiles()
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if p.Key != "default" {
				list = append(list, p)
			}
		}
	}
	return map[string]any{"ok": true, "data": list}, nil
}

// A flowBody is the body of any of the routes: the design's names and the public
// implementation's.
type flowBody struct {
	Action   string          `json:"action"`
	Name     string          `json:"name"`
	Filename string          `json:"filename"`
	Flow     json.RawMessage `json:"flow"`
	Nodes    json.RawMessage `json:"nodes"` // the body is the flow itself

	Prompt     string `json:"prompt"`
	UserPrompt string `json:"user_prompt"`
	FlowRunID  string `json:"flow_run_id"`
	RunID      string `json:"run_id"`

	whole json.RawMessage
}

func (b flowBody) run() string { return orText(b.FlowRunID, b.RunID) }

func orText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// flowLimit bounds a body: a flow of many nodes with long prompts.
const flowLimit = 4 << 20

// A flowRefusal is an error that Agent Zero's clients show to people.
type flowRefusal string

func (e flowRefusal) Error() string { return string(e) }

// answered reads the body, lets handle answer and writes that as Agent Zero does: what is
// wrong is 200 with {ok: false, error}, what went wrong here is 500 with a text.
func (a *agentZero) answered(handle func(context.Context, flowBody) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTime)
		defer cancel()
		body, err := readFlowBody(w, r)
		var out any
		if err == nil {
			out, err = handle(ctx, body)
		}
		switch text := flowError(err); {
		case err == nil:
		case text != "":
			out = map[string]any{"ok": false, "success": false, "error": text}
		default:
			a.log.ErrorContext(ctx, "request failed", "path", r.URL.Path, "error", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the client is gone: nobody is left to be told
	}
}

// flowError is what a client reads of an error, "" for one that is ours.
func flowError(err error) string {
	var refused flowRefusal
	switch status, text := statusOf(err); {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.Is(err, engine.ErrSessionEnded):
		return "the run has ended"
	case errors.Is(err, engine.ErrVersionMismatch):
		return "somebody else has just changed the flow, load it again"
	case status != http.StatusInternalServerError:
		return text
	}
	return ""
}

func readFlowBody(w http.ResponseWriter, r *http.Request) (flowBody, error) {
	var body flowBody
	if r.Method == http.MethodGet {
		return body, nil
	}
	text, err := readLimited(w, r, flowLimit)
	if err != nil || len(text) == 0 {
		return body, err
	}
	if json.Unmarshal(text, &body) != nil {
		return body, flowRefusal("the body is no JSON object of the fields this route knows")
	}
	body.whole = text
	return body, nil
}

// templates answers the editor's question for ready-made flows: there are none of its own, the
// saved flows are in flow_list.
func (a *agentZero) templates(context.Context, flowBody) (any, error) {
	return map[string]any{"ok": true, "templates": []any{}}, nil
}
