package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// maxLaneChecks is the maximum number of lanes that one call checks.
const maxLaneChecks = 100

// turns are the queues of workflows with limits.
type turns struct{ *data }

// LimitedWorkflows returns the workflows that have any property or a lane.
func (s turns) LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := map[string]*graph.Workflow{}
	for _, l := range s.lanes {
		found[l.workflow] = &graph.Workflow{ID: l.workflow}
	}
	for id, w := range s.workflows {
		if len(w.properties) > 0 {
			found[id] = &graph.Workflow{ID: id}
			readProperties(found[id], w.properties)
		}
	}
	return slices.Collect(maps.Values(found)), nil
}

// TakeTurns implements engine.Store.
func (s turns) TakeTurns(ctx context.Context, q store.TurnQuery) (store.TurnsTaken, error) {
	if err := s.begin(ctx); err != nil {
		return store.TurnsTaken{}, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var taken store.TurnsTaken
	limits := map[string]*store.TurnLimit{}
	for i := range q.Limits {
		limits[q.Limits[i].Workflow] = &q.Limits[i]
	}
	for _, x := range s.dueOf(q, now) {
		l := limits[workflowOf(x)]
		t := s.turns[x.record.ID]
		switch {
		case !l.InTurn() || t != nil && !t.waiting:
		case x.stopped():
			delete(s.turns, x.record.ID)
		default:
			s.enqueue(x, l, now)
			continue
		}
		if taken.More = len(taken.Sessions) == q.Most; taken.More {
			return taken, nil
		}
		taken.Sessions = append(taken.Sessions, store.DueSession{ID: x.record.ID, Workflow: workflowOf(x)})
	}
	for _, id := range s.lanesDue(limits, now) {
		if len(taken.Sessions) >= q.Most {
			taken.More = true
			break
		}
		s.admit(id, limits[s.lanes[id].workflow], q.Most-len(taken.Sessions), now, &taken)
	}
	return taken, nil
}

// dueOf returns the due sessions of the given workflows, in due order.
func (s turns) dueOf(q store.TurnQuery, now time.Time) (due []*session) {
	rank := map[string]int{}
	for i, l := range q.Limits {
		rank[l.Workflow] = i
	}
	for _, x := range s.due {
		if _, of := rank[workflowOf(x)]; of && !x.record.DueAt.After(now) && !x.record.Held(now) && !slices.Contains(q.Except, x.record.ID) {
			due = append(due, x)
		}
	}
	slices.SortFunc(due, func(a, b *session) int {
		return cmp.Or(cmp.Compare(rank[workflowOf(a)], rank[workflowOf(b)]), a.record.DueAt.Compare(b.record.DueAt), cmp.Compare(a.record.ID, b.record.ID))
	})
	return due
}

// stopped reports whether the inbox holds an operator's cancel or pause that is not applied yet.
func (x *session) stopped() bool {
	return slices.ContainsFunc(x.requests, func(r store.Request) bool {
		return !r.Applied && (r.Kind == store.RequestCancel || r.Kind == store.RequestPause)
	})
}

// enqueue removes the session from the due ones. A session that waited before keeps its place.
func (s turns) enqueue(x *session, l *store.TurnLimit, now time.Time) {
	id := l.LaneID(x.key)
	t := s.turns[x.record.ID]
	if t == nil {
		fresh := x.record.Version == 0 && x.record.Root == x.record.ID
		t = &turn{place: store.Place(x.record.DueAt, fresh), since: x.record.DueAt, fresh: fresh, status: x.record.Status}
		s.turns[x.record.ID] = t
	}
	t.lane, t.waiting = id, true
	if s.lanes[id] == nil {
		workflow, key, _ := strings.Cut(id, "\x1f")
		s.lanes[id] = &lane{workflow: workflow, key: key}
	}
	if at := s.lanes[id]; at.checkAt.After(now) || at.checkAt.IsZero() {
		at.checkAt = now
	}
	x.record.DueAt, x.record.Status = time.Time{}, store.StatusPending
	s.put(x)
}

// lanesDue returns the lanes of these workflows that are due for a check, those that have waited longest first.
func (s turns) lanesDue(limits map[string]*store.TurnLimit, now time.Time) []string {
	var ids []string
	for id, l := range s.lanes {
		if limits[l.workflow] != nil && !l.checkAt.After(now) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(s.lanes[a].checkAt.Compare(s.lanes[b].checkAt), cmp.Compare(a, b))
	})
	return ids[:min(len(ids), maxLaneChecks)]
}

// admit gives turns in one lane.
func (s turns) admit(id string, l *store.TurnLimit, most int, now time.Time, taken *store.TurnsTaken) {
	at := s.lanes[id]
	running, queue := s.lane(id, now)
	room := min(l.Room(running), most, len(queue))
	n, next := l.Admit(queue[:room], at.next, now)
	at.next = next
	for _, w := range queue[:n] {
		x, t := s.sessions[w.Session], s.turns[w.Session]
		t.waiting = false
		x.record.DueAt = now
		if x.record.Status == store.StatusPending {
			x.record.Status = t.status
		}
		s.put(x)
		taken.Sessions = append(taken.Sessions, store.DueSession{ID: w.Session, Workflow: workflowOf(x)})
	}
	switch {
	case n < room:
		at.checkAt = next
		if wait := next.Sub(now); taken.Next == 0 || wait < taken.Next {
			taken.Next = wait
		}
	case n < len(queue):
		at.checkAt = now
	case n == 0 && running == 0 && !at.next.After(now):
		delete(s.lanes, id)
	default:
		at.checkAt = now.Add(store.LaneRest)
	}
}

// lane ends finished turns and returns the number of running sessions and the waiting ones in order.
func (s turns) lane(id string, now time.Time) (running int, queue []store.Waiter) {
	for session, t := range s.turns {
		x := s.sessions[session]
		switch {
		case t.lane != id:
		case x == nil:
			delete(s.turns, session)
		case t.waiting:
			queue = append(queue, store.Waiter{Session: session, Fresh: t.fresh})
		case x.record.Lease != "" || !x.record.DueAt.IsZero() && !x.record.DueAt.After(now):
			running++
		default:
			delete(s.turns, session)
		}
	}
	sorting.By(queue, func(a, b *store.Waiter) int {
		return cmp.Or(cmp.Compare(s.turns[a.Session].place, s.turns[b.Session].place), cmp.Compare(a.Session, b.Session))
	})
	return running, queue
}

// Turn returns the place of a session in its queue.
func (s turns) Turn(ctx context.Context, id string) (*store.Turn, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	t := s.turns[id]
	if t == nil || !t.waiting {
		return nil, nil
	}
	now := s.now()
	running, queue := s.lane(t.lane, now)
	at := s.lanes[t.lane]
	out := &store.Turn{Workflow: at.workflow, Key: at.key, Since: t.since, Running: running,
		Ahead: slices.IndexFunc(queue, func(w store.Waiter) bool { return w.Session == id })}
	if at.next.After(now) {
		out.NextAt = at.next
	}
	return out, nil
}

// Lanes counts what waits and runs.
func (s turns) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var list []store.Lane
	for id, at := range s.lanes {
		if workflow != "" && at.workflow != workflow {
			continue
		}
		l := store.Lane{Workflow: at.workflow, Key: at.key}
		var queue []store.Waiter
		l.Running, queue = s.lane(id, s.now())
		if l.Waiting = len(queue); l.Waiting > 0 {
			l.Oldest = s.turns[queue[0].Session].since
		}
		if l.Running+l.Waiting > 0 {
			list = append(list, l)
		}
	}
	sorting.By(list, func(a, b *store.Lane) int {
		return cmp.Or(-cmp.Compare(a.Waiting, b.Waiting), cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Key, b.Key))
	})
	return list[:min(len(list), limit)], nil
}
