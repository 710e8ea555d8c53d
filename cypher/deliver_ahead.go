package cypher

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
)

// deliverAhead makes the deliveries of a group that nothing comes in the way of: it reads
// without locks, decides, and writes in one statement, which takes the locks and compares
// what the decisions saw. Two round trips instead of five, and the locks are held for one
// statement. It returns the deliveries that must be decided under their locks: those that
// were refused, sent before, or overtaken.
func (s inbox) deliverAhead(ctx context.Context, deliveries []store.Delivery, group []int, results []store.Delivered) ([]int, error) {
	items, err := s.readAhead(ctx, deliveries, group, results)
	if err != nil {
		return nil, err
	}
	var rows []any
	for _, i := range group {
		if item := items[deliveries[i].Session]; item != nil {
			if row := item.decideAhead(); row != nil {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		return group, nil
	}
	slices.SortFunc(rows, func(x, y any) int { return cmp.Compare(x.(params)["session"].(string), y.(params)["session"].(string)) })
	done, err := s.write(ctx, queryDeliverAhead, params{"rows": rows})
	if err != nil {
		if isPassing(err) {
			return nil, err
		}
		return group, nil // one delivery makes the statement fail: decided under the locks, only it fails
	}
	written := make(map[string]bool, len(done))
	for _, r := range done {
		written[r.text("id")] = true
	}
	return slices.DeleteFunc(slices.Clone(group), func(i int) bool { return written[deliveries[i].Session] }), nil
}

// readAhead reads the sessions of a group with their inboxes. It leaves out sessions that do
// not exist, that a commit changed during the read, or that have a request with this key.
func (s inbox) readAhead(ctx context.Context, deliveries []store.Delivery, group []int, results []store.Delivered) (map[string]*deliveryItem, error) {
	asked := make([]any, len(group))
	items := make(map[string]*deliveryItem, len(group))
	for at, i := range group {
		d := &deliveries[i]
		asked[at] = params{"session": d.Session, "id": requestID(d.Session, d.Key)}
		results[i] = store.Delivered{}
		items[d.Session] = &deliveryItem{delivery: d, result: &results[i]}
	}
	answer, err := s.read(ctx, queryDeliverLook, params{"rows": asked})
	if err != nil {
		return nil, err
	}
	seen := make(map[string]*deliveryItem, len(answer))
	for _, r := range answer {
		session := r.properties("session")
		record := sessionFrom(session)
		if item := items[record.ID]; item != nil && !r.yes("same") && isConsistent(&record, session.text("seal")) {
			item.session, item.now = record, r.time("now")
			item.unapplied = requestsFrom(r.list("unapplied"))
			seen[record.ID] = item
		}
	}
	return seen, nil
}

// decideAhead shows a delivery its session and returns the row to write. It is nil where the
// decision is to write nothing, or asked for a request that was not read and is not the one
// whose absence the statement checks.
func (item *deliveryItem) decideAhead() params {
	before := item.session
	var targets []string
	sure := true
	request, err := item.delivery.Decide(store.InboxView{
		Session: before, Now: item.now, Unapplied: item.unapplied,
		ByTarget: func(target string) (*store.Request, error) {
			for i := range item.unapplied {
				if item.unapplied[i].Target == target {
					return &item.unapplied[i], nil
				}
			}
			targets = append(targets, target)
			return nil, nil
		},
		LastAnswer: func(string) (*store.Request, error) { sure = false; return nil, nil },
	})
	if err != nil || request == nil || !sure || slices.ContainsFunc(targets, func(t string) bool { return t != request.Target }) {
		return nil
	}
	q := item.number(request)
	if q.Key == "" {
		return nil
	}
	item.result.Session = before
	unapplied := make([]any, len(item.unapplied))
	for i := range item.unapplied {
		unapplied[i] = item.unapplied[i].N
	}
	return params{
		"session": before.ID, "version": before.Version, "inbox": before.Inbox, "lease": before.Lease, "unapplied": unapplied,
		"id": q.ID, "target": optional(q.Target), "request": requestProperties(&q), "properties": item.accept(&q),
	}
}
