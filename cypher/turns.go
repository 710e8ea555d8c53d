package cypher

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Limits of one call of TakeTurns: due sessions read, and lanes.
const (
	turnSessions = 500
	turnLanes    = 100
)

// turns are the queues of sessions of workflows with a limit.
type turns struct{ *db }

// LimitedWorkflows reads the WORKFLOW nodes that name a limit.
func (s turns) LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error) {
	var names []string
	for _, name := range graph.LimitNames() {
		names = append(names, `"`+name+`"`)
	}
	rows, err := s.read(ctx, queryWorkflowsLimited, params{"names": names})
	if err != nil {
		return nil, err
	}
	found := map[string]*graph.Workflow{}
	for _, r := range rows {
		id := r.text("id")
		if found[id] != nil {
			continue
		}
		w := &graph.Workflow{ID: id}
		if node := r.properties("properties"); node != nil {
			(&workflowRows{id: id, node: node}).describe(w)
		}
		found[id] = w
	}
	return slices.Collect(maps.Values(found)), nil
}

// turnCall is one call of TakeTurns.
type turnCall struct {
	turns
	q         store.TurnQuery
	limits    map[string]*store.TurnLimit
	workflows []string
	ranks     map[string]any
	most      map[string]any
	taken     store.TurnsTaken
}

// TakeTurns gives turns as the contract says: one transaction adds sessions to their queues, and
// one per lane starts those for which the lane has capacity. Locks of lanes come before those of sessions.
func (s turns) TakeTurns(ctx context.Context, q store.TurnQuery) (store.TurnsTaken, error) {
	c := &turnCall{turns: s, q: q, limits: map[string]*store.TurnLimit{}, ranks: params{}, most: params{}}
	for i := range q.Limits {
		l := &q.Limits[i]
		c.limits[l.Workflow], c.ranks[l.Workflow], c.most[l.Workflow] = l, i, l.AtOnce
		c.workflows = append(c.workflows, l.Workflow)
	}
	if len(c.workflows) == 0 {
		return c.taken, ctx.Err()
	}
	if err := c.sort(ctx); err != nil {
		return store.TurnsTaken{}, err
	}
	lanes, err := s.read(ctx, queryTurnLanes, params{"workflows": c.workflows, "most": c.most, "limit": turnLanes})
	if err != nil {
		return c.taken, err
	}
	for _, r := range lanes {
		if len(c.taken.Sessions) >= q.Most {
			c.taken.More = true
			break
		}
		if err := c.admit(ctx, r.text("id"), r.text("workflow")); err != nil {
			if len(c.taken.Sessions) > 0 {
				return c.taken, nil // what has its turn is claimed; the rest is tried next time
			}
			return c.taken, err
		}
	}
	return c.taken, nil
}

// take notes a session that may be claimed, while there is room for it. A session whose due time
// changes while the index is read can come twice.
func (c *turnCall) take(id, workflow string) {
	if slices.ContainsFunc(c.taken.Sessions, func(s store.DueSession) bool { return s.ID == id }) {
		return
	}
	if len(c.taken.Sessions) >= c.q.Most {
		c.taken.More = true
		return
	}
	c.taken.Sessions = append(c.taken.Sessions, store.DueSession{ID: id, Workflow: workflow})
}

// sort takes due sessions that may run, and puts the others into queues.
func (c *turnCall) sort(ctx context.Context) error {
	rows, err := c.read(ctx, queryTurnDue, params{"workflows": c.workflows, "ranks": c.ranks, "except": append([]string{}, c.q.Except...), "limit": turnSessions})
	if err != nil {
		return err
	}
	c.taken.More = len(rows) == turnSessions
	var dropped []string
	lanes, queued := map[string]params{}, map[string]params{}
	for _, r := range rows {
		id, l := r.text("id"), c.limits[r.text("workflow")]
		switch {
		case !l.InTurn() || r.yes("has"):
		case r.yes("stopped"):
			dropped = append(dropped, id)
		default:
			lane, key := l.LaneID(r.text("key")), r.text("key")
			if !l.Keyed {
				key = ""
			}
			lanes[lane] = params{"id": lane, "workflow": l.Workflow, "key": key}
			queued[id] = params{"id": id, "lane": lane}
			continue
		}
		c.take(id, l.Workflow)
	}
	if len(dropped) > 0 {
		slices.Sort(dropped)
		if _, err := c.write(ctx, queryTurnDrop, params{"ids": dropped}); err != nil {
			return err
		}
	}
	if len(queued) == 0 {
		return nil
	}
	return c.together(ctx, "turn_queue", true, func(t transaction) error {
		if _, err := t.query(ctx, queryTurnQueueLanes, params{"rows": inOrder(lanes)}); err != nil {
			return err
		}
		_, err := t.query(ctx, queryTurnQueue, params{"rows": inOrder(queued), "fresh": store.FreshAfter})
		return err
	})
}

// inOrder are rows by the order of their ids, in which locks are taken.
func inOrder(rows map[string]params) []any {
	list := make([]any, 0, len(rows))
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		list = append(list, rows[id])
	}
	return list
}

// A laneTurn is a lane under its lock.
type laneTurn struct {
	transaction
	id   string
	next time.Time
	now  time.Time
}

// admit gives turns in one lane.
func (c *turnCall) admit(ctx context.Context, id, workflow string) error {
	var given []string
	var wait time.Duration
	err := c.together(ctx, "turn_give", true, func(t transaction) error {
		given, wait = nil, 0
		rows, err := t.query(ctx, queryTurnLaneLock, params{"id": id})
		if err != nil || len(rows) == 0 {
			return err
		}
		at := &laneTurn{t, id, rows[0].time("next_at"), rows[0].time("now")}
		given, wait, err = at.admit(ctx, c.limits[workflow], c.q.Most-len(c.taken.Sessions))
		return err
	})
	if err != nil {
		return err
	}
	for _, session := range given {
		c.take(session, workflow)
	}
	if wait > 0 && (c.taken.Next == 0 || wait < c.taken.Next) {
		c.taken.Next = wait
	}
	return nil
}

func (at *laneTurn) admit(ctx context.Context, l *store.TurnLimit, most int) (given []string, wait time.Duration, err error) {
	running, err := at.running(ctx)
	if err != nil {
		return nil, 0, err
	}
	most = min(most, l.Room(running))
	queue, err := at.queue(ctx, most+1)
	if err != nil {
		return nil, 0, err
	}
	room := min(most, len(queue))
	n, next := l.Admit(queue[:room], at.next, at.now)
	for _, w := range queue[:n] {
		given = append(given, w.Session)
	}
	if n > 0 {
		if _, err := at.query(ctx, queryTurnGive, params{"ids": slices.Sorted(slices.Values(given)), "lane": at.id}); err != nil {
			return nil, 0, err
		}
	}
	look := time.Duration(0)
	switch {
	case n < room:
		look = next.Sub(at.now)
		wait = look
	case n < len(queue):
	case n == 0 && running == 0 && !next.After(at.now):
		_, err := at.query(ctx, queryTurnLaneDrop, params{"id": at.id})
		return nil, 0, err
	default:
		look = store.LaneRest
	}
	_, err = at.query(ctx, queryTurnLook, params{"id": at.id, "for": milliseconds(look), "next_at": stamp(next)})
	return given, wait, err
}

// running ends the turns that are over and counts the others. Reads take no locks, so a
// session that looks as if it were at rest is looked at again under its own.
func (at *laneTurn) running(ctx context.Context) (int, error) {
	rows, err := at.query(ctx, queryTurnHolders, params{"id": at.id})
	if err != nil {
		return 0, err
	}
	n := len(rows)
	var idle []string
	for _, r := range rows {
		if !r.yes("uses") {
			idle = append(idle, r.text("session"))
		}
	}
	if len(idle) == 0 {
		return n, nil
	}
	slices.Sort(idle)
	over, err := at.query(ctx, queryTurnOver, params{"ids": idle})
	return n - len(over), err
}

// queue returns the first sessions in the queue, without those that are gone.
func (at *laneTurn) queue(ctx context.Context, limit int) ([]store.Waiter, error) {
	for {
		rows, err := at.query(ctx, queryTurnNext, params{"id": at.id, "limit": limit})
		if err != nil {
			return nil, err
		}
		var queue []store.Waiter
		var gone []string
		for _, r := range rows {
			queue = append(queue, store.Waiter{Session: r.text("session"), Fresh: r.yes("fresh")})
			if !r.yes("there") {
				gone = append(gone, r.text("session"))
			}
		}
		if len(gone) == 0 {
			return queue, nil
		}
		if _, err := at.query(ctx, queryTurnDrop, params{"ids": gone}); err != nil {
			return nil, err
		}
	}
}

// Turn reads the place of a session in its queue.
func (s turns) Turn(ctx context.Context, session string) (*store.Turn, error) {
	rows, err := s.read(ctx, queryTurnOf, params{"session": session})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	r := rows[0]
	return &store.Turn{Workflow: r.text("workflow"), Key: r.text("key"), Since: r.time("since"), NextAt: r.time("next_at"),
		Ahead: int(r.number("ahead")), Running: int(r.number("running"))}, nil
}

// Lanes counts what waits and runs.
func (s turns) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	rows, err := s.read(ctx, queryTurnLanesOf, params{"workflow": workflow, "limit": limit})
	if err != nil {
		return nil, err
	}
	list := make([]store.Lane, len(rows))
	for i, r := range rows {
		list[i] = store.Lane{Workflow: r.text("workflow"), Key: r.text("key"), Waiting: int(r.number("waiting")), Running: int(r.number("running")), Oldest: r.time("oldest")}
	}
	return list, nil
}
