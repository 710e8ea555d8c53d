package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// engines are the announcements of those at work.
type engines struct{ *data }

// Announce keeps what an engine says of itself.
func (s engines) Announce(ctx context.Context, a store.Announcement, forget time.Duration) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	a.At, a.Functions = s.now(), slices.Clone(a.Functions)
	s.engines = slices.DeleteFunc(s.engines, func(old store.Announcement) bool {
		return old.ID == a.ID || old.At.Before(a.At.Add(-forget))
	})
	s.engines = append(s.engines, a)
	return nil
}

// Engines returns what was announced lately.
func (s engines) Engines(ctx context.Context, within time.Duration) ([]store.Announcement, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	since := s.now().Add(-within)
	var list []store.Announcement
	for _, a := range s.engines {
		if !a.At.Before(since) {
			a.Functions = slices.Clone(a.Functions)
			list = append(list, a)
		}
	}
	sorting.By(list, func(a, b *store.Announcement) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}
