package shard

import (
	"context"
	"errors"
	"maps"

	"github.com/stepgraph/stepgraph/engine/store"
)

// inbox is the requests of sessions. The edit of a state is one of them.
type inbox struct{ *homes }

// Deliver puts requests into inboxes. A database that fails fails its own deliveries.
func (s inbox) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	out, err := s.deliver(ctx, deliveries)
	if err != nil {
		return nil, err
	}
	var again []store.Delivery // to sessions that are not where they were
	var at []int
	for i := range out {
		id := deliveries[i].Session
		if !errors.Is(out[i].Err, store.ErrSessionNotFound) || s.known.get(id) == nil {
			continue
		}
		s.known.forget(id)
		if now := s.locateAll(ctx, []string{id})[id]; now.home != nil {
			again, at = append(again, deliveries[i]), append(at, i)
		}
	}
	if len(again) == 0 {
		return out, nil
	}
	more, err := s.deliver(ctx, again)
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		out[i] = more[n]
	}
	return out, nil
}

func (s inbox) deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	groups, lost := group(ctx, s.homes, deliveries, func(d *store.Delivery) string { return d.Session })
	answers := askGroups(ctx, groups, func(st store.Store, rows []store.Delivery) ([]store.Delivered, error) { return st.Deliver(ctx, rows) })
	if len(lost) == 0 {
		if _, err := anyOrError(answers); err != nil {
			return nil, err
		}
	}
	out := make([]store.Delivered, len(deliveries))
	for i, err := range lost {
		out[i].Err = err
	}
	for g, a := range answers {
		for n, i := range groups[g].at {
			if a.err != nil {
				out[i].Err = a.err
			} else {
				out[i] = a.out[n]
			}
		}
	}
	return out, nil
}

// Requests reads requests of sessions of all databases.
func (s inbox) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]store.Request, error) {
	groups, lost := group(ctx, s.homes, after, func(a *store.InboxAfter) string { return a.Session })
	if err := anyOf(lost); err != nil {
		return nil, err
	}
	lists, err := allOrError(askGroups(ctx, groups, func(st store.Store, rows []store.InboxAfter) (map[string][]store.Request, error) {
		return st.Requests(ctx, rows)
	}))
	if err != nil {
		return nil, err
	}
	all := make(map[string][]store.Request, len(after))
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all, nil
}

// Inboxes reads inbox numbers. With an error, the result is that of the databases that answered.
func (s inbox) Inboxes(ctx context.Context, ids []string) (map[string]store.InboxState, error) {
	groups, lost := group(ctx, s.homes, ids, func(id *string) string { return *id })
	answers := sideBySide(ctx, homesOf(groups), func(ctx context.Context, d *database) (map[string]store.InboxState, error) {
		return brief(ctx, d, func(ctx context.Context, st store.Store) (map[string]store.InboxState, error) {
			return st.Inboxes(ctx, rowsIn(groups, d))
		})
	})
	all := make(map[string]store.InboxState, len(ids))
	for _, a := range answers {
		maps.Copy(all, a.out)
	}
	err := faults(answers)
	if err == nil {
		err = anyOf(lost)
	}
	return all, err
}

// EditState replaces a state.
func (s inbox) EditState(ctx context.Context, edit store.StateEdit) (*store.SessionRecord, error) {
	return inHome(ctx, s.homes, edit.Session, func(st store.Store) (*store.SessionRecord, error) { return st.EditState(ctx, edit) })
}
