package memory

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Create creates sessions in the order given.
func (s sessions) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	out := make([]store.Created, len(sessions))
	for i, n := range sessions {
		out[i] = s.create(n)
	}
	return out, nil
}

func (s sessions) create(n store.NewSession) store.Created {
	if first, ok := s.starts[n.Key]; ok && n.Key != "" {
		if first.bodyHash != n.BodyHash {
			return store.Created{Err: fmt.Errorf("start session %s with key %q: %w", n.ID, n.Key, store.ErrKeyReused)}
		}
		return store.Created{Session: cloneRecord(first.record), Exists: true}
	}
	if x, ok := s.sessions[n.ID]; ok {
		if n.Made(&x.record) {
			return store.Created{Session: cloneRecord(x.record), Exists: true}
		}
		return store.Created{Err: fmt.Errorf("start session %s: %w", n.ID, store.ErrSessionExists)}
	}
	x := s.newSession(n)
	return store.Created{Session: cloneRecord(x.record)}
}

// DeleteSession removes everything at once, so it is always done.
func (s sessions) DeleteSession(ctx context.Context, id string) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	x := s.sessions[id]
	if x == nil {
		return false, fmt.Errorf("delete session %s: %w", id, store.ErrSessionNotFound)
	}
	if x.record.Held(s.now()) {
		return false, fmt.Errorf("delete session %s: %w", id, store.ErrSessionBusy)
	}
	s.remove(id)
	return true, nil
}
