package engine

import (
	"context"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// heartbeatLoop extends the leases of sessions that have not written a checkpoint recently, those of each
// database by themselves: one that does not answer must not cost the others their leases.
func (b background) heartbeatLoop(ctx context.Context) {
	several, _ := b.store.(store.Divided)
	every(ctx, b.o.LeaseFor/5, func() {
		var all sync.WaitGroup
		for _, group := range b.leasesToExtend(ctx, several) {
			all.Go(func() { b.extend(ctx, group) })
		}
		all.Wait()
		if several != nil {
			b.markUnreachable()
		}
	})
}

// leasesToExtend are sessions with leases that grow old, together by database.
func (b background) leasesToExtend(ctx context.Context, several store.Divided) map[string][]*held {
	var old []*held
	b.mu.Lock()
	for _, r := range b.runners {
		if time.Since(r.Leased()) > b.o.LeaseFor/3 {
			old = append(old, r)
		}
	}
	b.mu.Unlock()
	groups := map[string][]*held{}
	for _, r := range old {
		database := ""
		if several != nil {
			var err error
			if database, err = several.DatabaseOfSession(ctx, r.Lease().Session); err != nil {
				continue
			}
		}
		groups[database] = append(groups[database], r)
	}
	return groups
}

// extend extends leases. If the store does not answer they are tried again at the next beat:
// writes are guarded by the token, not by the time.
func (b background) extend(ctx context.Context, group []*held) {
	refs := make([]store.LeaseRef, len(group))
	byID := make(map[string]*held, len(group))
	for i, r := range group {
		refs[i] = r.Lease()
		byID[refs[i].Session] = r
	}
	asked := time.Now()
	lost, err := b.store.Extend(ctx, refs, b.o.LeaseFor)
	for _, id := range lost {
		byID[id].Lose()
		delete(byID, id)
	}
	if err != nil {
		return
	}
	for _, r := range byID {
		r.Extended(asked)
	}
}

// markUnreachable takes the places of sessions whose leases have ended, because one of several databases does
// not answer: they wait for it, however long, and may fill the engine while the others have work.
// With a single database there is no other work.
func (b background) markUnreachable() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.runners {
		r.seat.unreachable = time.Since(r.Leased()) > b.o.LeaseFor
		r.seat.settle()
	}
}
