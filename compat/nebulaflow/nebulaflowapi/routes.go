package nebulaflowapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
)

// Engine contains the engine methods that NebulaFlow's messages use.
type Engine interface {
	StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	Act(ctx context.Context, a engine.Action) (*engine.Session, error)
	Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error)
	Wait(ctx context.Context, id string) (*engine.Session, error)
	Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error)
	Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error)
	EvalReference(ctx context.Context, q engine.ReferenceQuery) (*engine.ReferenceResult, error)
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Workflows(ctx context.Context) ([]engine.WorkflowInfo, error)
	Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error)
	DeleteWorkflow(ctx context.Context, id, match string) error
	Validate(w *engine.Workflow) []engine.Problem
}

// Options configure NebulaFlow's route. The zero value works.
type Options struct {
	Log *slog.Logger // slog.Default by default
	// Models returns the names of the models that clients offer; none by default.
	Models func() ([]string, error)
	// Heartbeat is the interval of pings on a connection; 15 s by default.
	Heartbeat time.Duration
}

// route is where clients connect.
const route = "/api/compat/nebulaflow"

// Limits of one connection.
const (
	queueLength = 16               // messages that wait for the client
	followLimit = 32               // sessions it follows at once
	writeTime   = 30 * time.Second // what a client may take for one message
	answerTime  = 30 * time.Second // what a command may take
)

type host struct {
	e    Engine
	o    Options
	last atomic.Pointer[string] // the workflow that was saved or loaded last, by anybody
}

// Mount mounts the WebSocket that replaces the connection between NebulaFlow's webview and its
// extension: each message is a JSON text frame. Runs are ordinary sessions, which continue
// when the connection is lost.
func Mount(r chi.Router, e Engine, o Options) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	n := &host{e: e, o: o}
	r.Get(route, n.serve)
}

// serve keeps a connection until the client goes or the server stops. A page of another
// origin is refused by Accept; without Origin (an editor, a script) the token decides.
func (n *host) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		n.o.Log.DebugContext(r.Context(), "websocket refused", "error", err)
		return // Accept has answered
	}
	ws.SetReadLimit(wire.FlowLimit)
	// When the request's context ends the client gets the reason, which needs the
	// connection: everything here lives as long as that.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(r.Context(), func() {
		code, why := websocket.StatusGoingAway, "the server stops; the sessions are kept"
		if errors.Is(context.Cause(r.Context()), access.ErrEnded) {
			code, why = websocket.StatusPolicyViolation, access.ErrEnded.Error()
		}
		_ = ws.Close(code, why) // it may be gone already
	})
	c := &conn{n: n, ws: ws, out: make(chan []byte, queueLength), asker: r.Context(), life: ctx, cancel: cancel,
		runs: map[string]*run{}, asked: map[string]*approval{}}
	c.library = &library{conn: c, dialogs: map[string]dialog{}}
	c.work.Go(func() { c.write(ctx) })
	if session := r.URL.Query().Get("session"); session != "" {
		c.report(ctx, c.followSession(ctx, session))
	}
	c.read(ctx)
	stop()
	cancel()
	_ = ws.CloseNow() // closed already unless a handler gave up
	c.work.Wait()
}
