package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Deliver calls the store below as planned.
func (s *Store) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	return write(s, "Deliver", func() ([]store.Delivered, error) { return s.inner.Deliver(ctx, deliveries) })
}

// Requests calls the store below as planned.
func (s *Store) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]store.Request, error) {
	return read(s, "Requests", func() (map[string][]store.Request, error) { return s.inner.Requests(ctx, after) })
}

// Inboxes calls the store below as planned.
func (s *Store) Inboxes(ctx context.Context, ids []string) (map[string]store.InboxState, error) {
	return read(s, "Inboxes", func() (map[string]store.InboxState, error) { return s.inner.Inboxes(ctx, ids) })
}

// EditState calls the store below as planned.
func (s *Store) EditState(ctx context.Context, edit store.StateEdit) (*store.SessionRecord, error) {
	return write(s, "EditState", func() (*store.SessionRecord, error) { return s.inner.EditState(ctx, edit) })
}
