package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// Deliver calls the store below as planned.
func (s *Store) Deliver(ctx context.Context, deliveries []engine.Delivery) ([]engine.Delivered, error) {
	return write(s, "Deliver", func() ([]engine.Delivered, error) { return s.inner.Deliver(ctx, deliveries) })
}

// Requests calls the store below as planned.
func (s *Store) Requests(ctx context.Context, after []engine.InboxAfter) (map[string][]engine.Request, error) {
	return read(s, "Requests", func() (map[string][]engine.Request, error) { return s.inner.Requests(ctx, after) })
}

// Inboxes calls the store below as planned.
func (s *Store) Inboxes(ctx context.Context, ids []string) (map[string]engine.InboxState, error) {
	return read(s, "Inboxes", func() (map[string]engine.InboxState, error) { return s.inner.Inboxes(ctx, ids) })
}

// EditState calls the store below as planned.
func (s *Store) EditState(ctx context.Context, edit engine.StateEdit) (*engine.SessionRecord, error) {
	return write(s, "EditState", func() (*engine.SessionRecord, error) { return s.inner.EditState(ctx, edit) })
}
