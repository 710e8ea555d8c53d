package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// leases are taken, extended and given back; what is due and waits for a worker.
type leases struct{ *data }

// Claim leases due sessions. The order of a map is as good as shuffled.
func (s leases) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var out []store.Claimed
	for _, x := range s.due {
		if len(out) >= o.Limit {
			break
		}
		if x.record.DueAt.After(now) || x.record.Held(now) || slices.Contains(o.Skip, workflowOf(x)) || slices.Contains(o.Except, x.record.ID) ||
			o.Among != nil && !slices.Contains(o.Among, x.record.ID) {
			continue
		}
		out = append(out, s.claim(x, o, now))
	}
	return out, nil
}

// ClaimByID leases those of the ids that are not leased, in id order.
func (s leases) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var out []store.Claimed
	for _, id := range sortedIDs(ids) {
		if x := s.sessions[id]; x != nil && !x.record.Held(now) {
			out = append(out, s.claim(x, o, now))
		}
	}
	return out, nil
}

// workflowOf returns the workflow of a session, also of a session created by hand.
func workflowOf(x *session) string {
	if x.record.Workflow == "" {
		return graph.DefaultWorkflow
	}
	return x.record.Workflow
}

func (s leases) claim(x *session, o store.ClaimOptions, now time.Time) store.Claimed {
	x.lease(store.Lease{Token: o.Token(), Owner: o.Owner, For: o.For}, now)
	s.put(x)
	return x.claimed(now)
}

// Extend extends the leases whose token is still current.
func (s leases) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) ([]string, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var lost []string
	for _, l := range leases {
		x := s.leased(l)
		if x == nil {
			lost = append(lost, l.Session)
			continue
		}
		x.extend(now.Add(by))
		s.put(x)
	}
	return lost, nil
}

// Release gives leases back; the sessions become due at once.
func (s leases) Release(ctx context.Context, leases []store.LeaseRef) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	now := s.now()
	for _, l := range leases {
		if x := s.leased(l); x != nil {
			x.free()
			x.wake(now)
			s.put(x)
		}
	}
	return nil
}

// leased returns the session if it is still leased under the token, else nil.
func (s leases) leased(l store.LeaseRef) *session {
	x := s.sessions[l.Session]
	if x == nil || l.Token == "" || x.record.Lease != l.Token {
		return nil
	}
	return x
}

// NextDue looks at the sessions that have a due_at.
func (s leases) NextDue(ctx context.Context) (time.Time, error) {
	if err := s.begin(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.mu.Unlock()
	var next time.Time
	for _, x := range s.due {
		if next.IsZero() || x.record.DueAt.Before(next) {
			next = x.record.DueAt
		}
	}
	return next, nil
}

// LongestDue sorts the sessions that are due.
func (s leases) LongestDue(ctx context.Context, limit int) ([]string, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var due []*session
	for _, x := range s.due {
		if !x.record.DueAt.After(now) && !x.record.Held(now) {
			due = append(due, x)
		}
	}
	slices.SortFunc(due, func(a, b *session) int {
		return cmp.Or(a.record.DueAt.Compare(b.record.DueAt), cmp.Compare(a.record.ID, b.record.ID))
	})
	var ids []string
	for _, x := range due[:min(limit, len(due))] {
		ids = append(ids, x.record.ID)
	}
	return ids, nil
}

// WakePending wakes pending sessions that are not due already.
func (s leases) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	now := s.now()
	woken := 0
	for _, x := range s.pending {
		if woken == limit {
			break
		}
		due := !x.record.DueAt.IsZero() && !x.record.DueAt.After(now)
		if x.record.Workflow != workflow || due || x.record.Held(now) || x.tried != "" && x.tried == definition || s.turns[x.record.ID] != nil && s.turns[x.record.ID].waiting {
			continue
		}
		x.record.DueAt = now
		s.put(x)
		woken++
	}
	return woken, nil
}

// PendingWorkflows returns each workflow once, in order.
func (s leases) PendingWorkflows(ctx context.Context) ([]string, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var ids []string
	for _, x := range s.pending {
		ids = append(ids, x.record.Workflow)
	}
	return sortedIDs(ids), nil
}
