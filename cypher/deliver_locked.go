package cypher

import (
	"context"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A deliveryTx makes a group of deliveries in one transaction.
type deliveryTx struct {
	transaction
	items []*deliveryItem
}

func (d *deliveryTx) deliver(ctx context.Context) error {
	if err := d.lock(ctx); err != nil {
		return err
	}
	if err := d.prefetch(ctx); err != nil {
		return err
	}
	var rows []any
	for _, item := range d.items {
		row, err := d.decide(ctx, item)
		if err != nil {
			return err
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := d.query(ctx, queryDeliverWrite, params{"rows": rows})
	return err
}

// lock locks the sessions in the order of their ids, and removes items whose session does not
// exist.
func (d *deliveryTx) lock(ctx context.Context) error {
	ids := make([]string, len(d.items))
	for i := range d.items {
		ids[i] = d.items[i].delivery.Session
	}
	slices.Sort(ids)
	rows, err := d.query(ctx, queryLock, params{"ids": ids})
	if err != nil {
		return err
	}
	found := make(map[string]row, len(rows))
	for _, r := range rows {
		found[r.properties("session").text("id")] = r
	}
	d.items = slices.DeleteFunc(d.items, func(item *deliveryItem) bool {
		r, there := found[item.delivery.Session]
		if !there {
			item.result.Err = fmt.Errorf("%w: %s", store.ErrSessionNotFound, item.delivery.Session)
			return true
		}
		item.session, item.now = sessionFrom(r.properties("session")), r.time("now")
		return false
	})
	return nil
}

// prefetch reads what Decide will probably ask for, for all sessions in one query.
func (d *deliveryTx) prefetch(ctx context.Context) error {
	if len(d.items) == 0 {
		return nil
	}
	rows := make([]any, len(d.items))
	bySession := make(map[string]*deliveryItem, len(d.items))
	for i, item := range d.items {
		item.answers = map[string]*store.Request{}
		for _, w := range questions(item.session.Awaiting) {
			item.answers[fmt.Sprintf("%s/%s/%d/%d", item.session.ID, w.Step, w.Visit, w.Ask)] = nil
		}
		targets := []string{}
		for target := range item.answers {
			targets = append(targets, target)
		}
		rows[i] = params{"session": item.session.ID, "id": requestID(item.session.ID, item.delivery.Key), "targets": targets}
		bySession[item.session.ID] = item
	}
	answer, err := d.query(ctx, queryDeliverRequests, params{"rows": rows})
	if err != nil {
		return err
	}
	for _, r := range answer {
		item := bySession[r.text("session")]
		item.unapplied = requestsFrom(r.list("unapplied"))
		if same := requestsFrom(r.list("same")); len(same) > 0 {
			item.same = &same[0]
		}
		for _, q := range requestsFrom(r.list("answers")) {
			item.answers[q.Target] = &q
		}
	}
	return nil
}

// decide shows a delivery its session and returns the row to write, or nil. A row's own
// fault is the result of its delivery; an error returned is one of the connection.
func (d *deliveryTx) decide(ctx context.Context, item *deliveryItem) (params, error) {
	var broken error // of a look-up that Decide made
	request, err := item.delivery.Decide(d.view(ctx, item, &broken))
	if broken != nil {
		return nil, broken
	}
	if err != nil {
		item.result.Err = err
		return nil, nil
	}
	item.result.Session = item.session
	if request == nil {
		changes := item.accept(nil)
		if changes == nil {
			return nil, nil
		}
		return params{"session": item.session.ID, "properties": changes, "requests": []any{}}, nil
	}
	q := item.number(request)
	if q.Key == "" {
		item.result.Err = fmt.Errorf("%w: a request without key", store.ErrBadRequest)
		return nil, nil
	}
	if taken, err := d.taken(ctx, item, &q); taken != nil || err != nil {
		item.result.Err = taken
		return nil, err
	}
	changes := item.accept(&q)
	return params{"session": q.Session, "properties": changes, "requests": []any{requestProperties(&q)}}, nil
}

// view is what Decide sees.
func (d *deliveryTx) view(ctx context.Context, item *deliveryItem, broken *error) store.InboxView {
	find := func(q statement, values params) (*store.Request, error) {
		request, err := d.find(ctx, q, values)
		if err != nil {
			*broken = err
		}
		return request, err
	}
	return store.InboxView{
		Session: item.session, Now: item.now, Same: item.same, Unapplied: item.unapplied,
		ByTarget: func(target string) (*store.Request, error) {
			if q, known := item.answers[target]; known {
				return q, nil
			}
			return find(queryRequestOfTarget, params{"target": target})
		},
		LastAnswer: func(step string) (*store.Request, error) {
			return find(queryRequestLastAnswer, params{"session": item.session.ID, "step": step})
		},
	}
}

func (d *deliveryTx) find(ctx context.Context, q statement, values params) (*store.Request, error) {
	rows, err := d.query(ctx, q, values)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	request := requestFrom(rows[0].properties("request"))
	return &request, nil
}

// taken says why a request cannot be written: its id or its target is there already. It
// asks the database only where look has not.
func (d *deliveryTx) taken(ctx context.Context, item *deliveryItem, q *store.Request) (error, error) {
	same, err := item.same, error(nil)
	if q.Key != item.delivery.Key {
		if same, err = d.find(ctx, queryRequestOfID, params{"id": q.ID}); err != nil {
			return nil, err
		}
	}
	if same != nil {
		return fmt.Errorf("%w: %s", store.ErrKeyReused, q.Key), nil
	}
	if q.Target == "" {
		return nil, nil
	}
	answer, known := item.answers[q.Target]
	if !known {
		if answer, err = d.find(ctx, queryRequestOfTarget, params{"target": q.Target}); err != nil {
			return nil, err
		}
	}
	if answer != nil {
		return fmt.Errorf("%w: %s", store.ErrAlreadyAnswered, q.Target), nil
	}
	return nil, nil
}
