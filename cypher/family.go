package cypher

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Descendants returns one page of the sessions below one, found by their ids.
func (s sessions) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	rows, err := s.read(ctx, queryDescendants, params{
		"id": q.Of, "awaiting": q.Awaiting, "step": optional(q.Step), "moving": q.Moving,
		"after_id": optional(q.After.ID), "after_at": stamp(q.After.At), "limit": limit, "with_state": q.WithState,
	})
	return sessionsFrom(rows), err
}
