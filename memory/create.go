package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// Create creates sessions in the order given.
func (s *Store) Create(ctx context.Context, sessions []engine.NewSession) ([]engine.Created, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := make([]engine.Created, len(sessions))
	for i, n := range sessions {
		out[i] = s.create(n)
	}
	return out, nil
}

func (s *Store) create(n engine.NewSession) engine.Created {
	if first, ok := s.starts[n.Key]; ok && n.Key != "" {
		if first.bodyHash != n.BodyHash {
			return engine.Created{Err: fmt.Errorf("start session %s with key %q: %w", n.ID, n.Key, engine.ErrKeyReused)}
		}
		return engine.Created{Session: cloneRecord(first.record), Exists: true}
	}
	if _, ok := s.sessions[n.ID]; ok {
		return engine.Created{Err: fmt.Errorf("start session %s: %w", n.ID, engine.ErrSessionExists)}
	}
	x := s.newSession(n)
	return engine.Created{Session: cloneRecord(x.record)}
}

// newSession enters a session whose id and key are free.
func (s *Store) newSession(n engine.NewSession) *session {
	now := s.now()
	x := &session{
		record: engine.SessionRecord{
			ID: n.ID, Workflow: n.Workflow, Status: n.Status, Root: n.Root,
			State: slices.Clone(n.State), Counters: slices.Clone(n.Counters), Labels: maps.Clone(n.Labels),
			CreatedAt: now, UpdatedAt: now, DueAt: now,
		},
		parent: n.Parent, key: n.ConcurrencyKey, start: n.Key, bodyHash: n.BodyHash,
		children: make(map[string]bool),
		byKey:    make(map[string]int), byTarget: make(map[string]int),
		blobs: make(map[string][]byte), results: make(map[round][]byte),
	}
	if x.record.Root == "" {
		x.record.Root = n.ID
	}
	if n.Claim != nil {
		x.lease(*n.Claim, now)
	}
	if n.Key != "" {
		s.starts[n.Key] = x
	}
	if parent := s.sessions[n.Parent]; parent != nil {
		parent.children[n.ID] = true
	}
	s.put(x)
	return x
}

// DeleteSession removes everything at once, so it is always done.
func (s *Store) DeleteSession(ctx context.Context, id string) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return false, fmt.Errorf("delete session %s: %w", id, engine.ErrSessionNotFound)
	}
	if x.record.Held(s.now()) {
		return false, fmt.Errorf("delete session %s: %w", id, engine.ErrSessionBusy)
	}
	s.remove(id)
	return true, nil
}

// remove takes a session out of all indexes.
func (s *Store) remove(id string) {
	x := s.sessions[id]
	if x == nil {
		return
	}
	delete(s.sessions, id)
	delete(s.due, id)
	delete(s.pending, id)
	if x.start != "" {
		delete(s.starts, x.start)
	}
	if parent := s.sessions[x.parent]; parent != nil {
		delete(parent.children, id)
	}
}
