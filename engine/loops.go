package engine

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// claimAtOnce is the maximum number of sessions in one claim.
const claimAtOnce = 100

// background holds the loops of a running engine: they find due work, extend leases and read
// inboxes.
type background struct{ *Engine }

// pollLoop looks for due work when woken, when a timer known to this engine fires, and every
// PollEvery, so that a lost wake-up delays work by at most that interval.
func (b background) pollLoop(ctx context.Context) {
	failures := 0
	var turns rotation
	for {
		began := time.Now()
		more, err := b.claim(ctx, &turns)
		b.polled.note(err)
		wait := b.o.PollEvery - time.Duration(rand.Int64N(int64(b.o.PollEvery)/4+1))
		switch {
		case err != nil && ctx.Err() == nil:
			wait = max(retry.Backoff(failures), 50*time.Millisecond)
			if failures++; failures == 1 || failures%20 == 0 {
				b.o.Log.Warn("looking for due sessions", logError, err)
			}
		case more:
			failures = 0
			continue
		default:
			if failures > 0 {
				b.o.Log.Info("store answers again")
			}
			failures = 0
		}
		if turns.fruitless {
			_ = sleep.For(ctx, min(max(fruitlessFactor*time.Since(began), minFruitless), maxFruitless)) // the loop sees the end
		}
		if b.timer.wait(ctx, wait, b.wake) != nil {
			return
		}
	}
}

// After a search that left out workflows that hold their share and found nothing, the next one waits for ten times as
// long as it took, within these bounds. An engine that is nearly full of one workflow frees a place
// with each step of a session, and each free place asks for a search: without the pause an engine
// with 1,000 sessions of 20 steps searched 17,000 times, a fifth of its processor time.
const (
	fruitlessFactor = 10
	minFruitless    = 5 * time.Millisecond
	maxFruitless    = 100 * time.Millisecond
)

// claim claims due sessions while places are free; more reports that others may be due.
func (b background) claim(ctx context.Context, turns *rotation) (more bool, err error) {
	if err := b.limits.Need(ctx, b.store); err != nil {
		return false, err
	}
	signal(b.turns)
	places, over := b.reserveForClaim(claimAtOnce)
	if turns.fruitless = false; len(places) == 0 {
		return false, ctx.Err()
	}
	skip := append(append(over, turns.skip()...), b.limits.Skipped()...)
	claimed, err := b.store.Claim(ctx, store.ClaimOptions{Owner: b.o.Name, For: b.o.LeaseFor, Limit: len(places), Skip: skip, Except: b.leftAlone(), Token: b.o.NewID})
	b.searched(places[len(claimed):], err == nil && (len(over) > 0 || len(claimed) == len(places)))
	if err != nil {
		return false, err
	}
	b.limits.Quiet.Store(len(claimed) < len(places))
	for i, c := range claimed {
		b.runNow(places[i], c, session.Beginning{})
	}
	turns.fruitless = len(claimed) == 0 && len(over) > 0
	return turns.claimed(claimed, len(places)), nil
}

// inboxLoop reads, in one statement, whether the sessions that wait for calls have new requests.
// Requests accepted in this process notify their runner at once.
func (b background) inboxLoop(ctx context.Context) {
	every(ctx, b.o.InboxEvery, func() {
		waiting := map[string]*held{}
		b.mu.Lock()
		for id, r := range b.runners {
			if _, waits := r.Waiting(); waits {
				waiting[id] = r
			}
		}
		b.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		found, err := b.store.Inboxes(ctx, slices.Sorted(maps.Keys(waiting)))
		for id, r := range waiting {
			st, there := found[id]
			if !there && err != nil {
				continue // not read
			}
			if !there || st.Lease != r.Lease().Token {
				r.Lose()
			} else if known, _ := r.Waiting(); st.Inbox > known {
				r.Poke()
			}
		}
	})
}

// pendingLoop makes pending sessions due when their workflow has changed, because an edit may have
// fixed the reference that they lack. The store records the definition that each was tried with,
// so an engine that starts wakes none needlessly. A session that ran with the earlier definition
// may come to rest just after the others were woken, so a second pass follows.
func (b background) pendingLoop(ctx context.Context) {
	woken := map[string]wokenFor{}
	every(ctx, wakeEvery, func() {
		ids, err := b.store.PendingWorkflows(ctx)
		if err != nil {
			return
		}
		for _, id := range ids {
			def, err := b.currentDefinition(ctx, id)
			if err != nil {
				continue // tried again at the next pass, and no reason to leave out the others
			}
			w := woken[id]
			if w.definition != def.Hash {
				w = wokenFor{definition: def.Hash}
			}
			if w.times == wakeTimes {
				continue
			}
			if err := b.wakePending(ctx, id, def.Hash); err != nil {
				continue // tried again at the next pass
			}
			w.times++
			woken[id] = w
		}
	})
}

// currentDefinition reads a definition unless its database takes long.
func (b background) currentDefinition(ctx context.Context, workflow string) (*graph.Definition, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wakeReadFor, store.Detailf(ErrUnavailable, "no definition within %s", wakeReadFor))
	defer cancel()
	return b.definitions.Read(ctx, workflow, "")
}

// wokenFor is the definition for which a workflow's pending sessions were last woken, and how many times.
type wokenFor struct {
	definition string
	times      int
}

const (
	wakeEvery   = time.Second // longer than a session continues with an earlier definition
	wakeTimes   = 2
	wakeReadFor = 2 * time.Second
	wakePage    = 500 // sessions that one transaction makes due
)

// wakePending makes due, page by page, all pending sessions of a workflow that were not tried with
// this definition.
func (b background) wakePending(ctx context.Context, workflow, definition string) error {
	for {
		n, err := b.store.WakePending(ctx, workflow, definition, wakePage)
		if n > 0 {
			b.wakeUp()
		}
		if err != nil || n < wakePage {
			return err
		}
	}
}

// An engine reads the limits of workflows every limitsEvery, and the sessions that wait for their
// turn every lanesEvery-th time.
const (
	limitsEvery = time.Second
	lanesEvery  = 10
)

// limitLoop keeps the table of workflow limits up to date.
func (b background) limitLoop(ctx context.Context) {
	n := 0
	every(ctx, limitsEvery, func() {
		_ = b.limits.Load(ctx, b.store) // tried again at the next beat
		if n++; n%lanesEvery == 0 {
			_ = b.limits.Count(ctx, b.store)
		}
	})
}

// turnLoop claims sessions of workflows with limits of their own. It is a separate loop, because
// the search for other due work must not wait while it goes through many lanes.
func (b background) turnLoop(ctx context.Context) {
	for {
		next, more, err := b.takeTurns(ctx)
		if err != nil && ctx.Err() == nil {
			b.o.Log.Warn("giving turns", logError, err)
		}
		if more && err == nil {
			continue
		}
		wait := b.o.PollEvery
		if next > 0 {
			wait = min(wait, next+time.Millisecond)
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-b.turns:
			t.Stop()
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// takeTurns claims the sessions whose turn it is, while this engine has free places. The others
// keep their turn and are due for any engine. next is when the rate limit of a workflow lets a
// session start.
func (b background) takeTurns(ctx context.Context) (next time.Duration, more bool, err error) {
	if err := b.limits.Need(ctx, b.store); err != nil {
		return 0, false, err
	}
	limits := b.limits.Wanted()
	if len(limits) == 0 || !b.hasRoom() {
		return 0, false, ctx.Err()
	}
	taken, err := b.store.TakeTurns(ctx, store.TurnQuery{Limits: limits, Except: b.leftAlone(), Most: claimAtOnce})
	if err != nil {
		return 0, false, err
	}
	places := map[string]*place{}
	var ids []string
	for _, s := range taken.Sessions {
		if p := b.reserve(s.ID, s.Workflow, started); p != nil {
			places[s.ID] = p
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return taken.Next, false, nil
	}
	claimed, err := b.store.Claim(ctx, store.ClaimOptions{Owner: b.o.Name, For: b.o.LeaseFor, Limit: len(ids), Among: ids, Token: b.o.NewID})
	for _, c := range claimed {
		b.runNow(places[c.Session.ID], c, session.Beginning{})
		delete(places, c.Session.ID)
	}
	for _, p := range places {
		b.giveBack(p)
	}
	return taken.Next, taken.More && len(ids) == len(taken.Sessions), err
}

// schemaEvery is how often an engine has the store compare its schema with what this version needs.
const schemaEvery = 5 * time.Second

// schemaLoop pings the store. An engine of another version may migrate the database while this one
// runs; if this version does not work on it any more, the store refuses writes from the next ping on.
func (b background) schemaLoop(ctx context.Context) {
	every(ctx, schemaEvery, func() { _ = b.store.Ping(ctx) }) // pollLoop logs what comes of it
}

// every calls f every d until ctx ends.
func every(ctx context.Context, d time.Duration, f func()) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			f()
		case <-ctx.Done():
			return
		}
	}
}
