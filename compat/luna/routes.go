package luna

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsonbody"
)

// Engine contains the engine methods that LUNA's routes use.
type Engine interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error)
	WaitAfter(ctx context.Context, s *engine.Session) (*engine.Session, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error)
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
}

// Limits of LUNA's routes.
const (
	turnTime    = 30 * time.Second // how long a turn may take before the session is shown as it is
	requestTime = turnTime + 30*time.Second
	bodyLimit   = 1 << 20
	shownLimit  = 500 // messages
)

// version is the version in LUNA's health response, which its clients may check.
const version = "0.1.0"

type luna struct {
	e   Engine
	log *slog.Logger
}

// Mount mounts LUNA's routes.
func Mount(r chi.Router, e Engine, log *slog.Logger) {
	l := &luna{e, log}
	r.Get("/api/health", func(w http.ResponseWriter, _ *http.Request) {
		l.write(w, http.StatusOK, map[string]string{"status": "ok", "version": version})
	})
	r.Post("/api/session", l.bounded(l.create))
	r.Post("/api/session/{id}/message", l.bounded(l.message))
	r.Get("/api/session/{id}", l.bounded(l.get))
}

// A session is a session as LUNA shows it. SessionID is not in the answer to a
// message.
type session struct {
	SessionID string          `json:"session_id,omitempty"`
	Status    string          `json:"status"`
	Messages  []message       `json:"messages"`
	Awaiting  json.RawMessage `json:"awaiting_input"`
	Error     string          `json:"error,omitempty"`
}

func (l *luna) create(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Workflow string          `json:"workflow_id"`
		Initial  json.RawMessage `json:"initial_data"`
	}
	if err := readObject(w, r, &body); err != nil {
		return err
	}
	workflow, entry, err := l.entryOf(ctx, body.Workflow)
	if err != nil {
		return err
	}
	s, err := l.e.Start(ctx, engine.StartRequest{Workflow: workflow, Entry: entry, Inputs: body.Initial, Key: r.Header.Get("Idempotency-Key")})
	if err != nil {
		return err
	}
	if s, err = l.rest(ctx, s); err != nil {
		return err
	}
	return l.show(ctx, w, s, http.StatusOK, true, "")
}

// entryOf reads LUNA's workflow_id, which is a step of the one graph it knows.
func (l *luna) entryOf(ctx context.Context, id string) (workflow, entry string, err error) {
	if id == "" || id == engine.DefaultWorkflow {
		return "", "", nil
	}
	_, notFound := l.e.Workflow(ctx, id)
	if !errors.Is(notFound, engine.ErrWorkflowNotFound) {
		return id, "", notFound
	}
	w, err := l.e.Workflow(ctx, engine.DefaultWorkflow)
	if err == nil && w.Step(id) != nil {
		return engine.DefaultWorkflow, id, nil
	}
	if err != nil && !errors.Is(err, engine.ErrWorkflowNotFound) {
		return "", "", err
	}
	return "", "", notFound
}

func (l *luna) message(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Message json.RawMessage `json:"message"`
	}
	if err := readObject(w, r, &body); err != nil {
		return err
	}
	if len(body.Message) == 0 || string(body.Message) == "null" || string(body.Message) == `""` {
		return wire.Refuse("message is missing")
	}
	id := r.PathValue("id")
	s, err := l.e.Session(ctx, id)
	if err != nil {
		return err
	}
	if len(s.Awaiting) == 0 && s.Status == engine.StatusActive {
		if _, err = l.rest(ctx, s); err != nil {
			return err
		}
	}
	answered, refused := l.e.Answer(ctx, engine.AnswerRequest{Session: id, Response: body.Message, Key: r.Header.Get("Idempotency-Key"), By: "luna"})
	status, text := wire.StatusOf(refused)
	if refused != nil && status != http.StatusConflict && status != http.StatusUnprocessableEntity {
		return refused
	}
	if answered == nil {
		answered = s
	}
	if s, err = l.rest(ctx, answered); err != nil {
		return err
	}
	return l.show(ctx, w, s, status, false, text)
}

func (l *luna) get(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	s, err := l.e.Session(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	return l.show(ctx, w, s, http.StatusOK, true, "")
}

var errTurnOver = errors.New("the turn takes long")

// rest waits for the next pause or end of a session after it was as made says, as long as LUNA
// would.
func (l *luna) rest(ctx context.Context, made *engine.Session) (*engine.Session, error) {
	limited, cancel := context.WithTimeoutCause(ctx, turnTime, errTurnOver)
	defer cancel()
	s, err := l.e.WaitAfter(limited, made)
	if err != nil && context.Cause(limited) == errTurnOver {
		return l.e.Session(ctx, made.ID)
	}
	return s, err
}

func (l *luna) show(ctx context.Context, w http.ResponseWriter, s *engine.Session, status int, named bool, problem string) error {
	messages, err := l.messages(ctx, s)
	if err != nil {
		return err
	}
	awaiting, err := l.awaiting(ctx, s)
	if err != nil {
		return err
	}
	out := session{Status: s.Status, Messages: messages, Awaiting: awaiting, Error: problem}
	if named {
		out.SessionID = s.ID
	}
	l.write(w, status, out)
	return nil
}

// bounded gives a request its time and answers its error as LUNA does, {error}.
func (l *luna) bounded(handle func(context.Context, http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTime)
		defer cancel()
		err := handle(ctx, w, r)
		if err == nil {
			return
		}
		status, text := wire.StatusOf(err)
		wire.Policy(w.Header(), err)
		if status == http.StatusInternalServerError {
			l.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		}
		l.write(w, status, map[string]string{"error": text})
	}
}

// readObject reads a body that must be a JSON object.
func readObject(w http.ResponseWriter, r *http.Request, into any) error {
	text, err := wire.ReadBody(w, r, bodyLimit)
	if err != nil {
		return err
	}
	if err := jsonbody.Check(text); err != nil {
		return wire.Refuse(err.Error())
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return wire.Refuse("body is not a JSON object")
	}
	if err := json.Unmarshal(text, into); err != nil {
		return wire.Refuse(source.InWords(err).Error())
	}
	return nil
}

func (l *luna) write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone: the error has no reader
}
