package shard

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// turns are the queues of workflows with limits.
type turns struct{ *homes }

// LimitedWorkflows lists those of all databases. Settings count in the home of a workflow only;
// elsewhere it may have lanes, of sessions that were started before the rules changed or that are
// child sessions. For a database in trouble the last list counts: its workflows may have sessions
// elsewhere.
func (s turns) LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error) {
	_, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) (struct{}, error) {
		list, err := st.LimitedWorkflows(ctx)
		if err == nil {
			s.rememberLimited(st, list)
		}
		return struct{}{}, err
	})
	if err != nil {
		return nil, err
	}
	byID := map[string]*graph.Workflow{}
	for _, d := range s.databases {
		d.mu.Lock()
		list := d.limited
		d.mu.Unlock()
		for _, w := range list {
			if s.home(w.ID) == d {
				byID[w.ID] = w
			} else if byID[w.ID] == nil {
				byID[w.ID] = &graph.Workflow{ID: w.ID}
			}
		}
	}
	all := make([]*graph.Workflow, 0, len(byID))
	for _, w := range byID {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b *graph.Workflow) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

func (s turns) rememberLimited(of store.Store, list []*graph.Workflow) {
	for _, d := range s.databases {
		if opened, err := d.current(); err == nil && opened == of {
			d.mu.Lock()
			d.limited = list
			d.mu.Unlock()
		}
	}
}

// TakeTurns gives turns in all databases that answer. The limits hold in each of them on its own.
// Sessions above q.Most keep their turn and are returned by the next call.
func (s turns) TakeTurns(ctx context.Context, q store.TurnQuery) (store.TurnsTaken, error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) (store.TurnsTaken, error) { return st.TakeTurns(ctx, q) })
	var out store.TurnsTaken
	for i := 0; err == nil; i++ {
		before := len(out.Sessions)
		for _, a := range answers {
			if i < len(a.out.Sessions) {
				out.Sessions = append(out.Sessions, a.out.Sessions[i])
				s.known.put(a.out.Sessions[i].ID, a.of)
			}
		}
		if len(out.Sessions) == before {
			break
		}
	}
	for _, a := range answers {
		out.More = out.More || a.out.More
		if a.out.Next > 0 && (out.Next == 0 || a.out.Next < out.Next) {
			out.Next = a.out.Next
		}
	}
	if len(out.Sessions) > q.Most {
		out.Sessions, out.More = out.Sessions[:q.Most], true
	}
	return out, err
}

// Turn returns what a session waits for.
func (s turns) Turn(ctx context.Context, session string) (*store.Turn, error) {
	return inHome(ctx, s.homes, session, func(st store.Store) (*store.Turn, error) { return st.Turn(ctx, session) })
}

// Lanes adds up the lanes of the databases that answer.
func (s turns) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) ([]store.Lane, error) { return st.Lanes(ctx, workflow, limit) })
	if err != nil {
		return nil, err
	}
	type name struct{ workflow, key string }
	sums := map[name]*store.Lane{}
	for _, a := range answers {
		for _, l := range a.out {
			sum := sums[name{l.Workflow, l.Key}]
			if sum == nil {
				sums[name{l.Workflow, l.Key}] = &l
				continue
			}
			sum.Waiting += l.Waiting
			sum.Running += l.Running
			if sum.Oldest.IsZero() || !l.Oldest.IsZero() && l.Oldest.Before(sum.Oldest) {
				sum.Oldest = l.Oldest
			}
		}
	}
	var list []store.Lane
	for _, l := range sums {
		list = append(list, *l)
	}
	sorting.By(list, func(a, b *store.Lane) int {
		return cmp.Or(-cmp.Compare(a.Waiting, b.Waiting), cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Key, b.Key))
	})
	return list[:min(len(list), limit)], nil
}
