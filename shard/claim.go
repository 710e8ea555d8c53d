package shard

import (
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// claimTimeout is how long a Claim waits for the other databases once one has answered.
const claimTimeout = 250 * time.Millisecond

// Claim claims due sessions of all databases that answer. Each gets an equal share of the limit;
// what one does not use goes to those that have more.
func (s leases) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	if o.Among != nil {
		return s.claimAmong(ctx, o)
	}
	var all []store.Claimed
	of := s.inTurn()
	for len(all) < o.Limit && len(of) > 0 {
		searches := s.searchDue(ctx, of, o, o.Limit-len(all))
		var again []*database
		var failed []answer[struct{}]
		for i, found := range searches {
			switch {
			case found == nil: // it is slow, and the next Claim has its result
			case found.err != nil:
				failed = append(failed, answer[struct{}]{of: of[i], err: found.err})
			default:
				all = append(all, s.usable(ctx, of[i], found, o, o.Limit-len(all))...)
				if len(found.claimed) == found.share {
					again = append(again, of[i])
				}
			}
		}
		if len(all) == 0 && len(failed) == len(of) {
			return nil, faults(failed)
		}
		of = again
	}
	return all, ctx.Err()
}

// inTurn are the databases that answer, with another one first each time: it gets what an equal
// share of the limit leaves over.
func (s leases) inTurn() []*database {
	of := s.answering()
	n := int(s.claims.Add(1) % uint64(len(of)))
	return slices.Concat(of[n:], of[:n])
}

// claimAmong claims those of the given sessions that are due.
func (s leases) claimAmong(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	groups, _ := group(ctx, s.homes, o.Among, func(id *string) string { return *id })
	claimed, err := claimedOf(askGroups(ctx, groups, func(st store.Store, ids []string) ([]store.Claimed, error) {
		mine := o
		mine.Among = ids
		return st.Claim(ctx, mine)
	}))
	if len(claimed) > o.Limit { // of several databases together
		s.releaseUnused(ctx, claimed[o.Limit:])
		claimed = claimed[:o.Limit]
	}
	return claimed, err
}

// searchDue has databases search for due sessions, each for a share of the limit, and returns what
// those found that answer in time; nil for the others.
func (s leases) searchDue(ctx context.Context, of []*database, o store.ClaimOptions, limit int) []*search {
	searches := make([]*search, len(of))
	first := make(chan struct{}, len(of))
	for i, d := range of {
		share := limit / len(of)
		if i < limit%len(of) {
			share++
		}
		if searches[i] = d.takeLate(); searches[i] == nil {
			searches[i] = s.searchIn(ctx, d, o, share)
		}
		go func() {
			<-searches[i].done
			first <- struct{}{}
		}()
	}
	select {
	case <-first:
	case <-ctx.Done():
	}
	timeout := time.NewTimer(claimTimeout)
	defer timeout.Stop()
	for i, d := range of {
		select {
		case <-searches[i].done:
			continue
		default:
		}
		select {
		case <-searches[i].done:
		case <-timeout.C:
			timeout.Reset(0)
			d.putLate(searches[i])
			searches[i] = nil
		}
	}
	return searches
}

// searchIn begins a search.
func (s leases) searchIn(ctx context.Context, d *database, o store.ClaimOptions, share int) *search {
	found := &search{done: make(chan struct{}), share: share, began: time.Now()}
	o.Limit = share
	s.work.Go(func() {
		defer close(found.done)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.life, cancel)()
		if share > 0 {
			found.claimed, found.err = call(ctx, d, func(st store.Store) ([]store.Claimed, error) { return st.Claim(ctx, o) })
		}
	})
	return found
}

// takeLate returns a search that an earlier Claim did not wait for, or nil.
func (d *database) takeLate() *search {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.late) == 0 {
		return nil
	}
	oldest := d.late[0]
	d.late = d.late[1:]
	return oldest
}

func (d *database) putLate(found *search) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.late = append(d.late, found)
}

// usable returns the sessions of a search that this Claim may return. Those of an earlier one may
// be too many or of workflows to skip, or much of their leases is over: these are given back.
func (s leases) usable(ctx context.Context, d *database, found *search, o store.ClaimOptions, limit int) []store.Claimed {
	var use, back []store.Claimed
	for _, c := range found.claimed {
		s.known.put(c.Session.ID, d)
		if len(use) == limit || time.Since(found.began) > o.For/3 && o.For > time.Second || slices.Contains(o.Skip, c.Session.Workflow) || slices.Contains(o.Except, c.Session.ID) {
			back = append(back, c)
		} else {
			use = append(use, c)
		}
	}
	s.releaseUnused(ctx, back)
	return use
}

// releaseUnused makes sessions due again that were claimed and are not used.
func (s leases) releaseUnused(ctx context.Context, claimed []store.Claimed) {
	if len(claimed) == 0 {
		return
	}
	refs := make([]store.LeaseRef, len(claimed))
	for i := range claimed {
		refs[i] = store.LeaseRef{Session: claimed[i].Session.ID, Token: claimed[i].Session.Lease}
	}
	if err := s.Release(ctx, refs); err != nil {
		s.log.Warn("give sessions back", "sessions", len(refs), "error", err) // they are due when their leases end
	}
}

// dropLate gives back what searches have claimed that no Claim waited for.
func (s leases) dropLate() {
	ctx, cancel := context.WithTimeout(context.Background(), timely)
	defer cancel()
	for _, d := range s.databases {
		for found := d.takeLate(); found != nil; found = d.takeLate() {
			for _, c := range found.claimed {
				s.known.put(c.Session.ID, d)
			}
			s.releaseUnused(ctx, found.claimed)
		}
	}
}
