package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Descendants filters and sorts the sessions below one.
func (s sessions) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	key := func(x *session) store.Cursor {
		if q.Awaiting {
			return store.Cursor{At: x.record.AwaitingSince, ID: x.record.ID}
		}
		return store.Cursor{ID: x.record.ID}
	}
	order := func(a, b store.Cursor) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }
	after := q.After
	if !q.Awaiting {
		after.At = store.Cursor{}.At
	}
	now := s.now()
	var rows []*session
	for _, x := range s.sessions {
		if x.below(&q, now) && (q.After.ID == "" || order(key(x), after) > 0) {
			rows = append(rows, x)
		}
	}
	slices.SortFunc(rows, func(a, b *session) int { return order(key(a), key(b)) })
	return records(firstOf(rows, q.Limit), q.WithState), nil
}

// below reports whether a session is one of those the query is for.
func (x *session) below(q *store.DescendantQuery, now time.Time) bool {
	r := &x.record
	switch {
	case !strings.HasPrefix(r.ID, q.Of+"/"),
		q.Awaiting && r.AwaitingSince.IsZero(),
		q.Moving && r.Lease == "" && (r.DueAt.IsZero() || r.Status != store.StatusActive && r.DueAt.After(now)):
		return false
	}
	return q.Step == "" || slices.ContainsFunc(x.waiting(), func(w store.Waiting) bool { return w.Step == q.Step })
}
