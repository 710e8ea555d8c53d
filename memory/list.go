package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

// defaultLimit is the number of rows of a page when the query sets none.
const defaultLimit = 50

// sessions are created, read, listed, counted and deleted.
type sessions struct{ *data }

// Session returns a copy of one session.
func (s sessions) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return nil, fmt.Errorf("session %s: %w", id, store.ErrSessionNotFound)
	}
	r := cloneRecord(x.record)
	return &r, nil
}

// SessionsByID returns those that exist, each once.
func (s sessions) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []store.SessionRecord
	for _, id := range sortedIDs(ids) {
		if x := s.sessions[id]; x != nil {
			out = append(out, cloneRecord(x.record))
		}
	}
	return out, nil
}

// ListSessions filters and sorts all sessions.
func (s sessions) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return records(s.page(q), q.WithState), nil
}

// firstOf are the first sessions, defaultLimit of them where there is no limit.
func firstOf(rows []*session, limit int) []*session {
	if limit <= 0 {
		limit = defaultLimit
	}
	return rows[:min(limit, len(rows))]
}

func records(rows []*session, withState bool) (out []store.SessionRecord) {
	for _, x := range rows {
		r := x.record
		if !withState {
			r.State = nil
		}
		out = append(out, cloneRecord(r))
	}
	return out
}

// page returns the sessions of one page, in its order.
func (s sessions) page(q store.SessionQuery) []*session {
	rows := s.matching(q)
	if q.OldestWaiting {
		rows = slices.DeleteFunc(rows, func(x *session) bool { return x.record.AwaitingSince.IsZero() })
	}
	if q.After != (store.Cursor{}) {
		rows = slices.DeleteFunc(rows, func(x *session) bool { return compareCursors(q, cursor(q, x), q.After) <= 0 })
	}
	slices.SortFunc(rows, func(a, b *session) int { return compareCursors(q, cursor(q, a), cursor(q, b)) })
	return firstOf(rows, q.Limit)
}

// Candidates are the sessions that have the workflow and the status, where a text or labels are
// looked for as well.
func (s sessions) Candidates(ctx context.Context, q store.SessionQuery, _ string) ([]store.Cursor, bool, error) {
	if err := s.begin(ctx); err != nil {
		return nil, false, err
	}
	defer s.mu.Unlock()
	if q.IDs != nil || q.Text == "" && len(q.Labels) == 0 {
		return nil, true, nil
	}
	q.Text, q.Labels = "", nil
	var found []store.Cursor
	for _, x := range s.page(q) {
		found = append(found, cursor(q, x))
	}
	return found, false, nil
}

// cursor is the sort key of a session in the order of the query.
func cursor(q store.SessionQuery, x *session) store.Cursor {
	if q.OldestWaiting {
		return store.Cursor{At: x.record.AwaitingSince, ID: x.record.ID}
	}
	return store.Cursor{At: x.record.CreatedAt, ID: x.record.ID}
}

// compareCursors is negative when a comes before b in the order of the query.
func compareCursors(q store.SessionQuery, a, b store.Cursor) int {
	order := cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	if q.OldestWaiting {
		return order
	}
	return -order
}

// CountSessions counts the sessions of a query in groups.
func (s sessions) CountSessions(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	groups, ok := groupings[by]
	if !ok {
		return nil, fmt.Errorf("count sessions by %q: %w: status, workflow, \"workflow,status\" or step", by, store.ErrBadRequest)
	}
	counts := make(map[string]int64)
	for _, x := range s.matching(q) {
		for _, group := range groups(x) {
			counts[group]++
		}
	}
	return counts, nil
}

// groupings name the groups a session counts in.
var groupings = map[string]func(x *session) []string{
	"status":          func(x *session) []string { return []string{x.record.Status} },
	"workflow":        func(x *session) []string { return []string{x.record.Workflow} },
	"workflow,status": func(x *session) []string { return []string{x.record.Workflow + "," + x.record.Status} },
	"step": func(x *session) []string {
		var groups []string
		for _, w := range x.waiting() {
			groups = append(groups, x.record.Workflow+"/"+w.Step)
		}
		return groups
	},
}

// Children returns ids in order.
func (s sessions) Children(ctx context.Context, parent string) ([]string, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.sessions[parent]
	if x == nil {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(x.children)), nil
}

// waiting returns the open questions; a text that does not parse has none.
func (x *session) waiting() []store.Waiting {
	var list []store.Waiting
	if len(x.record.Awaiting) > 0 {
		_ = json.Unmarshal(x.record.Awaiting, &list)
	}
	return list
}

// matching returns the sessions a query lets through, in no order.
func (s sessions) matching(q store.SessionQuery) []*session {
	var rows []*session
	if len(q.IDs) == 0 {
		for _, x := range s.sessions {
			if x.matches(&q) {
				rows = append(rows, x)
			}
		}
		return rows
	}
	for _, id := range sortedIDs(q.IDs) {
		if x := s.sessions[id]; x != nil && x.matches(&q) {
			rows = append(rows, x)
		}
	}
	return rows
}

// matches checks every filter except the ids.
func (x *session) matches(q *store.SessionQuery) bool {
	r := &x.record
	switch {
	case len(q.Status) > 0 && !slices.Contains(q.Status, r.Status),
		q.Workflow != "" && r.Workflow != q.Workflow,
		len(q.Workflows) > 0 && !slices.ContainsFunc(q.Workflows, func(pattern string) bool { return fitsWorkflow(pattern, r.Workflow) }),
		q.Root != "" && r.Root != q.Root,
		q.Awaiting && len(r.Awaiting) == 0,
		!q.CreatedBefore.IsZero() && !r.CreatedAt.Before(q.CreatedBefore),
		!q.CreatedAfter.IsZero() && !r.CreatedAt.After(q.CreatedAfter),
		!q.WaitingBefore.IsZero() && (r.AwaitingSince.IsZero() || !r.AwaitingSince.Before(q.WaitingBefore)),
		q.Text != "" && !bytes.Contains(r.State, []byte(q.Text)):
		return false
	}
	for name, value := range q.Labels {
		if got, ok := r.Labels[name]; !ok || got != value {
			return false
		}
	}
	return q.Step == "" || slices.ContainsFunc(x.waiting(), func(w store.Waiting) bool { return w.Step == q.Step })
}

// fitsWorkflow reports whether a workflow equals a pattern or, for a pattern that ends in *, has its prefix.
func fitsWorkflow(pattern, workflow string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(workflow, prefix)
	}
	return workflow == pattern
}
