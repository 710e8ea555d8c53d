package cypher

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Deliver puts requests into inboxes, under the locks of their sessions. Deliveries for
// one session are made one after another, each in the next transaction.
func (s inbox) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	results := make([]store.Delivered, len(deliveries))
	for _, group := range apart(len(deliveries), func(i int) []string { return []string{deliveries[i].Session} }) {
		left, err := s.deliverAhead(ctx, deliveries, group, results)
		if err != nil {
			return nil, err
		}
		if len(left) == 0 {
			continue
		}
		if err := s.deliverGroup(ctx, deliveries, left, results); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// deliverGroup makes deliveries for different sessions under their locks, in one
// transaction. If that transaction fails because of one of them, each gets its own.
func (s inbox) deliverGroup(ctx context.Context, deliveries []store.Delivery, group []int, results []store.Delivered) error {
	err := s.together(ctx, "deliver", true, func(t transaction) error {
		d := &deliveryTx{transaction: t}
		for _, i := range group {
			d.items = append(d.items, &deliveryItem{delivery: &deliveries[i], result: &results[i]})
			results[i] = store.Delivered{}
		}
		return d.deliver(ctx)
	})
	if err == nil || isPassing(err) {
		return err
	}
	if len(group) == 1 {
		results[group[0]] = store.Delivered{Err: err}
		return nil
	}
	for _, i := range group {
		if err := s.deliverGroup(ctx, deliveries, []int{i}, results); err != nil {
			return err
		}
	}
	return nil
}
