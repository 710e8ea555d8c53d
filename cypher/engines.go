package cypher

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// engines holds what engines announce about themselves.
type engines struct{ *db }

// Announce keeps what an engine says of itself.
func (s engines) Announce(ctx context.Context, a store.Announcement, forget time.Duration) error {
	_, err := s.write(ctx, queryEngineAnnounce, params{"id": a.ID, "name": a.Name,
		"functions": append([]string{}, a.Functions...), "forget": milliseconds(forget),
		"version": optional(a.Version), "state": optional(a.State), "holds": optional(a.Holds)})
	return err
}

// Engines returns what was announced lately.
func (s engines) Engines(ctx context.Context, within time.Duration) ([]store.Announcement, error) {
	rows, err := s.read(ctx, queryEngines, params{"within": milliseconds(within)})
	if err != nil {
		return nil, err
	}
	list := make([]store.Announcement, len(rows))
	for i, r := range rows {
		list[i] = store.Announcement{ID: r.text("id"), Name: r.text("name"), Functions: r.texts("functions"), At: r.time("heard_at"),
			Version: r.text("version"), State: r.text("state")}
		if holds := r.text("holds"); holds != "" {
			list[i].Holds = []byte(holds)
		}
	}
	return list, nil
}
