package memory

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// Create creates sessions in the order given.
func (s sessions) Create(ctx context.Context, sessions []engine.NewSession) ([]engine.Created, error) {
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

func (s sessions) create(n engine.NewSession) engine.Created {
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

// DeleteSession removes everything at once, so it is always done.
func (s sessions) DeleteSession(ctx context.Context, id string) (bool, error) {
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
