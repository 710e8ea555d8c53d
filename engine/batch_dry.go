package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// forecast says what the session would do; nothing is written to it.
func (w *batchWorker) forecast(ctx context.Context, item *BatchItem) error {
	rec, err := w.e.store.Session(ctx, item.Session)
	if err != nil {
		return explainDelivery(err, item.Session)
	}
	f, err := w.would(ctx, item, rec)
	if err != nil {
		return err
	}
	item.Would, err = jsontext.Marshal(f)
	return err
}

func (w *batchWorker) would(ctx context.Context, item *BatchItem, rec *SessionRecord) (*Forecast, error) {
	if w.b.Action == ActionDelete {
		return w.wouldDelete(rec)
	}
	q, err := w.request(ctx, item, rec)
	if err != nil {
		return nil, err
	}
	return w.e.forecast(ctx, rec, q)
}

// wouldDelete refuses what DeleteSession would refuse.
func (w *batchWorker) wouldDelete(rec *SessionRecord) (*Forecast, error) {
	status := rec.Status
	if st, err := ParseState(rec.ID, rec.State); err == nil {
		status = st.ShownStatus(rec.Version)
	}
	f := &Forecast{Session: rec.ID, Status: status, Outcome: "deleted", Steps: []ForecastStep{}}
	if ended(status) || status == StatusPaused {
		return f, nil
	}
	if !w.options.Cancel {
		return nil, detail(ErrSessionBusy, "session %s is %s; delete with cancel", rec.ID, status)
	}
	f.Outcome = "cancelled and deleted"
	return f, nil
}

// request is what the item would put into the session's inbox.
func (w *batchWorker) request(ctx context.Context, item *BatchItem, rec *SessionRecord) (*Request, error) {
	o := &w.options
	if w.b.Action == RequestAnswer {
		return w.dryAnswer(ctx, item, rec)
	}
	if err := mayAct(w.b.Action, rec); err != nil {
		return nil, err
	}
	a := Action{Session: rec.ID, Kind: w.b.Action, Step: w.step(item), To: o.To, Name: o.Name, Body: w.signalBody(item)}
	if err := w.e.checkAction(ctx, &a); err != nil {
		return nil, err
	}
	body, err := jsontext.Marshal(actionBody{Reason: o.Reason, Step: a.Step, To: a.To, Name: a.Name, Body: a.Body, NewKey: o.NewKey})
	return &Request{Kind: w.b.Action, Step: a.Step, Body: body}, err
}

// dryAnswer decides on an answer as its acceptance would, without the session's lock.
func (w *batchWorker) dryAnswer(ctx context.Context, item *BatchItem, rec *SessionRecord) (*Request, error) {
	waiting, err := w.e.store.Requests(ctx, []InboxAfter{{Session: rec.ID, N: max(0, rec.Inbox-dryLook)}})
	if err != nil {
		return nil, err
	}
	before := waiting[rec.ID]
	a := acceptance{q: w.answer(item)}
	q, err := a.decide(InboxView{Session: *rec, Now: time.Now(), Unapplied: before,
		ByTarget:   func(string) (*Request, error) { return nil, nil },
		LastAnswer: func(string) (*Request, error) { return nil, nil }})
	if err == nil && q == nil {
		q = a.replayed // the same answer is on its way already
	}
	return q, err
}

// dryLook is how many of a session's newest requests a dry run looks at for one that
// answers the same question.
const dryLook = 50
