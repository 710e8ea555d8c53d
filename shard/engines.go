package shard

import (
	"cmp"
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// engines are the announcements of those at work.
type engines struct{ *homes }

// Announce announces an engine in each database that answers, so that each of them shows who
// works on it.
func (s engines) Announce(ctx context.Context, a store.Announcement, forget time.Duration) error {
	_, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) (struct{}, error) {
		return struct{}{}, st.Announce(ctx, a, forget)
	})
	return err
}

// Engines lists the engines of the databases that answer, each once, by its newest announcement.
func (s engines) Engines(ctx context.Context, within time.Duration) ([]store.Announcement, error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) ([]store.Announcement, error) {
		return st.Engines(ctx, within)
	})
	if err != nil {
		return nil, err
	}
	newest := map[string]store.Announcement{}
	for _, a := range answers {
		for _, e := range a.out {
			if known, there := newest[e.ID]; !there || e.At.After(known.At) {
				newest[e.ID] = e
			}
		}
	}
	list := make([]store.Announcement, 0, len(newest))
	for _, e := range newest {
		list = append(list, e)
	}
	sorting.By(list, func(a, b *store.Announcement) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}
