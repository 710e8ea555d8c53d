package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

type awaitingIn struct {
	SessionFilter
	Paged
}

func (r *sessionRoutes) registerAwaiting() {
	register(r.routeTable, operation{id: "listAwaiting", method: http.MethodGet, path: "/api/v1/awaiting", tag: tagPeople,
		summary: "List what waits for a person, the oldest first",
		about:   "A page holds the questions of up to `limit` sessions, those that wait longest first. " + searchAbout, problems: []string{"bad_request"}}, r.awaiting)
}

func (r *sessionRoutes) awaiting(ctx context.Context, in *awaitingIn) (*foundOut[engine.Question], error) {
	at, err := readCursor("awaiting", in.Cursor)
	if err != nil {
		return nil, err
	}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Limit, q.After = in.Limit, engine.Cursor{At: at.At, ID: at.ID}
	page, err := r.e.SearchAwaiting(ctx, q)
	if err != nil {
		return nil, err
	}
	return foundOf(page.Questions, rowCursor("awaiting", page.Next), page.Looked), nil
}
