package sqlite

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Descendants returns one page of the sessions below one, found by the index on id: the ids
// below x lie between "x/" and "x0", as 0 is the character after the slash.
func (s sessions) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	f := familyFilter(q, s.clock())
	page := f.familyPage(q)
	state := "NULL"
	if q.WithState {
		state = "state"
	}
	rows, err := s.reader.db.QueryContext(ctx, sessionScalars+state+"\nFROM session"+page, f.args...)
	found := []store.SessionRecord{}
	err = eachRow("descendants", rows, err, func(row scanner) error {
		var rec store.SessionRecord
		err := scanSession(row, &rec)
		found = append(found, rec)
		return err
	})
	if err != nil {
		return nil, fault("list descendants of "+q.Of, err)
	}
	return found, nil
}

// familyFilter builds the filter of the query, without its page. The plus keeps SQLite from the
// index of everything that waits, which would give the order and read every waiting session.
func familyFilter(q store.DescendantQuery, now time.Time) *filter {
	f := &filter{}
	f.add("session.id > ? AND session.id < ?", q.Of+"/", q.Of+"0")
	if q.Awaiting {
		f.add("+session.awaiting_since IS NOT NULL")
	}
	if q.Step != "" {
		f.waitsAt(q.Step)
	}
	if q.Moving {
		f.add("(session.lease <> '' OR session.due_at IS NOT NULL AND session.status = 'active' OR +session.due_at <= ?)", now.UnixMicro())
	}
	return f
}

// familyPage adds the order, the row after which the page starts, and the limit.
func (f *filter) familyPage(q store.DescendantQuery) string {
	order := "id"
	if q.Awaiting {
		order = "+awaiting_since, id"
	}
	if q.After.ID != "" {
		if q.Awaiting {
			f.add("(+awaiting_since, +id) > (?, ?)", q.After.At.UnixMicro(), q.After.ID)
		} else {
			f.add("session.id > ?", q.After.ID)
		}
	}
	where := f.where()
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	f.args = append(f.args, limit)
	return where + "\nORDER BY " + order + " LIMIT ?"
}
