// Package inturn reads the limits of a store's workflows (sessions at once, rate, priority) and the
// key by which they are counted.
package inturn

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Table is what the workflows of the store allow, read once a second: an edit of limits counts
// from the next reading on.
type Table struct {
	mu     sync.RWMutex
	loaded bool
	of     map[string]graph.Limits
	turns  []store.TurnLimit // of workflows with limits or a lane, in the order of their priorities
	skip   []string          // workflows that claims of due work leave to TakeTurns
	lanes  []store.Lane      // at the last look
	asked  int               // calls of Wanted
	// Quiet is true while the newest claim of due work found less than there was room for.
	Quiet atomic.Bool
}

// lanesShown bounds what metrics show of queues.
const lanesShown = 100

// mostBurst is how much of a rate may be made up for at once: starts at a high rate are let go in groups.
const mostBurst = 250 * time.Millisecond

// Load reads the limits of all workflows.
func (t *Table) Load(ctx context.Context, s store.Store) error {
	list, err := s.LimitedWorkflows(ctx)
	if err != nil {
		return err
	}
	of := map[string]graph.Limits{}
	var turns []store.TurnLimit
	var skip []string
	for _, w := range list {
		l, _ := w.LimitsInForce() // an invalid limit has no effect; validate reports it
		every, per := l.Every()
		turns = append(turns, store.TurnLimit{Workflow: w.ID, AtOnce: l.MaxSessionsAtOnce, Every: every, Burst: min(mostBurst, per/4), Keyed: l.ConcurrencyKey != ""})
		if !l.IsZero() {
			of[w.ID] = l
		}
		if l.InTurn() || l.Level() != graph.DefaultPriority {
			skip = append(skip, w.ID)
		}
	}
	sort.Slice(turns, func(i, j int) bool {
		a, b := of[turns[i].Workflow].Level(), of[turns[j].Workflow].Level()
		return a < b || a == b && turns[i].Workflow < turns[j].Workflow
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loaded, t.of, t.turns, t.skip = true, of, turns, skip
	return nil
}

// Need loads the limits if they were never read: nothing is claimed before.
func (t *Table) Need(ctx context.Context, s store.Store) error {
	t.mu.RLock()
	loaded := t.loaded
	t.mu.RUnlock()
	if loaded {
		return nil
	}
	return t.Load(ctx, s)
}

// Limits are those of one workflow as last read.
func (t *Table) Limits(workflow string) graph.Limits {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.of[cmp.Or(workflow, graph.DefaultWorkflow)]
}

// Skipped are the workflows whose due sessions TakeTurns finds.
func (t *Table) Skipped() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.skip
}

// orderEvery is how often Wanted gives another order than that of priorities.
const orderEvery = 8

// Wanted are the workflows to take turns of now, best priority first: those that come after the others
// wait until nothing else is due. Of eight calls one gives all workflows, beginning with another
// one each time: a call of the store takes a bounded number of sessions, and a workflow that always has as many due
// would leave those of worse priority nothing.
func (t *Table) Wanted() []store.TurnLimit {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked++
	if n := len(t.turns); n > 0 && t.asked%orderEvery == 0 {
		first := t.asked / orderEvery % n
		return slices.Concat(t.turns[first:], t.turns[:first])
	}
	if t.Quiet.Load() {
		return t.turns
	}
	n := sort.Search(len(t.turns), func(i int) bool { return t.of[t.turns[i].Workflow].Level() > graph.DefaultPriority })
	return t.turns[:n]
}

// Count looks at what waits for its turn.
func (t *Table) Count(ctx context.Context, s store.Store) error {
	t.mu.RLock()
	limited := len(t.turns) > 0
	t.mu.RUnlock()
	var lanes []store.Lane
	if limited {
		var err error
		if lanes, err = s.Lanes(ctx, "", lanesShown); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lanes = lanes
	return nil
}

// LanesSeen is what waited for its turn at the last look.
func (t *Table) LanesSeen() []store.Lane {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.lanes
}
