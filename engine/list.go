package engine

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// pageSize limits a requested page size to the allowed range.
func pageSize(n int) int {
	if n <= 0 {
		return defaultPage
	}
	return min(n, maxPage)
}

// Sessions returns one page of sessions, newest first, and the cursor of the next page, nil
// after the last one.
func (e *Engine) Sessions(ctx context.Context, q SessionQuery) ([]Session, *Cursor, error) {
	q.Limit = pageSize(q.Limit)
	want := q.Limit
	q.Limit++
	q.WithState = true
	records, err := e.store.ListSessions(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	var next *Cursor
	if len(records) > want {
		records = records[:want]
		at := records[want-1].Cursor(q.OldestWaiting)
		next = &at
	}
	out := make([]Session, 0, len(records))
	for i := range records {
		s, err := e.view(ctx, &records[i])
		if err != nil {
			return nil, nil, err
		}
		out = append(out, *s)
	}
	return out, next, nil
}

// CountSessions counts the sessions of a query by status, workflow, "workflow,status" or
// step.
func (e *Engine) CountSessions(ctx context.Context, q SessionQuery, by string) (map[string]int64, error) {
	by, err := countedBy(by)
	if err != nil {
		return nil, err
	}
	return e.store.CountSessions(ctx, q, by)
}

// countedBy checks what is counted by; status if nothing is said.
func countedBy(by string) (string, error) {
	switch by {
	case "":
		return "status", nil
	case "status", "workflow", "workflow,status", "step":
		return by, nil
	}
	return "", store.Detailf(ErrBadRequest, "by is %q, want status, workflow, \"workflow,status\" or step", by)
}

// Awaiting returns the open questions of the sessions of a query, the sessions that wait
// longest first.
func (e *Engine) Awaiting(ctx context.Context, q SessionQuery) ([]Question, *Cursor, error) {
	q.Awaiting, q.OldestWaiting = true, true
	sessions, next, err := e.Sessions(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return questionsOf(sessions), next, nil
}

// questionsOf are the open questions of sessions.
func questionsOf(sessions []Session) []Question {
	out := []Question{}
	for i := range sessions {
		for _, w := range sessions[i].Awaiting {
			w.Session, w.Workflow, w.Labels = sessions[i].ID, sessions[i].Workflow, sessions[i].Labels
			if chat := sessions[i].Messages; w.Prompt == "" && len(chat) > 0 {
				w.Last = graph.CutText(chat[len(chat)-1].Content, 200)
			}
			out = append(out, w)
		}
	}
	return out
}

// State returns a session's state as it is stored, and its version.
func (e *Engine) State(ctx context.Context, id string) ([]byte, int64, error) {
	rec, err := e.store.Session(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	return rec.State, rec.Version, nil
}

// Executions returns a page of a session's history in seq order.
func (e *Engine) Executions(ctx context.Context, id string, q HistoryQuery) ([]Execution, error) {
	if _, err := e.store.Session(ctx, id); err != nil {
		return nil, err
	}
	q.Limit = pageSize(q.Limit)
	return e.store.Executions(ctx, id, q)
}

// Messages returns a page of a session's chat in order.
func (e *Engine) Messages(ctx context.Context, id string, q HistoryQuery) ([]Message, error) {
	if _, err := e.store.Session(ctx, id); err != nil {
		return nil, err
	}
	q.Limit = pageSize(q.Limit)
	return e.store.Messages(ctx, id, q)
}

// Requests returns a page of the requests that a session has received, in order.
func (e *Engine) Requests(ctx context.Context, id string, q HistoryQuery) ([]Request, error) {
	if _, err := e.store.Session(ctx, id); err != nil {
		return nil, err
	}
	q.Limit = pageSize(q.Limit)
	return e.store.AllRequests(ctx, id, q)
}

// Session returns the view of a session. It changes nothing.
func (e *Engine) Session(ctx context.Context, id string) (*Session, error) {
	rec, err := e.store.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	return e.viewWithChildren(ctx, rec)
}
