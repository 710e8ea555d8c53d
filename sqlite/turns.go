package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Bounds of one TakeTurns: due sessions looked at, and lanes.
const (
	turnSessions = 500
	turnLanes    = 100
)

// turns are the queues of workflows with limits.
type turns struct{ *db }

// LimitedWorkflows reads the WORKFLOW rows that name a limit.
func (s turns) LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error) {
	var patterns []string
	for _, name := range graph.LimitNames() {
		patterns = append(patterns, `%"`+name+`"%`)
	}
	b := &builder{there: map[string]*graph.Workflow{}}
	if err := s.reader.each(ctx, "workflow_limited", b.workflowRow, list(patterns)); err != nil {
		return nil, fault("read the limits of workflows", err)
	}
	return b.found, nil
}

// A dueTurn is a due session of a limited workflow.
type dueTurn struct {
	id, workflow, status, root, key string
	version, due                    int64
	waiting                         sql.NullInt64 // null: it has no turn and waits for none
	stopped                         bool
}

// free reports whether the session may be claimed as it is.
func (d *dueTurn) free(l *store.TurnLimit) bool {
	return !l.InTurn() || d.waiting.Valid && d.waiting.Int64 == 0
}

type laneDue struct {
	id, workflow string
	next         sql.NullInt64
}

// turnCall is one TakeTurns.
type turnCall struct {
	q         store.TurnQuery
	limits    map[string]*store.TurnLimit
	workflows []string
	taken     store.TurnsTaken
}

// TakeTurns gives turns as the contract says. Where nothing has to be changed it takes no write lock.
func (s turns) TakeTurns(ctx context.Context, q store.TurnQuery) (store.TurnsTaken, error) {
	c := &turnCall{q: q, limits: map[string]*store.TurnLimit{}}
	for i := range q.Limits {
		c.limits[q.Limits[i].Workflow] = &q.Limits[i]
		c.workflows = append(c.workflows, q.Limits[i].Workflow)
	}
	now := s.clock().UnixMicro()
	due, err := c.due(now, func(name string, scan func(scanner) error, args ...any) error {
		return s.reader.each(ctx, name, scan, args...)
	})
	if err != nil {
		return c.taken, fault("look for turns", err)
	}
	lanes, err := c.lanes(now, func(name string, scan func(scanner) error, args ...any) error {
		return s.reader.each(ctx, name, scan, args...)
	})
	if err != nil {
		return c.taken, fault("look for turns", err)
	}
	if changes := len(lanes) > 0; !changes {
		for i := range due {
			changes = changes || !due[i].free(c.limits[due[i].workflow])
		}
		if !changes {
			for i := range due {
				c.take(due[i].id, due[i].workflow)
			}
			return c.taken, nil
		}
	}
	err = s.writer.write(ctx, "give turns", func(t *tx) error {
		c.taken = store.TurnsTaken{}
		return c.write(t)
	})
	return c.taken, err
}

type rowReader func(name string, scan func(scanner) error, args ...any) error

func (c *turnCall) due(now int64, each rowReader) (all []dueTurn, err error) {
	err = each("turn_due", func(row scanner) error {
		var d dueTurn
		err := row.Scan(&d.id, &d.workflow, &d.status, &d.version, &d.root, &d.due, &d.key, &d.waiting, &d.stopped)
		all = append(all, d)
		return err
	}, now, list(c.workflows), list(c.q.Except), turnSessions)
	return all, err
}

func (c *turnCall) lanes(now int64, each rowReader) (all []laneDue, err error) {
	err = each("turn_lanes", func(row scanner) error {
		var l laneDue
		err := row.Scan(&l.id, &l.workflow, &l.next)
		all = append(all, l)
		return err
	}, now, list(c.workflows), turnLanes)
	return all, err
}

// take notes a session that may be claimed, while there is room for it.
func (c *turnCall) take(id, workflow string) {
	if len(c.taken.Sessions) >= c.q.Most {
		c.taken.More = true
		return
	}
	c.taken.Sessions = append(c.taken.Sessions, store.DueSession{ID: id, Workflow: workflow})
}

func (c *turnCall) write(t *tx) error {
	due, err := c.due(t.now, t.each)
	if err != nil {
		return err
	}
	c.taken.More = len(due) == turnSessions
	for i := range due {
		d := &due[i]
		l := c.limits[d.workflow]
		switch {
		case d.free(l):
		case d.stopped:
			if _, err := t.exec("turn_drop", d.id); err != nil {
				return err
			}
		default:
			if err := t.enqueue(d, l); err != nil {
				return err
			}
			continue
		}
		c.take(d.id, d.workflow)
	}
	lanes, err := c.lanes(t.now, t.each)
	if err != nil {
		return err
	}
	for _, at := range lanes {
		if len(c.taken.Sessions) >= c.q.Most {
			c.taken.More = true
			return nil
		}
		if err := c.admit(t, at); err != nil {
			return err
		}
	}
	return nil
}

// enqueue takes a session out of what is due.
func (t *tx) enqueue(d *dueTurn, l *store.TurnLimit) error {
	lane, fresh := l.LaneID(d.key), d.version == 0 && d.root == d.id
	key := d.key
	if !l.Keyed {
		key = ""
	}
	if _, err := t.exec("turn_queue", d.id, lane, store.Place(time.UnixMicro(d.due), fresh), d.due, fresh, d.status); err != nil {
		return err
	}
	if _, err := t.exec("turn_lane", lane, d.workflow, key, t.now); err != nil {
		return err
	}
	_, err := t.exec("turn_wait", d.id)
	return err
}

// admit gives turns in one lane.
func (c *turnCall) admit(t *tx, at laneDue) error {
	if _, err := t.exec("turn_over", at.id, t.now); err != nil {
		return err
	}
	l := c.limits[at.workflow]
	var running int
	if err := t.row("turn_count", func(row scanner) error { return row.Scan(&running) }, at.id, t.now); err != nil {
		return err
	}
	most := min(l.Room(running), c.q.Most-len(c.taken.Sessions))
	queue, err := t.queue(at.id, most+1)
	if err != nil {
		return err
	}
	room := min(most, len(queue))
	n, next := l.Admit(queue[:room], fromMicros(at.next), t.time())
	for _, w := range queue[:n] {
		if _, err := t.exec("turn_give", w.Session); err != nil {
			return err
		}
		if _, err := t.exec("turn_due_now", w.Session, t.now); err != nil {
			return err
		}
		c.take(w.Session, at.workflow)
	}
	look := t.now
	switch {
	case n < room:
		look = next.UnixMicro()
		if wait := next.Sub(t.time()); c.taken.Next == 0 || wait < c.taken.Next {
			c.taken.Next = wait
		}
	case n < len(queue):
	case n == 0 && running == 0 && !next.After(t.time()):
		_, err := t.exec("turn_lane_drop", at.id)
		return err
	default:
		look += store.LaneRest.Microseconds()
	}
	_, err = t.exec("turn_look", at.id, look, micros(next))
	return err
}

// queue returns the first sessions in the queue of a lane, without those that are gone.
func (t *tx) queue(lane string, limit int) (queue []store.Waiter, err error) {
	for {
		var gone []string
		queue = nil
		err := t.each("turn_next", func(row scanner) error {
			var w store.Waiter
			var there bool
			err := row.Scan(&w.Session, &w.Fresh, &there)
			if queue = append(queue, w); !there {
				gone = append(gone, w.Session)
			}
			return err
		}, lane, limit)
		if err != nil || len(gone) == 0 {
			return queue, err
		}
		for _, id := range gone {
			if _, err := t.exec("turn_drop", id); err != nil {
				return nil, err
			}
		}
	}
}

// Turn reads the place of a session in its queue.
func (s turns) Turn(ctx context.Context, session string) (*store.Turn, error) {
	var turn store.Turn
	var lane string
	var next, since sql.NullInt64
	err := s.reader.row(ctx, "turn_of", func(row scanner) error {
		return row.Scan(&lane, &turn.Workflow, &turn.Key, &next, &since, &turn.Ahead)
	}, session)
	if noRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fault("read the turn of "+session, err)
	}
	turn.Since = fromMicros(since)
	now := s.clock()
	if at := fromMicros(next); at.After(now) {
		turn.NextAt = at
	}
	err = s.reader.row(ctx, "turn_count", func(row scanner) error { return row.Scan(&turn.Running) }, lane, now.UnixMicro())
	if err != nil {
		return nil, fault("read the turn of "+session, err)
	}
	return &turn, nil
}

// Lanes counts what waits and runs.
func (s turns) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	var all []store.Lane
	err := s.reader.each(ctx, "turn_lanes_of", func(row scanner) error {
		var l store.Lane
		var oldest sql.NullInt64
		err := row.Scan(&l.Workflow, &l.Key, &l.Waiting, &l.Running, &oldest)
		l.Oldest = fromMicros(oldest)
		all = append(all, l)
		return err
	}, workflow, s.clock().UnixMicro(), limit)
	if err != nil {
		return nil, fault("read lanes", err)
	}
	return all, nil
}
