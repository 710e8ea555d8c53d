package cypher

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// deliverAhead makes the deliveries of a group that nothing comes in the way of: it reads
// without locks, decides, and writes in one statement, which takes the locks and compares
// what the decisions saw. Two round trips instead of five, and the locks are held for one
// statement. It returns the deliveries that must be decided under their locks: those that
// were refused, sent before, or overtaken.
func (s *Store) deliverAhead(ctx context.Context, deliveries []engine.Delivery, group []int, results []engine.Delivered) ([]int, error) {
	parcels, err := s.lookAhead(ctx, deliveries, group, results)
	if err != nil {
		return nil, err
	}
	var rows []any
	for _, i := range group {
		if parcel := parcels[deliveries[i].Session]; parcel != nil {
			if row := parcel.decideAhead(); row != nil {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		return group, nil
	}
	slices.SortFunc(rows, func(x, y any) int { return cmp.Compare(x.(params)["session"].(string), y.(params)["session"].(string)) })
	answer, err := s.write(ctx, queryDeliverAhead, params{"rows": rows})
	if err != nil {
		if isPassing(err) {
			return nil, err
		}
		return group, nil // one of them spoils it: under the locks each fails alone
	}
	written := make(map[string]bool, len(answer))
	for _, r := range answer {
		written[r.text("id")] = true
	}
	return slices.DeleteFunc(slices.Clone(group), func(i int) bool { return written[deliveries[i].Session] }), nil
}

// lookAhead reads the sessions of a group with their inboxes. Left out are those that are
// not there, were read while they were written, or have a request with this key already.
func (s *Store) lookAhead(ctx context.Context, deliveries []engine.Delivery, group []int, results []engine.Delivered) (map[string]*parcel, error) {
	asked := make([]any, len(group))
	parcels := make(map[string]*parcel, len(group))
	for at, i := range group {
		d := &deliveries[i]
		asked[at] = params{"session": d.Session, "id": requestID(d.Session, d.Key)}
		results[i] = engine.Delivered{}
		parcels[d.Session] = &parcel{delivery: d, result: &results[i]}
	}
	answer, err := s.read(ctx, queryDeliverLook, params{"rows": asked})
	if err != nil {
		return nil, err
	}
	seen := make(map[string]*parcel, len(answer))
	for _, r := range answer {
		session := r.properties("session")
		record := sessionFrom(session)
		if parcel := parcels[record.ID]; parcel != nil && !r.yes("same") && intact(&record, session.text("seal")) {
			parcel.session, parcel.now = record, r.time("now")
			parcel.unapplied = requestsFrom(r.list("unapplied"))
			seen[record.ID] = parcel
		}
	}
	return seen, nil
}

// decideAhead shows a delivery its session and returns the row to write. It is nil where the
// decision is to write nothing, or asked for a request that was not read and is not the one
// whose absence the statement checks.
func (parcel *parcel) decideAhead() params {
	before := parcel.session
	var targets []string
	sure := true
	request, err := parcel.delivery.Decide(engine.InboxView{
		Session: before, Now: parcel.now, Unapplied: parcel.unapplied,
		ByTarget: func(target string) (*engine.Request, error) {
			for i := range parcel.unapplied {
				if parcel.unapplied[i].Target == target {
					return &parcel.unapplied[i], nil
				}
			}
			targets = append(targets, target)
			return nil, nil
		},
		LastAnswer: func(string) (*engine.Request, error) { sure = false; return nil, nil },
	})
	if err != nil || request == nil || !sure || slices.ContainsFunc(targets, func(t string) bool { return t != request.Target }) {
		return nil
	}
	q := parcel.number(request)
	if q.Key == "" {
		return nil
	}
	parcel.result.Session = before
	unapplied := make([]any, len(parcel.unapplied))
	for i := range parcel.unapplied {
		unapplied[i] = parcel.unapplied[i].N
	}
	return params{
		"session": before.ID, "version": before.Version, "inbox": before.Inbox, "lease": before.Lease, "unapplied": unapplied,
		"id": q.ID, "target": optional(q.Target), "request": requestProperties(&q), "properties": parcel.accept(&q),
	}
}
