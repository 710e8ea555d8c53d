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
// transaction; when one of them spoils it, each alone.
func (s *Store) deliverGroup(ctx context.Context, deliveries []engine.Delivery, group []int, results []engine.Delivered) error {
	err := s.together(ctx, "deliver", true, func(t transaction) error {
		p := &post{transaction: t}
		for _, i := range group {
			p.parcels = append(p.parcels, &parcel{delivery: &deliveries[i], result: &results[i]})
			results[i] = engine.Delivered{}
		}
		return p.deliver(ctx)
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

// A post is the group of deliveries that one transaction makes.
type post struct {
	transaction
	parcels []*parcel
}

// A parcel is one delivery on its way.
type parcel struct {
	delivery  *engine.Delivery
	result    *engine.Delivered
	session   engine.SessionRecord
	now       time.Time
	unapplied []engine.Request
	same      *engine.Request
	answers   map[string]*engine.Request // of the open questions, by target; nil where there is none
}

func (p *post) deliver(ctx context.Context) error {
	if err := p.lock(ctx); err != nil {
		return err
	}
	if err := p.look(ctx); err != nil {
		return err
	}
	var rows []any
	for _, parcel := range p.parcels {
		row, err := p.decide(ctx, parcel)
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
	_, err := p.ask(ctx, queryDeliverWrite, params{"rows": rows})
	return err
}

// lock takes the locks in the order of ids. Only parcels whose session is there stay.
func (p *post) lock(ctx context.Context) error {
	ids := make([]string, len(p.parcels))
	for i := range p.parcels {
		ids[i] = p.parcels[i].delivery.Session
	}
	slices.Sort(ids)
	rows, err := p.ask(ctx, queryLock, params{"ids": ids})
	if err != nil {
		return err
	}
	found := make(map[string]row, len(rows))
	for _, r := range rows {
		found[r.properties("session").text("id")] = r
	}
	p.parcels = slices.DeleteFunc(p.parcels, func(parcel *parcel) bool {
		r, there := found[parcel.delivery.Session]
		if !there {
			parcel.result.Err = fmt.Errorf("%w: %s", engine.ErrSessionNotFound, parcel.delivery.Session)
			return true
		}
		parcel.session, parcel.now = sessionFrom(r.properties("session")), r.time("now")
		return false
	})
	return nil
}

// look reads what Decide will probably ask for, of all sessions at once.
func (p *post) look(ctx context.Context) error {
	if len(p.parcels) == 0 {
		return nil
	}
	rows := make([]any, len(p.parcels))
	bySession := make(map[string]*parcel, len(p.parcels))
	for i, parcel := range p.parcels {
		parcel.answers = map[string]*engine.Request{}
		for _, w := range questions(parcel.session.Awaiting) {
			parcel.answers[fmt.Sprintf("%s/%s/%d/%d", parcel.session.ID, w.Step, w.Visit, w.Ask)] = nil
		}
		targets := []string{}
		for target := range parcel.answers {
			targets = append(targets, target)
		}
		rows[i] = params{"session": parcel.session.ID, "id": requestID(parcel.session.ID, parcel.delivery.Key), "targets": targets}
		bySession[parcel.session.ID] = parcel
	}
	answer, err := p.ask(ctx, queryDeliverRequests, params{"rows": rows})
	if err != nil {
		return err
	}
	for _, r := range answer {
		parcel := bySession[r.text("session")]
		parcel.unapplied = requestsFrom(r.list("unapplied"))
		if same := requestsFrom(r.list("same")); len(same) > 0 {
			parcel.same = &same[0]
		}
		for _, q := range requestsFrom(r.list("answers")) {
			parcel.answers[q.Target] = &q
		}
	}
	return nil
}

func requestID(session, key string) string { return session + "/" + key }

// decide shows a delivery its session and returns the row to write, or nil. A row's own
// fault is the result of its delivery; an error returned is one of the connection.
func (p *post) decide(ctx context.Context, parcel *parcel) (params, error) {
	var broken error // of a look-up that Decide made
	request, err := parcel.delivery.Decide(p.view(ctx, parcel, &broken))
	if broken != nil {
		return nil, broken
	}
	if err != nil {
		parcel.result.Err = err
		return nil, nil
	}
	parcel.result.Session = parcel.session
	if request == nil {
		changes := parcel.accept(nil)
		if changes == nil {
			return nil, nil
		}
		return params{"session": parcel.session.ID, "properties": changes, "requests": []any{}}, nil
	}
	q := parcel.number(request)
	if q.Key == "" {
		parcel.result.Err = fmt.Errorf("%w: a request without key", engine.ErrBadRequest)
		return nil, nil
	}
	if taken, err := p.taken(ctx, parcel, &q); taken != nil || err != nil {
		parcel.result.Err = taken
		return nil, err
	}
	changes := parcel.accept(&q)
	return params{"session": q.Session, "properties": changes, "requests": []any{requestProperties(&q)}}, nil
}

// number is the request as it will be written.
func (parcel *parcel) number(request *engine.Request) engine.Request {
	q := *request
	q.Key = cmp.Or(q.Key, parcel.delivery.Key)
	q.ID, q.Session, q.N, q.At = requestID(parcel.session.ID, q.Key), parcel.session.ID, parcel.session.Inbox+1, parcel.now
	return q
}

// view is what Decide sees.
func (p *post) view(ctx context.Context, parcel *parcel, broken *error) engine.InboxView {
	find := func(q statement, values params) (*engine.Request, error) {
		request, err := p.find(ctx, q, values)
		if err != nil {
			*broken = err
		}
		return request, err
	}
	return engine.InboxView{
		Session: parcel.session, Now: parcel.now, Same: parcel.same, Unapplied: parcel.unapplied,
		ByTarget: func(target string) (*engine.Request, error) {
			if q, known := parcel.answers[target]; known {
				return q, nil
			}
			return find(queryRequestOfTarget, params{"target": target})
		},
		LastAnswer: func(step string) (*engine.Request, error) {
			return find(queryRequestLastAnswer, params{"session": parcel.session.ID, "step": step})
		},
	}
}

func (p *post) find(ctx context.Context, q statement, values params) (*engine.Request, error) {
	rows, err := p.ask(ctx, q, values)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	request := requestFrom(rows[0].properties("request"))
	return &request, nil
}

// taken says why a request cannot be written: its id or its target is there already. It
// asks the database only where look has not.
func (p *post) taken(ctx context.Context, parcel *parcel, q *engine.Request) (error, error) {
	same, err := parcel.same, error(nil)
	if q.Key != parcel.delivery.Key {
		if same, err = p.find(ctx, queryRequestOfID, params{"id": q.ID}); err != nil {
			return nil, err
		}
	}
	if same != nil {
		return fmt.Errorf("%w: %s", engine.ErrKeyReused, q.Key), nil
	}
	if q.Target == "" {
		return nil, nil
	}
	answer, known := parcel.answers[q.Target]
	if !known {
		if answer, err = p.find(ctx, queryRequestOfTarget, params{"target": q.Target}); err != nil {
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
func (parcel *parcel) accept(request *engine.Request) params {
	record, changes := &parcel.result.Session, params{}
	requests := slices.Clone(parcel.unapplied)
	if request != nil {
		record.Inbox = request.N
		changes = adoption(record, parcel.now)
		changes["inbox"] = request.N
		parcel.result.Request = request
		if !request.Applied {
			requests = append(requests, *request)
		}
	}
	claimed, changed := parcel.delivery.Take(record, request != nil, parcel.now)
	if claimed {
		parcel.result.Claimed = &engine.Claimed{Session: *record, Requests: requests, Now: parcel.now}
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
