package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// A Request is one message that came to a session from outside.
type Request struct {
	ID      string          `json:"id" doc:"session/key"`
	N       int64           `json:"n" doc:"1, 2, … within the session"`
	Kind    string          `json:"kind" doc:"answer, signal, pause, resume, cancel, retry, advance, move, reask, rollback, state (an edit of it), start, child_ended, lost"`
	Step    string          `json:"step,omitempty"`
	Visit   int             `json:"visit,omitempty"`
	Ask     int             `json:"ask,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
	By      string          `json:"by,omitempty" doc:"who, where known"`
	At      time.Time       `json:"at"`
	Applied bool            `json:"applied"`
	Outcome string          `json:"outcome,omitempty" doc:"what applying it did"`
}

func requestOf(q *engine.Request) Request {
	return Request{ID: q.ID, N: q.N, Kind: q.Kind, Step: q.Step, Visit: q.Visit, Ask: q.Ask, Body: q.Body, By: q.By,
		At: q.At.UTC(), Applied: q.Applied, Outcome: q.Outcome}
}

func (r *sessionRoutes) registerRequests() {
	register(r.routeTable, operation{id: "listRequests", method: http.MethodGet, path: "/api/v1/sessions/{session}/requests", tag: tagHistory,
		summary: "Read the requests to a session: answers, signals and operators' actions", problems: []string{"session_not_found", "bad_request"}}, r.requests)
}

func (r *sessionRoutes) requests(ctx context.Context, in *HistoryPage) (*pageOut[Request], error) {
	q, err := in.query("requests")
	if err != nil {
		return nil, err
	}
	read := func(q engine.HistoryQuery) ([]engine.Request, error) { return r.e.Requests(ctx, in.Session, q) }
	found, next, err := pageOfHistory("requests", q, read, func(q *engine.Request) int64 { return q.N })
	if err != nil {
		return nil, err
	}
	items := make([]Request, len(found))
	for i := range found {
		items[i] = requestOf(&found[i])
	}
	return pageOf(items, next), nil
}
