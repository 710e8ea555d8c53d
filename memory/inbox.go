package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// inbox is the requests of sessions. The edit of a state is one of them.
type inbox struct{ *data }

// Deliver puts requests into inboxes, in the order given.
func (s inbox) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := make([]store.Delivered, len(deliveries))
	for i := range deliveries {
		out[i] = s.deliver(&deliveries[i])
	}
	return out, nil
}

func (s inbox) deliver(d *store.Delivery) store.Delivered {
	x := s.sessions[d.Session]
	if x == nil {
		return store.Delivered{Err: fmt.Errorf("session %s: %w", d.Session, store.ErrSessionNotFound)}
	}
	now := s.now()
	wanted, err := d.Decide(x.view(d.Key, now))
	if err != nil {
		return store.Delivered{Err: err}
	}
	var out store.Delivered
	if wanted != nil {
		if out.Request, err = x.accept(*wanted, d.Key, now); err != nil {
			return store.Delivered{Err: fmt.Errorf("session %s: request %q: %w", d.Session, d.Key, err)}
		}
	}
	if claims, _ := d.Take(&x.record, wanted != nil, now); claims {
		claimed := x.claimed(now)
		out.Claimed = &claimed
	}
	s.put(x)
	out.Session = cloneRecord(x.record)
	return out
}

// accept writes a request.
func (x *session) accept(r store.Request, key string, now time.Time) (*store.Request, error) {
	if r.Key == "" {
		r.Key = key
	}
	if err := x.acceptable(&r); err != nil {
		return nil, err
	}
	written := cloneRequest(*x.receive(r, now))
	return &written, nil
}

// acceptable enforces the two uniqueness constraints of REQUEST, even if Decide did not check them.
func (x *session) acceptable(r *store.Request) error {
	if r.Key == "" {
		return fmt.Errorf("%w: a request needs a key", store.ErrBadRequest)
	}
	if _, there := x.byKey[r.Key]; there {
		return store.ErrKeyReused
	}
	if _, there := x.byTarget[r.Target]; there && r.Target != "" {
		return store.ErrAlreadyAnswered
	}
	return nil
}

func (x *session) view(key string, now time.Time) store.InboxView {
	return store.InboxView{
		Session:   cloneRecord(x.record),
		Now:       now,
		Same:      x.request(x.byKey, key),
		Unapplied: x.unapplied(),
		ByTarget: func(target string) (*store.Request, error) {
			return x.request(x.byTarget, target), nil
		},
		LastAnswer: func(step string) (*store.Request, error) {
			for i := len(x.requests) - 1; i >= 0; i-- {
				if r := &x.requests[i]; r.Kind == store.RequestAnswer && r.Step == step {
					found := cloneRequest(*r)
					return &found, nil
				}
			}
			return nil, nil
		},
	}
}

// Requests returns the requests after a number, session by session.
func (s inbox) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]store.Request, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := make(map[string][]store.Request)
	for _, a := range after {
		x := s.sessions[a.Session]
		if x == nil || a.N >= int64(len(x.requests)) {
			continue
		}
		var list []store.Request
		for _, r := range x.requests[max(a.N, 0):] {
			list = append(list, cloneRequest(r))
		}
		out[a.Session] = list
	}
	return out, nil
}

// Inboxes returns the current inbox numbers and lease tokens, including expired leases.
func (s inbox) Inboxes(ctx context.Context, ids []string) (map[string]store.InboxState, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := make(map[string]store.InboxState, len(ids))
	for _, id := range ids {
		if x := s.sessions[id]; x != nil {
			out[id] = store.InboxState{Inbox: x.record.Inbox, Lease: x.record.Lease}
		}
	}
	return out, nil
}

// EditState writes a person's state. The edit gets a version of its own, so that a second person
// who read the earlier version gets ErrVersionMismatch.
func (s inbox) EditState(ctx context.Context, edit store.StateEdit) (*store.SessionRecord, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x, now := s.sessions[edit.Session], s.now()
	if err := x.editable(edit, now); err != nil {
		return nil, fmt.Errorf("edit the state of %s: %w", edit.Session, err)
	}
	request := edit.Request
	request.Applied = true
	x.receive(request, now)
	x.free()
	x.wake(now)
	r := &x.record
	r.Version++
	r.UpdatedAt = now
	r.State = slices.Clone(edit.State)
	r.Status, r.Awaiting, r.AwaitingSince = edit.Status, slices.Clone(edit.Awaiting), utc(edit.Since)
	if edit.Counters != nil {
		r.Counters = slices.Clone(edit.Counters)
	}
	s.put(x)
	out := cloneRecord(*r)
	return &out, nil
}

func (x *session) editable(edit store.StateEdit, now time.Time) error {
	if x == nil {
		return store.ErrSessionNotFound
	}
	if err := edit.Refuse(&x.record, now); err != nil {
		return err
	}
	return x.acceptable(&edit.Request)
}
