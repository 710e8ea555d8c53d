package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// ListSessions returns one page.
func (s sessions) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	l := listing{q: q, limit: cmp.Or(max(q.Limit, 0), defaultPage)}
	tx, err := s.reader.db.BeginTx(ctx, nil) // one snapshot for the counts, which select the statement, and for the page
	if err != nil {
		return nil, fault("list sessions", err)
	}
	defer tx.Rollback()
	if err := l.choose(ctx, tx); err != nil {
		return nil, fault("list sessions", err)
	}
	if l.empty {
		return []store.SessionRecord{}, nil
	}
	text, args := l.statement()
	rows, err := tx.QueryContext(ctx, text, args...)
	found := []store.SessionRecord{}
	err = eachRow("list", rows, err, func(row scanner) error {
		var rec store.SessionRecord
		err := scanSession(row, &rec)
		found = append(found, rec)
		return err
	})
	if err != nil {
		return nil, fault("list sessions", err)
	}
	return found, nil
}

// Candidates merges the arms without the filters that they do not cover.
func (s sessions) Candidates(ctx context.Context, q store.SessionQuery, count string) ([]store.Cursor, bool, error) {
	begins := q.After == store.Cursor{}
	if q.IDs != nil || count != "" && begins && tallied(q, count) {
		return nil, true, nil
	}
	l := listing{q: q, limit: cmp.Or(max(q.Limit, 0), defaultPage)}
	tx, err := s.reader.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, false, fault("search sessions", err)
	}
	defer tx.Rollback()
	if err := l.choose(ctx, tx); err != nil {
		return nil, false, fault("search sessions", err)
	}
	if l.empty || count == "" && l.covered() {
		return nil, count == "" || begins, nil // a count that goes on is of what comes after
	}
	text, args := l.merged(sessionFilter(l.bounds()))
	rows, err := tx.QueryContext(ctx, text, args...)
	var found []store.Cursor
	err = eachRow("search", rows, err, func(row scanner) error {
		var number, at int64
		var c store.Cursor
		err := row.Scan(&number, &at, &c.ID)
		c.At = time.UnixMicro(at).UTC()
		found = append(found, c)
		return err
	})
	if err != nil {
		return nil, false, fault("search sessions", err)
	}
	return found, false, nil
}

// counts are the ways to count sessions: what a group is called and, where needed, what
// the table is joined with.
var counts = map[string]struct{ name, join string }{
	"status":          {name: "session.status"},
	"workflow":        {name: "session.workflow"},
	"workflow,status": {name: "session.workflow || ',' || session.status"},
	"step":            {name: "session.workflow || '/' || question.step", join: " JOIN question ON question.session = session.id"},
}

// CountSessions counts by one of counts.
func (s sessions) CountSessions(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	c, ok := counts[by]
	if !ok {
		return nil, fmt.Errorf("count sessions by %q: %w: want status, workflow, workflow,status or step", by, store.ErrBadRequest)
	}
	if by == "step" {
		q.Awaiting = true
	}
	if tallied(q, by) {
		return s.tally(ctx, q, by)
	}
	from, args := "session", []any(nil)
	if q.IDs != nil {
		from, args, q.IDs = sessionsOfIDs, []any{list(q.IDs)}, nil
	}
	f := sessionFilter(q)
	rows, err := s.reader.db.QueryContext(ctx, "SELECT "+c.name+", count(*) FROM "+from+c.join+f.where()+"\nGROUP BY 1", append(args, f.args...)...)
	counted := make(map[string]int64)
	err = eachRow("count", rows, err, func(row scanner) error {
		var name string
		var n int64
		err := row.Scan(&name, &n)
		counted[name] = n
		return err
	})
	if err != nil {
		return nil, fault("count sessions", err)
	}
	return counted, nil
}
