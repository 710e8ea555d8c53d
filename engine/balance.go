package engine

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// The engine that takes a start or an answer runs the session, so a load balancer that favours one
// engine, or a batch, fills the slots of that engine while the others are idle. Due sessions
// spread by themselves, since every engine looks for them; sessions in the queue of a function do
// not, because their engine holds the leases.
//
// Simpler answers fail. A session that finds no free slot could give up its lease at once, but
// when all engines are full it would go round between them, at the cost of a checkpoint and a
// claim each time. Slots counted in the store would cost a transaction for each call.
//
// So engines announce what is called and what waits (announce.go), and each engine compares: if
// more waits for its slots of a function than the average of the engines that have the function,
// it gives the surplus away (Runner.Yield). Such a session becomes due for any engine; this one
// leaves it alone for leaveFor. What is under way stays. An engine announces a change of its load
// within balanceEvery, so only a surplus that two comparisons have found is given away.

const (
	balanceEvery = 2 * time.Second
	shareAtMost  = 200 // sessions given away at once for one function
)

// balance is what an engine remembers between two comparisons.
type balance struct {
	background
	seen map[string]int       // the surplus of each function at the last comparison
	used map[string]time.Time // newest announcement of each engine that sessions were given away for
}

// shareWork gives sessions that wait for a slot to other engines if those have less to do.
func (b *balance) shareWork(ctx context.Context) error {
	mine := b.Load()
	seen := b.seen
	b.seen = map[string]int{}
	if mine.Queued == 0 {
		return nil
	}
	list, err := b.store.Engines(ctx, aliveFor)
	if err != nil {
		return err
	}
	var peers []peer
	for i := range list {
		a := &list[i]
		if a.ID == b.id || a.State != "" || !a.At.After(b.used[a.ID]) {
			continue // an announcement counts once: what was given away since is not in it
		}
		p := peer{Announcement: a}
		if json.Unmarshal(a.Holds, &p.load) == nil {
			peers = append(peers, p)
		}
	}
	given := false
	own := newAnnouncedLoad(mine)
	for _, function := range slices.Sorted(maps.Keys(mine.Functions)) {
		n := surplus(function, own, peers)
		b.seen[function] = n
		for _, session := range b.slots.last(function, min(n, seen[function], shareAtMost)) {
			given = b.yield(session) || given
		}
	}
	if given {
		b.used = map[string]time.Time{}
		for _, p := range peers {
			b.used[p.ID] = p.At
		}
	}
	return nil
}

// yield gives a session away if none of its calls is under way.
func (h *holding) yield(session string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.runners[session]
	if h.stopping || r == nil || r.seat.calls > 0 {
		return false
	}
	r.Yield()
	return true
}

// A peer is another engine at work on the store.
type peer struct {
	*store.Announcement
	load announcedLoad
}

// surplus is how many of the calls that wait for a function here are above this engine's share.
// It is 0 while no other engine has a free slot or a queue that is shorter by half.
func surplus(function string, own announcedLoad, peers []peer) int {
	mine := own.Functions[function]
	work, slots := mine.Calls+mine.Queued, own.slotsFor(function, mine.Limit)
	all, allSlots, better := work, slots, false
	for _, p := range peers {
		if !p.Has(function) {
			continue
		}
		theirs := p.load.Functions[function]
		n := p.load.slotsFor(function, mine.Limit)
		if n <= 0 || theirs.Limit == 0 && p.load.Functions == nil && p.load.Queued > 0 {
			continue // an engine of an earlier version: what it has waiting may be for this function
		}
		all += theirs.Calls + theirs.Queued
		allSlots += n
		better = better || theirs.Calls+theirs.Queued < n || 2*(theirs.Calls+theirs.Queued)*slots < work*n
	}
	if !better || allSlots == 0 {
		return 0
	}
	return min(mine.Queued, work-(all*slots+allSlots-1)/allSlots)
}
