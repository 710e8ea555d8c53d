package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// engines are the announcements of those at work.
type engines struct{ *db }

// Announce keeps what an engine says of itself.
func (s engines) Announce(ctx context.Context, a store.Announcement, forget time.Duration) error {
	functions, err := json.Marshal(a.Functions)
	if err != nil {
		return err
	}
	return s.writer.write(ctx, "announce engine "+a.Name, func(t *tx) error {
		if _, err := t.exec("engine_announce", a.ID, a.Name, string(functions), t.now, a.Version, a.State, text(a.Holds)); err != nil {
			return err
		}
		_, err := t.exec("engine_forget", t.now-forget.Microseconds())
		return err
	})
}

// Engines returns what was announced lately.
func (s engines) Engines(ctx context.Context, within time.Duration) ([]store.Announcement, error) {
	var list []store.Announcement
	err := s.reader.each(ctx, "engines", func(row scanner) error {
		var a store.Announcement
		var functions string
		var at int64
		if err := row.Scan(&a.ID, &a.Name, &functions, &at, &a.Version, &a.State, (*[]byte)(&a.Holds)); err != nil {
			return err
		}
		a.At = time.UnixMicro(at).UTC()
		list = append(list, a)
		return json.Unmarshal([]byte(functions), &list[len(list)-1].Functions)
	}, s.clock().Add(-within).UnixMicro())
	if err != nil {
		return nil, fault("read engines", err)
	}
	return list, nil
}
