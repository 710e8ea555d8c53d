package shard

import (
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
)

// sessions are created, read, listed, counted and deleted.
type sessions struct {
	*homes
	starting *nameLocks // ids of sessions that are being created
}

// Create creates sessions, each in its home. An id that another database has is refused by that
// one. A database that is in trouble is not asked: starts go on without it, and an id that only it
// has would be given a second time.
func (s sessions) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	ids := make([]string, len(sessions))
	for i := range sessions {
		ids[i] = sessions[i].ID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	unlock, err := s.starting.lock(ctx, ids)
	if err != nil {
		return nil, err
	}
	defer unlock()
	taken := make(map[string]location, len(ids))
	s.search(ctx, s.answering(), ids, taken)
	out := make([]store.Created, len(sessions))
	var groups []rowsOf[store.NewSession]
	for i := range sessions {
		home := taken[sessions[i].ID].home
		if home == nil {
			if home, out[i].Err = s.homeOfNew(ctx, &sessions[i]); out[i].Err != nil {
				continue
			}
		}
		groups = addRow(groups, home, sessions[i], i)
	}
	answers := askGroups(ctx, groups, func(st store.Store, rows []store.NewSession) ([]store.Created, error) { return st.Create(ctx, rows) })
	if _, err := anyOrError(answers); err != nil {
		return nil, err
	}
	for g, a := range answers {
		for n, i := range groups[g].at {
			if a.err != nil {
				out[i].Err = a.err
				continue
			}
			if out[i] = a.out[n]; out[i].Err == nil {
				s.known.put(out[i].Session.ID, a.of)
			}
		}
	}
	return out, nil
}

// Session reads one session.
func (s sessions) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	return inHome(ctx, s.homes, id, func(st store.Store) (*store.SessionRecord, error) { return st.Session(ctx, id) })
}

// SessionsByID reads sessions of all databases.
func (s sessions) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	list, err := s.sessionsByID(ctx, ids)
	if err != nil || len(list) == len(ids) {
		return list, err
	}
	moved := s.forgetMissing(ids, list)
	if len(moved) == 0 {
		return list, nil
	}
	more, err := s.sessionsByID(ctx, moved)
	return append(list, more...), err
}

func (s sessions) sessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	groups, lost := group(ctx, s.homes, ids, func(id *string) string { return *id })
	if err := anyOf(lost); err != nil {
		return nil, err
	}
	lists, err := allOrError(askGroups(ctx, groups, func(st store.Store, ids []string) ([]store.SessionRecord, error) { return st.SessionsByID(ctx, ids) }))
	return slices.Concat(lists...), err
}

// forgetMissing forgets where sessions were that a read has not found, and returns their ids.
func (s sessions) forgetMissing(ids []string, found []store.SessionRecord) (missing []string) {
	there := make(map[string]bool, len(found))
	for i := range found {
		there[found[i].ID] = true
	}
	for _, id := range ids {
		if !there[id] && s.known.get(id) != nil {
			s.known.forget(id)
			missing = append(missing, id)
		}
	}
	return missing
}

// ListSessions merges the pages of the databases that the query concerns.
func (s sessions) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	of, err := s.concerned(ctx, &q)
	if err != nil {
		return nil, err
	}
	pages, err := allOrError(ask(ctx, of, func(st store.Store) ([]store.SessionRecord, error) { return st.ListSessions(ctx, q) }))
	if err != nil {
		return nil, err
	}
	order := newestFirst
	if q.OldestWaiting {
		order = longestWaitingFirst
	}
	return merge(pages, page(q.Limit), order), nil
}

// Candidates merges those of the databases that the query concerns. One that reads the whole query
// with little work gives what fits; all do so or none.
func (s sessions) Candidates(ctx context.Context, q store.SessionQuery, count string) ([]store.Cursor, bool, error) {
	of, err := s.concerned(ctx, &q)
	if err != nil {
		return nil, false, err
	}
	lists, err := allOrError(ask(ctx, of, func(st store.Store) (c candidates, err error) {
		c.found, c.whole, err = st.Candidates(ctx, q, count)
		return c, err
	}))
	if err != nil || !slices.ContainsFunc(lists, func(c candidates) bool { return !c.whole }) {
		return nil, true, err
	}
	pages := make([][]store.Cursor, len(lists))
	for i, c := range lists {
		if pages[i] = c.found; !c.whole {
			continue
		}
		rows, err := call(ctx, of[i], func(st store.Store) ([]store.SessionRecord, error) { return st.ListSessions(ctx, q) })
		if err != nil {
			return nil, false, err
		}
		for j := range rows {
			pages[i] = append(pages[i], rows[j].Cursor(q.OldestWaiting))
		}
	}
	order := func(a, b *store.Cursor) int { return -byTime(a, b) }
	if q.OldestWaiting {
		order = byTime
	}
	return merge(pages, page(q.Limit), order), false, nil
}

// candidates are what one database says of a query.
type candidates struct {
	found []store.Cursor
	whole bool
}

// CountSessions adds the counts of the databases that the query concerns.
func (s sessions) CountSessions(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	of, err := s.concerned(ctx, &q)
	if err != nil {
		return nil, err
	}
	counts, err := allOrError(ask(ctx, of, func(st store.Store) (map[string]int64, error) { return st.CountSessions(ctx, q, by) }))
	if err != nil {
		return nil, err
	}
	sum := map[string]int64{}
	for _, c := range counts {
		for name, n := range c {
			sum[name] += n
		}
	}
	return sum, nil
}

// concerned are the databases that a query can have rows of. A filter by workflow leaves none
// out: sessions stay where they were when the rules change.
func (s sessions) concerned(ctx context.Context, q *store.SessionQuery) ([]*database, error) {
	ids := q.IDs
	if q.Root != "" && len(ids) == 0 {
		ids = []string{q.Root}
	}
	if len(ids) == 0 {
		return s.databases, nil
	}
	groups, lost := group(ctx, s.homes, ids, func(id *string) string { return *id })
	if err := anyOf(lost); err != nil {
		return nil, err
	}
	return homesOf(groups), nil
}

// Children lists the children of a session.
func (s sessions) Children(ctx context.Context, parent string) ([]string, error) {
	return inHome(ctx, s.homes, parent, func(st store.Store) ([]string, error) { return st.Children(ctx, parent) })
}

// Descendants reads a family. Those of a session that does not exist may be in any database.
func (s sessions) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	of := s.databases
	if at := s.locateAll(ctx, []string{q.Of})[q.Of]; at.home != nil {
		of = []*database{at.home}
	}
	pages, err := allOrError(ask(ctx, of, func(st store.Store) ([]store.SessionRecord, error) { return st.Descendants(ctx, q) }))
	if err != nil {
		return nil, err
	}
	order := byID
	if q.Awaiting {
		order = longestWaitingFirst
	}
	return merge(pages, page(q.Limit), order), nil
}

// DeleteSession removes a session.
func (s sessions) DeleteSession(ctx context.Context, id string) (bool, error) {
	done, err := inHome(ctx, s.homes, id, func(st store.Store) (bool, error) { return st.DeleteSession(ctx, id) })
	if done && err == nil {
		s.known.forget(id)
	}
	return done, err
}
