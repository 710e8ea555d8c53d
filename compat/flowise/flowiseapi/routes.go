package flowiseapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Engine contains the engine methods that Flowise's routes use.
type Engine interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error)
	Act(ctx context.Context, a engine.Action) (*engine.Session, error)
	WaitAfter(ctx context.Context, s *engine.Session) (*engine.Session, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	Sessions(ctx context.Context, q engine.SessionQuery) ([]engine.Session, *engine.Cursor, error)
	CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
	Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error)
	Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error)
	EvalReference(ctx context.Context, q engine.ReferenceQuery) (*engine.ReferenceResult, error)
	Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error)
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Workflows(ctx context.Context) ([]engine.WorkflowInfo, error)
	// Put is called with Force, because Flowise's editor saves unfinished flows.
	Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error)
	DeleteWorkflow(ctx context.Context, id, match string) error
}

// Options configure Flowise's routes.
type Options struct {
	Log *slog.Logger
	// Variables returns the configured variables by name: a request that overrides some of
	// them runs with all. None by default.
	Variables func() (map[string]json.RawMessage, error)
	// Secrets stores the tokens and secrets of flows; by default they stay in the workflow.
	Secrets Secrets
	// MayEdit reports whether the caller may change flows, and so see the tokens for calling
	// them; nil: everybody may.
	MayEdit func(ctx context.Context) bool
	// Serve serves a call of a published flow by next, or refuses it. The caller has shown the
	// flow's own token and is not known to the server; nil: next serves.
	Serve func(next http.Handler, w http.ResponseWriter, r *http.Request, caller string)
	// Wrong is called before a call with a wrong token is answered; nil: nothing is.
	Wrong func(w http.ResponseWriter, r *http.Request)
}

// An api answers Flowise's routes. chatflows store flows and their secrets; turns play a flow
// for one message of a person.
type api struct {
	e     Engine
	o     Options
	flows *chatflows
	turns *turns
}

type chatflows struct {
	e Engine
	o Options
}

type turns struct {
	e     Engine
	o     Options
	flows *chatflows
}

func newAPI(e Engine, o Options) *api {
	flows := &chatflows{e, o}
	return &api{e, o, flows, &turns{e, o, flows}}
}

// Mount mounts the routes with which Flowise clients save and run agent flows.
func Mount(r chi.Router, e Engine, o Options) {
	f := newAPI(e, o)
	for route, handle := range map[string]handler{
		"GET /api/v1/chatflows":                     f.flows.listFlows,
		"POST /api/v1/chatflows":                    f.flows.createFlow,
		"GET /api/v1/chatflows/{id}":                f.flows.getFlow,
		"PUT /api/v1/chatflows/{id}":                f.flows.updateFlow,
		"DELETE /api/v1/chatflows/{id}":             f.flows.deleteFlow,
		"POST /api/v1/prediction/{id}":              f.turns.predict,
		"POST /api/v1/attachments/{id}/{chat}":      f.flows.attach,
		"GET /api/v1/executions":                    f.listExecutions,
		"GET /api/v1/executions/{id}":               f.getExecution,
		"GET /api/v1/chatmessage/{id}":              f.listMessages,
		"PUT /api/v1/chatmessage/abort/{id}/{chat}": f.abort,
		"GET /api/v1/public-chatbotConfig/{id}":     f.flows.chatbotConfig,
		"POST /api/v1/mcp-server/{id}":              f.publish,
		"DELETE /api/v1/mcp-server/{id}":            f.unpublish,
	} {
		method, path, _ := strings.Cut(route, " ")
		r.Method(method, path, f.answered(handle))
	}
	r.Handle("/api/v1/webhook/{id}", f.answered(f.webhook))
}

// MountOpen mounts the routes that Flowise clients call without an API key of this server: the
// health check, whether a flow can be streamed (always yes, so that it does not reveal which
// flows exist), and the tools that flows are published as, each with a token of its own.
func MountOpen(r chi.Router, e Engine, o Options) {
	f := newAPI(e, o)
	r.Post("/api/v1/mcp/{id}", f.callTool)
	r.Get("/api/v1/ping", ping)
	r.Get("/api/v1/chatflows-streaming/{id}", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]bool{"isStreaming": true})
	})
}

type handler func(w http.ResponseWriter, r *http.Request) error

// A refusal is an error as Flowise answers it.
type refusal struct {
	status  int
	message string
}

func (e *refusal) Error() string { return e.message }

// runRefusal is an error of a run: Flowise answers all of them with 500.
func runRefusal(message string) error {
	return &refusal{http.StatusInternalServerError, "Error: predictionsServices.buildChatflow - " + message}
}

// answered writes the error of a handler as Flowise does; what is our fault is logged.
func (f *api) answered(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := handle(w, r)
		if err == nil {
			return
		}
		wire.Policy(w.Header(), err)
		refused := refusalOf(r.Context(), f.o.Log, r.URL.Path, err)
		writeJSON(w, refused.status, map[string]any{"statusCode": refused.status, "success": false, "message": refused.message, "stack": struct{}{}})
	}
}

// refusalOf is the answer that a client gets for an error.
func refusalOf(ctx context.Context, log *slog.Logger, path string, err error) *refusal {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused
	}
	if errors.Is(context.Cause(ctx), access.ErrEnded) {
		return &refusal{http.StatusUnauthorized, access.ErrEnded.Error()}
	}
	status, text := wire.StatusOf(err)
	if status == http.StatusInternalServerError {
		log.ErrorContext(ctx, "request failed", "path", path, "error", err)
		text = "Internal Server Error"
	}
	return &refusal{status, text}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // the client is gone: there is no one to report to
}

func ping(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("pong")) // the client is gone: there is no one to report to
}

// readJSON reads a JSON object of a body.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	text, err := wire.ReadBody(w, r, wire.FlowLimit)
	if err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	if len(text) == 0 {
		text = []byte("{}")
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &refusal{http.StatusBadRequest, "the body is not a JSON object of the fields this route knows: " + source.InWords(err).Error()}
	}
	return nil
}

// isFlow reports whether a workflow is a flow, and not one made for a request.
func isFlow(w *engine.Workflow) bool {
	return w.Extra["source_format"] == flowise.Format && w.Extra[variantProperty] == nil
}
