package agentzeroapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
)

// Engine is what Agent Zero's routes ask of an engine.
type Engine interface {
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

// requestTime bounds one request.
const requestTime = time.Minute

type editor struct {
	e        Engine
	log      *slog.Logger
	profiles func() ([]Profile, error)
}

// An Profile is one as Agent Zero's editor lists them.
type Profile struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

// Mount mounts the routes of Agent Zero's flow editor, in the design's spelling and in
// that of the public implementation: what a client sends decides which fields it is answered
// with only where the two cannot stand side by side. profiles, nil for none, are what the
// drawer of a node offers.
func Mount(r chi.Router, e Engine, profiles func() ([]Profile, error), log *slog.Logger) {
	a := &editor{e, log, profiles}
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
func (a *editor) agents(_ context.Context, b flowBody) (any, error) {
	if b.Action != "" && b.Action != "list" {
		return nil, wire.Refuse(fmt.Sprintf("action %q: profiles can only be listed here; PUT /api/v1/profiles/{name} changes one", b.Action))
	}
	list := []Profile{{"default", "Default"}}
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

func (b flowBody) run() string { return cmp.Or(b.FlowRunID, b.RunID) }

// answered reads the body, lets handle answer and writes that as Agent Zero does: what is
// wrong is 200 with {ok: false, error}, what went wrong here is 500 with a text.
func (a *editor) answered(handle func(context.Context, flowBody) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTime)
		defer cancel()
		body, err := readFlowBody(w, r)
		var out any
		if err == nil {
			out, err = handle(ctx, body)
		}
		status := wire.Policy(w.Header(), err)
		switch text := wire.Shown(err); {
		case err == nil:
		case text != "":
			out = map[string]any{"ok": false, "success": false, "error": text}
		default:
			a.log.ErrorContext(ctx, "request failed", "path", r.URL.Path, "error", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if status != 0 { // of a token without the power, or beyond its quota
			w.WriteHeader(status)
		}
		_ = json.NewEncoder(w).Encode(out) // the client is gone: nobody is left to be told
	}
}

func readFlowBody(w http.ResponseWriter, r *http.Request) (flowBody, error) {
	var body flowBody
	if r.Method == http.MethodGet {
		return body, nil
	}
	text, err := wire.ReadBody(w, r, wire.FlowLimit)
	if err != nil || len(text) == 0 {
		return body, err
	}
	if json.Unmarshal(text, &body) != nil {
		return body, wire.Refuse("the body is not a JSON object of the fields this route knows")
	}
	body.whole = text
	return body, nil
}

// templates answers the editor's question for ready-made flows: there are none of its own, the
// saved flows are in flow_list.
func (a *editor) templates(context.Context, flowBody) (any, error) {
	return map[string]any{"ok": true, "templates": []any{}}, nil
}
