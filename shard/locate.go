package shard

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A location is where one session is: home is nil for one that no database has. err says that it
// may be in a database that did not answer.
type location struct {
	home *database
	err  error
}

// locate returns the database of a session, the default one for a session that does not exist.
func (s *homes) locate(ctx context.Context, id string) (*database, error) {
	at := s.locateAll(ctx, []string{id})[id]
	if at.home == nil && at.err == nil {
		at.home = s.main()
	}
	return at.home, at.err
}

// homeOfNew is the database that a new session comes into.
func (s *homes) homeOfNew(ctx context.Context, n *store.NewSession) (*database, error) {
	switch {
	case n.Parent != "":
		return s.locate(ctx, n.Parent)
	case n.Root != "" && n.Root != n.ID:
		return s.locate(ctx, n.Root)
	}
	return s.home(n.Workflow), nil
}

// inHome makes a call about one session on its database. If the remembered one does not have the
// session, all are asked.
func inHome[T any](ctx context.Context, s *homes, id string, f func(store.Store) (T, error)) (T, error) {
	remembered := s.known.get(id) != nil
	home, err := s.locate(ctx, id)
	if err != nil {
		var none T
		return none, err
	}
	out, err := call(ctx, home, f)
	if errors.Is(err, store.ErrSessionNotFound) && remembered {
		s.known.forget(id)
		if now, err := s.locate(ctx, id); err == nil && now != home {
			return call(ctx, now, f)
		}
	}
	return out, err
}

// locateAll finds sessions: from memory, otherwise by asking all databases at once.
func (s *homes) locateAll(ctx context.Context, ids []string) map[string]location {
	found := make(map[string]location, len(ids))
	var unknown []string
	for _, id := range ids {
		if home := s.known.get(id); home != nil {
			found[id] = location{home: home}
		} else if _, twice := found[id]; !twice {
			found[id] = location{}
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		s.search(ctx, s.databases, unknown, found)
	}
	return found
}

// search asks databases which of the sessions they have. It does not wait for the others once all
// sessions are found.
func (s *homes) search(ctx context.Context, of []*database, ids []string, found map[string]location) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer[map[string]store.InboxState], len(of))
	for _, d := range of {
		go func() {
			out, err := brief(ctx, d, func(ctx context.Context, st store.Store) (map[string]store.InboxState, error) {
				return st.Inboxes(ctx, ids)
			})
			answers <- answer[map[string]store.InboxState]{d, out, err}
		}()
	}
	missing := len(ids)
	var fault error
	for range of {
		a := <-answers
		if a.err != nil {
			fault = a.err
			continue
		}
		for id := range a.out {
			if at := found[id]; at.home == nil {
				found[id] = location{home: a.of}
				s.known.put(id, a.of)
				missing--
			}
		}
		if missing == 0 {
			return
		}
	}
	for _, id := range ids {
		if found[id].home == nil {
			found[id] = location{err: fault}
		}
	}
}

// group puts rows that belong to sessions together by database. Rows of sessions that no database
// has go to the default one, which answers for them; lost are the rows whose database may be one
// that did not answer.
func group[R any](ctx context.Context, s *homes, rows []R, id func(*R) string) (groups []rowsOf[R], lost map[int]error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = id(&rows[i])
	}
	at := s.locateAll(ctx, ids)
	lost = map[int]error{}
	for i := range rows {
		where := at[ids[i]]
		if where.err != nil {
			lost[i] = where.err
			continue
		}
		if where.home == nil {
			where.home = s.main()
		}
		groups = addRow(groups, where.home, rows[i], i)
	}
	return groups, lost
}

// addRow puts a row into the group of its database.
func addRow[R any](groups []rowsOf[R], home *database, row R, at int) []rowsOf[R] {
	for i := range groups {
		if groups[i].of == home {
			groups[i].rows, groups[i].at = append(groups[i].rows, row), append(groups[i].at, at)
			return groups
		}
	}
	return append(groups, rowsOf[R]{of: home, rows: []R{row}, at: []int{at}})
}

// rowsOf are the rows of one database, with their places in the whole.
type rowsOf[R any] struct {
	of   *database
	rows []R
	at   []int
}

// askGroups calls f with each group on its database, all at once.
func askGroups[R, T any](ctx context.Context, groups []rowsOf[R], f func(store.Store, []R) (T, error)) []answer[T] {
	return sideBySide(ctx, homesOf(groups), func(ctx context.Context, d *database) (T, error) {
		return call(ctx, d, func(s store.Store) (T, error) { return f(s, rowsIn(groups, d)) })
	})
}

// anyOf is the error of one row that is lost, or nil.
func anyOf(lost map[int]error) error {
	for _, err := range lost {
		return err
	}
	return nil
}

// homesOf are the databases of groups.
func homesOf[R any](groups []rowsOf[R]) []*database {
	of := make([]*database, len(groups))
	for i := range groups {
		of[i] = groups[i].of
	}
	return of
}

// rowsIn are the rows of one of the groups.
func rowsIn[R any](groups []rowsOf[R], d *database) []R {
	for i := range groups {
		if groups[i].of == d {
			return groups[i].rows
		}
	}
	return nil
}
