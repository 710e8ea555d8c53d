package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// Start starts a session; with wait the server answers at its next pause or end, or after
// that time.
func (c *sessions) Start(ctx context.Context, q engine.StartRequest, wait time.Duration) (*api.Session, error) {
	return c.change(ctx, wait, request{method: http.MethodPost, path: path("sessions"), body: api.StartBodyOf(q), key: q.Key})
}

// Answer answers a question; with wait the server answers when the session is idle again,
// or after that time.
func (c *sessions) Answer(ctx context.Context, q engine.AnswerRequest, wait time.Duration) (*api.Session, error) {
	body := struct {
		Step     string          `json:"step,omitempty"`
		Visit    int             `json:"visit,omitempty"`
		Ask      int             `json:"ask,omitempty"`
		Response json.RawMessage `json:"response"`
	}{q.Step, q.Visit, q.Ask, q.Response}
	return c.change(ctx, wait, request{method: http.MethodPost, path: path("sessions", q.Session, "answer"), body: body, key: q.Key})
}

// Act steers a session; with wait the server answers when the session is idle again, or after
// that time.
func (c *sessions) Act(ctx context.Context, a engine.Action, wait time.Duration) (*api.Session, error) {
	body := map[string]any{}
	set := func(name, value string) {
		if value != "" {
			body[name] = value
		}
	}
	switch a.Kind {
	case engine.RequestMove:
		set("from", a.Step)
		set("to", a.To)
	case engine.RequestRollback:
		set("step", a.Step)
		set("compensate", a.To)
		if a.Visit > 0 {
			body["visit"] = a.Visit
		}
	default:
		set("step", a.Step)
	}
	set("name", a.Name)
	set("reason", a.Reason)
	if len(a.Body) > 0 {
		body["body"] = a.Body
	}
	if a.NewKey {
		body["new_key"] = true
	}
	return c.change(ctx, wait, request{method: http.MethodPost, path: path("sessions", a.Session, a.Kind), body: body, key: a.Key})
}

// Session returns a session.
func (c *sessions) Session(ctx context.Context, id string) (*api.Session, error) {
	return c.session(ctx, request{method: http.MethodGet, path: path("sessions", id)})
}

func (c *sessions) session(ctx context.Context, r request) (*api.Session, error) {
	var s api.Session
	if err := c.do(ctx, r, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

// change sends a request that changes a session and returns the session: of a server as it is after at
// most wait, of an engine of this process once it is idle, since no other engine continues it.
func (c *sessions) change(ctx context.Context, wait time.Duration, r request) (*api.Session, error) {
	if c.engine == nil {
		r.query = waiting(wait)
		return c.session(ctx, r)
	}
	s, err := c.session(ctx, r)
	if err != nil {
		return nil, err
	}
	idle, err := c.engine.Rest(ctx, s.ID)
	if !idle {
		return s, err
	}
	now, err := c.Session(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	now.Accepted = s.Accepted
	return now, nil
}

// pollFirst and pollMost bound the pauses between two looks at a session.
const (
	pollFirst = 10 * time.Millisecond
	pollMost  = 500 * time.Millisecond
)

// Wait returns a session once it is idle, or ctx's error.
func (c *sessions) Wait(ctx context.Context, id string) (*api.Session, error) {
	if c.engine != nil {
		if _, err := c.engine.Rest(ctx, id); err != nil {
			return nil, err
		}
	}
	for pause := pollFirst; ; pause = min(2*pause, pollMost) {
		s, err := c.Session(ctx, id)
		if err != nil || isIdle(s) {
			return s, err
		}
		if err := sleep.For(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// isIdle reports whether a session waits for a person: an answer that is accepted and not applied
// yet will continue it.
func isIdle(s *api.Session) bool {
	if s.Status == engine.StatusActive {
		return false
	}
	for _, q := range s.Awaiting {
		if q.Answered {
			return s.Status == engine.StatusPaused
		}
	}
	return true
}

// Sessions returns a page of sessions; Next of it is where the next begins, "" at the end.
func (c *sessions) Sessions(ctx context.Context, q engine.SessionQuery, after string) (*api.Page[api.Session], error) {
	var list api.Page[api.Session]
	if err := c.do(ctx, request{method: http.MethodGet, path: path("sessions"), query: page(filterOf(q), q.Limit, after)}, &list); err != nil {
		return nil, err
	}
	return &list, nil
}

// filterOf is a filter as the query says it.
func filterOf(q engine.SessionQuery) url.Values {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	at := func(name string, t time.Time) {
		if !t.IsZero() {
			query.Set(name, t.UTC().Format(time.RFC3339Nano))
		}
	}
	set("status", strings.Join(q.Status, ","))
	set("workflow", q.Workflow)
	set("step", q.Step)
	set("q", q.Text)
	set("root", q.Root)
	at("created_after", q.CreatedAfter)
	at("created_before", q.CreatedBefore)
	at("waiting_before", q.WaitingBefore)
	if q.Awaiting {
		query.Set("awaiting", "true")
	}
	for name, value := range q.Labels {
		query.Add("label", name+"="+value)
	}
	return query
}

// page adds what a page is asked for by.
func page(query url.Values, limit int, cursor string) url.Values {
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}

// CountSessions counts the sessions of a filter by status, workflow, both or step;
// where an answer is of some of them only, it asks for the others as well.
func (c *sessions) CountSessions(ctx context.Context, q engine.SessionQuery, by string) (*api.Counts, error) {
	query := filterOf(q)
	query.Set("by", by)
	sum, err := get[api.Counts](ctx, c.connection, query, "sessions", "count")
	if err != nil {
		return nil, err
	}
	for sum.Next != "" {
		query.Set("cursor", sum.Next)
		more, err := get[api.Counts](ctx, c.connection, query, "sessions", "count")
		if err != nil {
			return nil, err
		}
		for name, n := range more.Counts {
			sum.Counts[name] += n
		}
		sum.Total, sum.Looked, sum.Next = sum.Total+more.Total, sum.Looked+more.Looked, more.Next
	}
	return sum, nil
}

// Awaiting returns a page of the open questions of the sessions of a filter, those that
// wait longest first.
func (c *sessions) Awaiting(ctx context.Context, q engine.SessionQuery, after string) (*api.Page[engine.Question], error) {
	return get[api.Page[engine.Question]](ctx, c.connection, page(filterOf(q), q.Limit, after), "awaiting")
}

// get reads what stands at a path.
func get[T any](ctx context.Context, c *connection, query url.Values, segments ...string) (*T, error) {
	out := new(T)
	if err := c.do(ctx, request{method: http.MethodGet, path: path(segments...), query: query}, out); err != nil {
		return nil, err
	}
	return out, nil
}

// send does a request and returns what it answers.
func send[T any](ctx context.Context, c *connection, r request) (*T, error) {
	out := new(T)
	if err := c.do(ctx, r, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Fork starts a session as another one was when a visit began.
func (c *sessions) Fork(ctx context.Context, q engine.ForkRequest, wait time.Duration) (*api.Session, error) {
	body := api.ForkBody{Step: q.Step, Visit: q.Visit, State: q.State, Until: q.Until, ID: q.ID}
	return c.change(ctx, wait, request{method: http.MethodPost, path: path("sessions", q.Session, "fork"), body: body, key: q.Key})
}

// Explain tells why a session does not go on.
func (c *sessions) Explain(ctx context.Context, id string) (*engine.Explanation, error) {
	return get[engine.Explanation](ctx, c.connection, nil, "sessions", id, "explain")
}

// EvalReference gives what a text resolves to on a session.
func (c *sessions) EvalReference(ctx context.Context, q engine.ReferenceQuery) (*engine.ReferenceResult, error) {
	body := api.ReferenceBody{EvalOn: api.EvalOn{Session: q.Session}, Text: &q.Text}
	if q.Whole {
		if !json.Valid([]byte(q.Text)) {
			return nil, fmt.Errorf("%w: the input is not valid JSON", engine.ErrBadRequest)
		}
		body.Text, body.Input = nil, json.RawMessage(q.Text)
	}
	return send[engine.ReferenceResult](ctx, c.connection, request{method: http.MethodPost, path: path("eval", "reference"), body: body})
}

// EvalCondition gives whether a condition holds on a session, and why.
func (c *sessions) EvalCondition(ctx context.Context, q engine.ConditionQuery) (*engine.ConditionResult, error) {
	body := map[string]any{"session": q.Session, "condition": q.Condition}
	if q.Operator != "" {
		body["operator"] = q.Operator
	}
	return send[engine.ConditionResult](ctx, c.connection, request{method: http.MethodPost, path: path("eval", "condition"), body: body})
}

// DeleteSession deletes a session, one that has not ended only with cancel.
func (c *sessions) DeleteSession(ctx context.Context, id string, cancel bool) error {
	r := request{method: http.MethodDelete, path: path("sessions", id)}
	if cancel {
		r.query = url.Values{"cancel": {"true"}}
	}
	return c.do(ctx, r, nil)
}

// State returns a session's state and version.
func (c *sessions) State(ctx context.Context, id string) ([]byte, int64, error) {
	var text []byte
	header, err := c.header(ctx, request{method: http.MethodGet, path: path("sessions", id, "state")}, &text)
	if err != nil {
		return nil, 0, err
	}
	version, err := strconv.ParseInt(strings.Trim(strings.TrimPrefix(header.Get("ETag"), "W/"), `"`), 10, 64)
	return text, version, err
}

// EditState replaces a session's state if it still has version.
func (c *sessions) EditState(ctx context.Context, id string, version int64, text []byte) (*api.Session, error) {
	return c.change(ctx, 0, request{method: http.MethodPut, path: path("sessions", id, "state"), match: etag(version), body: json.RawMessage(text)})
}
