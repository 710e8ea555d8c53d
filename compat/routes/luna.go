package compat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsonbody"
)

// Engine is what LUNA's routes ask of an engine.
type Engine interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error)
	Wait(ctx context.Context, id string) (*engine.Session, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error)
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
}

// Bounds of LUNA's routes.
const (
	turnTime    = 30 * time.Second // how long a turn may take before the session is shown as it is
	requestTime = turnTime + 30*time.Second
	bodyLimit   = 1 << 20
	shownLimit  = 500 // messages
)

// version is what LUNA says of itself; its clients may look.
const version = "0.1.0"

type luna struct {
	e   Engine
	log *slog.Logger
}

// Luna mounts LUNA's routes.
func Luna(r chi.Router, e Engine, log *slog.Logger) {
	l := &luna{e, log}
	r.Get("/api/health", func(w http.ResponseWriter, _ *http.Request) {
		l.write(w, http.StatusOK, map[string]string{"status": "ok", "version": version})
	})
	r.Post("/api/session", l.bounded(l.create))
	r.Post("/api/session/{id}/message", l.bounded(l.message))
	r.Get("/api/session/{id}", l.bounded(l.get))
}

// A lunaSession is a session as LUNA shows it. SessionID is not in the answer to a
// message.
type lunaSession struct {
	SessionID string          `json:"session_id,omitempty"`
	Status    string          `json:"status"`
	Messages  []lunaMessage   `json:"messages"`
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
	if s, err = l.rest(ctx, s.ID); err != nil {
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
		return &refusal{http.StatusBadRequest, "message is missing"}
	}
	id := r.PathValue("id")
	s, err := l.e.Session(ctx, id)
	if err != nil {
		return err
	}
	if len(s.Awaiting) == 0 && s.Status == engine.StatusActive {
		if _, err = l.rest(ctx, id); err != nil {
			return err
		}
	}
	_, refused := l.e.Answer(ctx, engine.AnswerRequest{Session: id, Response: body.Message, Key: r.Header.Get("Idempotency-Key"), By: "luna"})
	status, text := statusOf(refused)
	if refused != nil && status != http.StatusConflict && status != http.StatusUnprocessableEntity {
		return refused
	}
	if s, err = l.rest(ctx, id); err != nil {
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

// rest waits for the session's next pause or end, as long as LUNA would.
func (l *luna) rest(ctx context.Context, id string) (*engine.Session, error) {
	limited, cancel := context.WithTimeoutCause(ctx, turnTime, errTurnOver)
	defer cancel()
	s, err := l.e.Wait(limited, id)
	if err != nil && context.Cause(limited) == errTurnOver {
		return l.e.Session(ctx, id)
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
	out := lunaSession{Status: s.Status, Messages: messages, Awaiting: awaiting, Error: problem}
	if named {
		out.SessionID = s.ID
	}
	l.write(w, status, out)
	return nil
}

// A refusal is a request that is wrong in itself.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

// bounded gives a request its time and answers its error as LUNA does, {error}.
func (l *luna) bounded(handle func(context.Context, http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTime)
		defer cancel()
		err := handle(ctx, w, r)
		if err == nil {
			return
		}
		status, text := statusOf(err)
		if status == http.StatusInternalServerError {
			l.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		}
		l.write(w, status, map[string]string{"error": text})
	}
}

// statusOf is an error's status and what the client reads of it; 200 for none.
func statusOf(err error) (int, string) {
	var refused *refusal
	switch {
	case err == nil:
		return http.StatusOK, ""
	case errors.As(err, &refused):
		return refused.status, refused.text
	case errors.Is(err, engine.ErrSessionNotFound), errors.Is(err, engine.ErrWorkflowNotFound):
		return http.StatusNotFound, err.Error()
	case errors.Is(err, engine.ErrBadRequest):
		return http.StatusBadRequest, err.Error()
	case errors.Is(err, engine.ErrNoOpenQuestion), errors.Is(err, engine.ErrAlreadyAnswered):
		return http.StatusConflict, err.Error()
	case errors.Is(err, engine.ErrAnswerInvalid), errors.Is(err, engine.ErrNoEntry), errors.Is(err, engine.ErrKeyReused):
		return http.StatusUnprocessableEntity, explained(err)
	case errors.Is(err, engine.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, err.Error()
	case errors.Is(err, engine.ErrOverloaded):
		return http.StatusTooManyRequests, err.Error()
	case errors.Is(err, engine.ErrUnavailable), errors.Is(err, engine.ErrUnknownOutcome), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "not now, try again"
	case errors.Is(err, context.Canceled):
		return 499, "the client went away"
	}
	return http.StatusInternalServerError, "internal error"
}

// explained adds to an error where the answer is wrong.
func explained(err error) string {
	text := err.Error()
	var d *engine.DetailError
	if errors.As(err, &d) {
		for _, f := range d.Faults {
			text += ": " + f.Message
		}
	}
	return text
}

// readObject reads a body that must be a JSON object.
func readObject(w http.ResponseWriter, r *http.Request, into any) error {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &refusal{http.StatusRequestEntityTooLarge, "body is too large"}
	case err != nil:
		return &refusal{http.StatusBadRequest, "body could not be read: " + err.Error()}
	}
	if err := jsonbody.Check(text); err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return &refusal{http.StatusBadRequest, "body is no JSON object"}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	return nil
}

func (l *luna) write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone: nobody is left to be told
}
