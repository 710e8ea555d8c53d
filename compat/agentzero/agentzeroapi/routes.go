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
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Engine contains the engine methods that Agent Zero's routes use.
type Engine interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
	Act(ctx context.Context, a engine.Action) (*engine.Session, error)
	DeleteSession(ctx context.Context, id string, cancel bool) error
	EvalReference(ctx context.Context, q engine.ReferenceQuery) (*engine.ReferenceResult, error)
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

// A Profile is an agent profile as Agent Zero's editor lists it.
type Profile struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

// Mount mounts the routes of Agent Zero's flow editor for clients of the design document and
// of the public implementation. Responses contain the fields of both where they do not
// conflict; otherwise the fields of the request decide. profiles, nil for none, returns the
// agent profiles that the editor offers.
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

// agents lists the profiles, beginning with the default one, which Agent Zero always has.
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

// A flowBody is the request body of any route, with the field names of the design document and
// of the public implementation.
type flowBody struct {
	Action   string          `json:"action"`
	Name     string          `json:"name"`
	Filename string          `json:"filename"`
	Flow     json.RawMessage `json:"flow"`
	Nodes    json.RawMessage `json:"nodes"` // set if the body is the flow itself

	Prompt     string `json:"prompt"`
	UserPrompt string `json:"user_prompt"`
	FlowRunID  string `json:"flow_run_id"`
	RunID      string `json:"run_id"`

	whole json.RawMessage
}

func (b flowBody) run() string { return cmp.Or(b.FlowRunID, b.RunID) }

// answered decodes the body, calls handle and encodes the response as Agent Zero does: an
// error of the client is 200 with {ok: false, error}, an error of the server is 500 with a
// text.
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
		if status != 0 { // the token lacks the permission, or its quota is exceeded
			w.WriteHeader(status)
		}
		_ = json.NewEncoder(w).Encode(out) // fails only if the client is gone
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
	if err := json.Unmarshal(text, &body); err != nil {
		return body, wire.Refuse("the body is not a JSON object of the fields this route knows: " + source.InWords(err).Error())
	}
	body.whole = text
	return body, nil
}

// templates returns an empty list: there are no templates, and saved flows are in flow_list.
func (a *editor) templates(context.Context, flowBody) (any, error) {
	return map[string]any{"ok": true, "templates": []any{}}, nil
}
