package cypher

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// Deliver puts requests into inboxes, under the locks of their sessions. Deliveries for
// one session are made one after another, each in the next transaction.
func (s *Store) Deliver(ctx context.Context, deliveries []engine.Delivery) ([]engine.Delivered, error) {
	results := make([]engine.Delivered, len(deliveries))
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
func (s *Store) deliverGroup(ctx context.Context, deliveries []engine.Delivery, group []int, results []engine.Delivered) error {
	err := s.together(ctx, "deliver", true, func(t transaction) error {
		d := &deliveryTx{transaction: t}
		for _, i := range group {
			d.items = append(d.items, &deliveryItem{delivery: &deliveries[i], result: &results[i]})
			results[i] = engine.Delivered{}
		}
		return d.deliver(ctx)
	})
	if err == nil || isPassing(err) {
		return err
	}
	if len(group) == 1 {
		results[group[0]] = engine.Delivered{Err: err}
		return nil
	}
	for _, i := range group {
		if err := s.deliverGroup(ctx, deliveries, []int{i}, results); err != nil {
			return err
		}
	}
	return nil
}

// A deliveryTx makes a group of deliveries in one transaction.
type deliveryTx struct {
	transaction
	items []*deliveryItem
}

// A deliveryItem is one delivery of a deliveryTx, with what was read about its session.
type deliveryItem struct {
	delivery  *engine.Delivery
	result    *engine.Delivered
	session   engine.SessionRecord
	now       time.Time
	unapplied []engine.Request
	same      *engine.Request
	answers   map[string]*engine.Request // of the open questions, by target; nil where there is none
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
			item.result.Err = fmt.Errorf("%w: %s", engine.ErrSessionNotFound, item.delivery.Session)
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
		item.answers = map[string]*engine.Request{}
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

func requestID(session, key string) string { return session + "/" + key }

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
		item.result.Err = fmt.Errorf("%w: a request without key", engine.ErrBadRequest)
		return nil, nil
	}
	if taken, err := d.taken(ctx, item, &q); taken != nil || err != nil {
		item.result.Err = taken
		return nil, err
	}
	changes := item.accept(&q)
	return params{"session": q.Session, "properties": changes, "requests": []any{requestProperties(&q)}}, nil
}

// number is the request as it will be written.
func (item *deliveryItem) number(request *engine.Request) engine.Request {
	q := *request
	q.Key = cmp.Or(q.Key, item.delivery.Key)
	q.ID, q.Session, q.N, q.At = requestID(item.session.ID, q.Key), item.session.ID, item.session.Inbox+1, item.now
	return q
}

// view is what Decide sees.
func (d *deliveryTx) view(ctx context.Context, item *deliveryItem, broken *error) engine.InboxView {
	find := func(q statement, values params) (*engine.Request, error) {
		request, err := d.find(ctx, q, values)
		if err != nil {
			*broken = err
		}
		return request, err
	}
	return engine.InboxView{
		Session: item.session, Now: item.now, Same: item.same, Unapplied: item.unapplied,
		ByTarget: func(target string) (*engine.Request, error) {
			if q, known := item.answers[target]; known {
				return q, nil
			}
			return find(queryRequestOfTarget, params{"target": target})
		},
		LastAnswer: func(step string) (*engine.Request, error) {
			return find(queryRequestLastAnswer, params{"session": item.session.ID, "step": step})
		},
	}
}

func (d *deliveryTx) find(ctx context.Context, q statement, values params) (*engine.Request, error) {
	rows, err := d.query(ctx, q, values)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	request := requestFrom(rows[0].properties("request"))
	return &request, nil
}

// taken says why a request cannot be written: its id or its target is there already. It
// asks the database only where look has not.
func (d *deliveryTx) taken(ctx context.Context, item *deliveryItem, q *engine.Request) (error, error) {
	same, err := item.same, error(nil)
	if q.Key != item.delivery.Key {
		if same, err = d.find(ctx, queryRequestOfID, params{"id": q.ID}); err != nil {
			return nil, err
		}
	}
	if same != nil {
		return fmt.Errorf("%w: %s", engine.ErrKeyReused, q.Key), nil
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
		return fmt.Errorf("%w: %s", engine.ErrAlreadyAnswered, q.Target), nil
	}
	return nil, nil
}

// accept sets the result as it will be once the request is written, and returns the
// properties to set on the session. request is nil when Decide wanted none; the properties
// are nil when nothing changes.
func (item *deliveryItem) accept(request *engine.Request) params {
	record, changes := &item.result.Session, params{}
	requests := slices.Clone(item.unapplied)
	if request != nil {
		record.Inbox = request.N
		changes = adoption(record, item.now)
		changes["inbox"] = request.N
		item.result.Request = request
		if !request.Applied {
			requests = append(requests, *request)
		}
	}
	claimed, changed := item.delivery.Take(record, request != nil, item.now)
	if claimed {
		item.result.Claimed = &engine.Claimed{Session: *record, Requests: requests, Now: item.now}
		changes["lease"], changes["lease_owner"], changes["lease_until"] = record.Lease, record.LeaseOwner, stamp(record.LeaseUntil)
	}
	if changed {
		changes["due_at"], changes["claims"] = stamp(record.DueAt), record.Claims
	}
	if len(changes) == 0 {
		return nil
	}
	return changes
}

// adoption fills what a session made by hand lacks, in the record too, and returns the
// properties to set.
func adoption(record *engine.SessionRecord, now time.Time) params {
	changes := params{}
	if record.CreatedAt.IsZero() {
		record.CreatedAt = now
		changes["created_at"] = stamp(now)
	}
	if record.Workflow == "" {
		record.Workflow = engine.DefaultWorkflow
		changes["workflow"] = engine.DefaultWorkflow
	}
	if record.Root == "" {
		record.Root = record.ID
		changes["root"] = record.ID
	}
	return changes
}
