package sqlite

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// inbox is the requests of sessions. The edit of a state is one of them.
type inbox struct{ *db }

// Deliver puts requests into inboxes, all in one transaction and each on its own: a
// request is inserted before anything else of its delivery is written, so a refused one
// leaves nothing behind.
func (s inbox) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	if len(deliveries) == 0 {
		return nil, nil
	}
	delivered := make([]store.Delivered, len(deliveries))
	err := s.writer.write(ctx, "deliver", func(t *tx) error {
		into := deliveryTx{t}
		for i := range deliveries {
			delivered[i] = store.Delivered{}
			if err := into.deliver(&deliveries[i], &delivered[i]); err != nil {
				if code(err) != 0 { // an error of the database, not of the delivery
					return fmt.Errorf("session %s: %w", deliveries[i].Session, err)
				}
				delivered[i] = store.Delivered{Err: err}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return delivered, nil
}

// A deliveryTx puts requests into inboxes.
type deliveryTx struct{ *tx }

func (t deliveryTx) deliver(d *store.Delivery, out *store.Delivered) error {
	view, err := t.view(d)
	if err != nil {
		return err
	}
	r, err := d.Decide(view)
	if err != nil {
		return err
	}
	out.Session = view.Session
	waiting := view.Unapplied
	if r != nil {
		written := *r
		if err := t.number(&written, d, &out.Session); err != nil {
			return err
		}
		out.Request = &written
		waiting = append(waiting, written)
	}
	return t.take(d, out, waiting)
}

// view reads the data that Decide receives.
func (t deliveryTx) view(d *store.Delivery) (store.InboxView, error) {
	v := store.InboxView{Now: t.time()}
	var err error
	if v.Session, err = t.session(d.Session); err != nil {
		return v, err
	}
	if d.Key != "" {
		if v.Same, err = t.request("request_by_key", d.Session, d.Key); err != nil {
			return v, err
		}
	}
	if v.Unapplied, err = t.unapplied(d.Session); err != nil {
		return v, err
	}
	v.ByTarget = func(target string) (*store.Request, error) { return t.request("request_by_target", target) }
	v.LastAnswer = func(step string) (*store.Request, error) { return t.request("request_last_answer", d.Session, step) }
	return v, nil
}

// request reads one request, nil when there is none.
func (t deliveryTx) request(query string, args ...any) (*store.Request, error) {
	var r store.Request
	err := t.row(query, func(row scanner) error { return scanRequest(row, &r) }, args...)
	if noRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// number gives a request the next number in the inbox of rec and writes it.
func (t deliveryTx) number(r *store.Request, d *store.Delivery, rec *store.SessionRecord) error {
	r.Key = orElse(r.Key, d.Key)
	if r.Key == "" {
		return fmt.Errorf("session %s: request without a key: %w", d.Session, store.ErrBadRequest)
	}
	r.Session, r.ID, r.N, r.At = d.Session, d.Session+"/"+r.Key, rec.Inbox+1, t.time()
	if err := t.insert(r); err != nil {
		return err
	}
	rec.Inbox = r.N
	return nil
}

// insert writes a request. It returns a key or target in use as such, unlike other database errors.
func (t deliveryTx) insert(r *store.Request) error {
	_, err := t.exec("request_create", r.Session, r.N, r.Key, orNull(r.Target), r.Kind, r.Step, r.Visit, r.Ask, text(r.Body), r.BodyHash,
		r.By, r.At.UnixMicro(), r.Applied, r.Outcome)
	if err == nil || !isTaken(err) {
		return err
	}
	// Both may be in use, and SQLite does not define which index reports first: the key takes precedence.
	same, err := t.request("request_by_key", r.Session, r.Key)
	if err != nil {
		return err
	}
	if same == nil {
		return fmt.Errorf("question %s: %w", r.Target, store.ErrAlreadyAnswered)
	}
	return fmt.Errorf("request %s: %w", r.ID, store.ErrKeyReused)
}

// take makes the session due for its new request, or leases it to the caller; it updates
// out.Session to match the row.
func (t deliveryTx) take(d *store.Delivery, out *store.Delivered, waiting []store.Request) error {
	rec, now := &out.Session, t.time()
	claimed, changed := d.Take(rec, out.Request != nil, now)
	if claimed {
		out.Claimed = &store.Claimed{Session: *rec, Requests: waiting, Now: now}
	}
	if !changed && out.Request == nil {
		return nil
	}
	_, err := t.exec("inbox_take", rec.ID, rec.Inbox, rec.Lease, rec.LeaseOwner, micros(rec.LeaseUntil), micros(rec.DueAt), rec.Claims)
	return err
}
