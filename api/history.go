package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// HistoryPage chooses a page of a session's history.
type HistoryPage struct {
	AtSession
	Paged
	Newest bool `query:"newest" doc:"true: the newest page first; next leads to older ones. Within a page the order is always oldest to newest."`
}

type executionsIn struct {
	HistoryPage
	Step string `query:"step" doc:"of one step only"`
}

func (r *historyRoutes) registerHistory() {
	register(r.routeTable, operation{id: "listMessages", method: http.MethodGet, path: "/api/v1/sessions/{session}/messages", tag: tagHistory,
		summary: "Read a session's chat", problems: []string{"session_not_found", "bad_request"}}, r.messages)
	register(r.routeTable, operation{id: "listExecutions", method: http.MethodGet, path: "/api/v1/sessions/{session}/executions", tag: tagHistory,
		summary: "Read what a session ran", problems: []string{"session_not_found", "bad_request"}}, r.executions)
}

func (r *historyRoutes) messages(ctx context.Context, in *HistoryPage) (*pageOut[Message], error) {
	q, err := in.query("messages")
	if err != nil {
		return nil, err
	}
	read := func(q engine.HistoryQuery) ([]engine.Message, error) { return r.e.Messages(ctx, in.Session, q) }
	found, next, err := pageOfHistory("messages", q, read, func(m *engine.Message) int64 { return m.N })
	if err != nil {
		return nil, err
	}
	return pageOf(messagesOf(found), next), nil
}

func (r *historyRoutes) executions(ctx context.Context, in *executionsIn) (*pageOut[Execution], error) {
	q, err := in.query("executions")
	if err != nil {
		return nil, err
	}
	q.Step, q.Lineage = in.Step, true
	read := func(q engine.HistoryQuery) ([]engine.Execution, error) { return r.e.Executions(ctx, in.Session, q) }
	found, next, err := pageOfHistory("executions", q, read, func(x *engine.Execution) int64 { return x.Seq })
	if err != nil {
		return nil, err
	}
	items := make([]Execution, len(found))
	for i := range found {
		items[i] = executionOf(&found[i])
	}
	return pageOf(items, next), nil
}

func (in *HistoryPage) query(list string) (engine.HistoryQuery, error) {
	at, err := readCursor(list, in.Cursor)
	q := engine.HistoryQuery{Limit: in.Limit}
	if in.Newest {
		q.Newest, q.Before = true, at.N
	} else {
		q.After = at.N
	}
	return q, err
}

// pageOfHistory reads a page and, when it is full, whether there is another one.
func pageOfHistory[T any](list string, q engine.HistoryQuery, read func(engine.HistoryQuery) ([]T, error), number func(*T) int64) ([]T, string, error) {
	page, err := read(q)
	if err != nil || len(page) < q.Limit {
		return page, "", err
	}
	at := number(&page[len(page)-1])
	more := q
	more.Limit, more.After = 1, at
	if q.Newest {
		at = number(&page[0])
		more.After, more.Before = 0, at
	}
	rest, err := read(more)
	if err != nil || len(rest) == 0 {
		return page, "", err
	}
	return page, cursor{List: list, N: at}.String(), nil
}
