package memory

import (
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// retention removes old sessions, and has the duties that one engine takes at a time.
type retention struct{ *data }

// OldestSessions sorts all sessions.
func (s retention) OldestSessions(ctx context.Context, after store.Cursor, limit int) ([]store.SessionRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	q := store.SessionQuery{}
	var rows []*session
	for _, x := range s.sessions {
		if after.At.IsZero() || compareCursors(q, cursor(q, x), after) < 0 {
			rows = append(rows, x)
		}
	}
	slices.SortFunc(rows, func(a, b *session) int { return compareCursors(q, cursor(q, b), cursor(q, a)) })
	var out []store.SessionRecord
	for _, x := range rows[:min(limit, len(rows))] {
		r := x.record
		r.State, r.Counters = nil, nil
		out = append(out, cloneRecord(r))
	}
	return out, nil
}

// Parents looks at all sessions.
func (s retention) Parents(ctx context.Context, ids []string) ([]string, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	above := map[string]bool{}
	for id := range s.sessions {
		for i := range id {
			if id[i] == '/' {
				above[id[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !above[id] }), nil
}

// RemoveFamilies removes everything in one call.
func (s retention) RemoveFamilies(ctx context.Context, families [][]store.SessionMark) ([]store.Removal, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	outcomes := make([]store.Removal, len(families))
	for i, marks := range families {
		outcomes[i] = s.removeFamily(marks)
	}
	return outcomes, nil
}

func (s retention) removeFamily(marks []store.SessionMark) store.Removal {
	ids := map[string]bool{}
	for _, m := range marks {
		ids[m.ID] = true
		if x := s.sessions[m.ID]; x != nil && (x.record.Mark() != m || !x.record.DueAt.IsZero() || x.record.Held(s.now())) {
			return store.Changed
		}
	}
	for _, b := range s.batches {
		if b.record.Phase == store.BatchComplete || b.record.Phase == store.BatchStopped {
			continue
		}
		if slices.ContainsFunc(b.items, func(i store.BatchItem) bool { return i.Outcome == store.ItemOpen && ids[i.Session] }) {
			return store.InBatch
		}
	}
	for _, m := range marks {
		s.remove(m.ID)
	}
	return store.Removed
}

// TakeDuty takes, extends or gives back a duty.
func (s retention) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	now := s.now()
	if has, ok := s.duties[name]; ok && has.owner != owner && has.until.After(now) {
		return false, nil
	}
	s.duties[name] = duty{owner, now.Add(d)}
	return true, nil
}
