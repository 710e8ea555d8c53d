package cypher

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// leases are the rights of engines to advance sessions.
type leases struct{ *db }

// Claim leases due sessions. Engines that ask at the same moment see the same candidates:
// each takes others of them first, and goes on with the rest where it came too late.
func (s leases) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	if o.Limit <= 0 {
		return nil, ctx.Err()
	}
	if o.Among != nil {
		if len(o.Among) == 0 {
			return nil, ctx.Err()
		}
		return s.claim(ctx, distinct(o.Among), o, true)
	}
	due, err := s.candidates(ctx, 4*o.Limit, o.Skip, o.Except)
	if err != nil {
		return nil, err
	}
	due = distinct(due) // a session whose due time changes while the index is read can be in it twice
	rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	var claimed []store.Claimed
	for len(due) > 0 && len(claimed) < o.Limit {
		n := min(o.Limit-len(claimed), len(due))
		some, err := s.claim(ctx, due[:n], o, true)
		due = due[n:]
		if err != nil {
			if len(claimed) > 0 {
				return claimed, nil // the sessions claimed so far are returned; the others are tried at the next claim
			}
			return nil, err
		}
		claimed = append(claimed, some...)
	}
	return claimed, nil
}

// candidates returns the ids of due sessions, those that have been due the longest first.
func (s leases) candidates(ctx context.Context, limit int, skip, except []string) ([]string, error) {
	rows, err := s.read(ctx, queryClaimCandidates, params{"limit": limit, "skip": append([]string{}, skip...), "except": append([]string{}, except...)})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.text("id")
	}
	return ids, nil
}

// ClaimByID leases those of the sessions that have no lease, due or not. A session made by
// hand is adopted by its first claim.
func (s leases) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.claim(ctx, distinct(ids), o, false)
}

// claim locks the sessions in the order of their ids and checks each again under its lock.
func (s leases) claim(ctx context.Context, ids []string, o store.ClaimOptions, due bool) ([]store.Claimed, error) {
	slices.Sort(ids)
	rows := make([]any, len(ids))
	for i, id := range ids {
		rows[i] = params{"id": id, "token": o.Token()}
	}
	answer, err := s.write(ctx, queryClaim, params{"rows": rows, "due": due, "owner": o.Owner, "for": milliseconds(o.For)})
	if err != nil {
		return nil, err
	}
	claimed := make([]store.Claimed, len(answer))
	for i, r := range answer {
		claimed[i] = store.Claimed{Session: sessionFrom(r.properties("session")), Requests: requestsFrom(r.list("requests")), Now: r.time("now")}
	}
	return claimed, nil
}

// leaseRows are leases as parameters, in the order of ids.
func leaseRows(leases []store.LeaseRef) []any {
	sorted := slices.Clone(leases)
	sorting.By(sorted, func(a, b *store.LeaseRef) int { return cmp.Compare(a.Session, b.Session) })
	rows := make([]any, len(sorted))
	for i, l := range sorted {
		rows[i] = params{"id": l.Session, "token": l.Token}
	}
	return rows
}
