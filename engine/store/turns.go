package store

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// Turns let sessions of workflows with limits of their own (graph.Limits) wait for their turn.
//
// The limits hold for all engines of a store together, so no engine can count for itself. A lock
// around "count those that run, then claim one more" would have every waiting session due, and
// each search for due work would look past all of them. So a session that has no turn is not due:
// it is put into the queue of its lane, with status pending, and becomes due when it gets
// its turn. A lane is the sessions of one workflow, or those with one value of its concurrency key.
//
// A turn is over when its session has no lease and is not due. No write records that: the engine
// that gives the next turn reads the sessions that have one. So an engine that dies takes no turn
// with it, and what a session does at its end needs no further write.
type Turns interface {
	// LimitedWorkflows returns, without steps, each WORKFLOW whose settings or own properties name
	// a limit, and each workflow, then without anything else, that has a lane. It may return others.
	LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error)
	// TakeTurns looks at the due sessions of the workflows in limits and returns those that
	// may be claimed, at most q.Most; the others it puts into the queues of their lanes.
	// Then it gives turns to the sessions next in the queues of these workflows, as far as the limits have
	// room: they are due now and returned too. A workflow of q without limits lets all of its queues go. Sessions that an operator has cancelled or paused need no turn.
	TakeTurns(ctx context.Context, q TurnQuery) (TurnsTaken, error)
	// Turn returns what a session in a queue waits for, nil for one that is in none.
	Turn(ctx context.Context, session string) (*Turn, error)
	// Lanes returns the lanes of a workflow, or of all, in which sessions wait or run: those of
	// which most wait first, at most limit.
	Lanes(ctx context.Context, workflow string, limit int) ([]Lane, error)
}

// A TurnQuery asks for sessions to claim.
type TurnQuery struct {
	Limits []TurnLimit // in the order in which the workflows go
	Except []string    // sessions to leave to other engines
	Most   int
}

// A TurnLimit is what one workflow allows.
type TurnLimit struct {
	Workflow string
	AtOnce   int           // sessions of a lane that run at once; 0 for any number
	Every    time.Duration // between two starts in a lane; 0 for none
	Burst    time.Duration // so much of the rate may be made up for at once
	Keyed    bool          // lanes are by concurrency key
}

// InTurn reports whether sessions of the workflow wait for their turn.
func (l *TurnLimit) InTurn() bool { return l.AtOnce > 0 || l.Every > 0 }

// TurnsTaken are sessions that may be claimed now, and when the rate of a lane lets the
// next one start (zero when none waits for that).
type TurnsTaken struct {
	Sessions []DueSession
	Next     time.Duration // from now; 0 when no session waits for a rate
	More     bool          // there may be others
}

// A DueSession may be claimed.
type DueSession struct{ ID, Workflow string }

// A Turn is a session's place in the queue of its lane.
type Turn struct {
	Workflow string
	Key      string // of the lane, empty without a concurrency key
	Since    time.Time
	Ahead    int       // sessions before it
	Running  int       // sessions that have their turn
	NextAt   time.Time // when the rate lets the next session start; zero when it holds none up
}

// A Lane is what waits and runs in one lane.
type Lane struct {
	Workflow string    `json:"workflow"`
	Key      string    `json:"key,omitempty"`
	Waiting  int       `json:"waiting"`
	Running  int       `json:"running"`
	Oldest   time.Time `json:"oldest,omitzero"` // since when the first has waited
}

// laneSeparator stands between workflow and key in the id of a lane; neither contains it.
const laneSeparator = "\x1f"

// LaneID names the lane of a session.
func (l *TurnLimit) LaneID(key string) string {
	if !l.Keyed {
		key = ""
	}
	return l.Workflow + laneSeparator + key
}

// LaneRest is how long a lane without waiting sessions is kept after its last turn.
const LaneRest = time.Minute

// A Waiter is a session in a queue. Fresh is one that has not begun: only these count
// against the rate of starts. Children have been started by their parents.
type Waiter struct {
	Session string
	Fresh   bool
}

// FreshAfter moves fresh sessions in a queue behind those that go on, whatever their age: people wait
// for these. It is added to the milliseconds by which a queue is ordered.
const FreshAfter = int64(1_000_000_000_000_000)

// Place is the place of a session in its queue.
func Place(due time.Time, fresh bool) int64 {
	if fresh {
		return due.UnixMilli() + FreshAfter
	}
	return due.UnixMilli()
}

// Room is how many of a lane's sessions may get a turn while running have one.
func (l *TurnLimit) Room(running int) int {
	const any = 500
	if l.AtOnce == 0 {
		return any
	}
	return max(0, min(any, l.AtOnce-running))
}

// Admit returns how many of the first in a queue get their turn, and until when the lane starts no
// more after that. next is what the call before returned, or zero. Not more than Room are given.
func (l *TurnLimit) Admit(queue []Waiter, next, now time.Time) (n int, after time.Time) {
	if l.Every <= 0 {
		return len(queue), time.Time{}
	}
	if earliest := now.Add(-l.Burst); next.Before(earliest) {
		next = earliest
	}
	for i := range queue {
		if queue[i].Fresh {
			if next.After(now) {
				return i, next
			}
			next = next.Add(l.Every)
		}
	}
	return len(queue), next
}
