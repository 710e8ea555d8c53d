package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/batch"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// batchActions applies the items of batches through the engine.
type batchActions struct{ e *Engine }

// batchLoop processes batches until ctx ends.
func (b background) batchLoop(ctx context.Context) { batch.Run(ctx, b.Operations) }

// Do applies one item to its session.
func (w batchActions) Do(ctx context.Context, job *batch.Job) error {
	ctx = withoutHaste(ctx)
	o, item := job.Options, job.Item
	switch job.Batch.Action {
	case RequestAnswer:
		if n := len(job.Response()); n > w.e.o.MaxOutput {
			return store.Detailf(ErrTooLarge, "response has %d bytes, at most %d are taken", n, w.e.o.MaxOutput)
		}
		_, err := w.e.accept(ctx, &acceptance{q: answerOf(job)})
		return err
	case ActionDelete:
		err := w.e.DeleteSession(ctx, item.Session, o.Cancel)
		if errors.Is(err, ErrSessionNotFound) {
			return nil // already deleted, by this item before a restart or by another request
		}
		return err
	}
	_, err := w.e.Act(ctx, Action{Session: item.Session, Kind: job.Batch.Action, Step: job.Step(), Visit: o.Visit, To: o.To, Name: o.Name,
		Body: signalBody(job), Reason: o.Reason, NewKey: o.NewKey, Key: job.Key(), By: job.Batch.By})
	return err
}

// answerOf returns the item's answer to the question that the item was created for.
func answerOf(job *batch.Job) AnswerRequest {
	item := job.Item
	return AnswerRequest{Session: item.Session, Step: item.Step, Visit: item.Visit, Ask: item.Ask,
		Response: job.Response(), Key: job.Key(), By: job.Batch.By}
}

func signalBody(job *batch.Job) json.RawMessage {
	if job.Batch.Action != RequestSignal {
		return nil
	}
	return job.Response()
}

// Forecast computes what the item would do to its session; nothing is written.
func (w batchActions) Forecast(ctx context.Context, job *batch.Job) (json.RawMessage, error) {
	rec, err := w.e.store.Session(ctx, job.Item.Session)
	if err != nil {
		return nil, explainDelivery(err, job.Item.Session)
	}
	f, err := w.would(ctx, job, rec)
	if err != nil {
		return nil, err
	}
	return jsontext.Marshal(f)
}

func (w batchActions) would(ctx context.Context, job *batch.Job, rec *store.SessionRecord) (*Forecast, error) {
	if job.Batch.Action == ActionDelete {
		return wouldDelete(job, rec)
	}
	q, err := w.request(ctx, job, rec)
	if err != nil {
		return nil, err
	}
	return w.e.forecast(ctx, rec, q)
}

// wouldDelete returns the error that DeleteSession would return.
func wouldDelete(job *batch.Job, rec *store.SessionRecord) (*Forecast, error) {
	status := rec.Status
	if st, err := ParseState(rec.ID, rec.State); err == nil {
		status = st.ShownStatus(rec.Version)
	}
	f := &Forecast{Session: rec.ID, Status: status, Outcome: "deleted", Steps: []ForecastStep{}}
	if store.Ended(status) || status == StatusPaused {
		return f, nil
	}
	if !job.Options.Cancel {
		return nil, store.Detailf(ErrSessionBusy, "session %s is %s; delete with cancel", rec.ID, status)
	}
	f.Outcome = "cancelled and deleted"
	return f, nil
}

// request returns the request that the item would put into the session's inbox.
func (w batchActions) request(ctx context.Context, job *batch.Job, rec *store.SessionRecord) (*Request, error) {
	o := job.Options
	if job.Batch.Action == RequestAnswer {
		return w.dryAnswer(ctx, job, rec)
	}
	if err := session.MayAct(job.Batch.Action, rec); err != nil {
		return nil, err
	}
	a := Action{Session: rec.ID, Kind: job.Batch.Action, Step: job.Step(), Visit: o.Visit, To: o.To, Name: o.Name, Body: signalBody(job)}
	if err := w.e.checkAction(ctx, &a); err != nil {
		return nil, err
	}
	body, err := jsontext.Marshal(session.ActionBody{Reason: o.Reason, Step: a.Step, Visit: a.Visit, To: a.To, Name: a.Name, Body: a.Body, NewKey: o.NewKey})
	return &Request{Kind: job.Batch.Action, Step: a.Step, Body: body}, err
}

// dryAnswer checks an answer as the real acceptance would, without the session's lock.
func (w batchActions) dryAnswer(ctx context.Context, job *batch.Job, rec *store.SessionRecord) (*Request, error) {
	waiting, err := w.e.store.Requests(ctx, []store.InboxAfter{{Session: rec.ID, N: max(0, rec.Inbox-dryRunRequests)}})
	if err != nil {
		return nil, err
	}
	before := waiting[rec.ID]
	a := acceptance{q: answerOf(job)}
	q, err := a.decide(store.InboxView{Session: *rec, Now: time.Now(), Unapplied: before,
		ByTarget:   func(string) (*Request, error) { return nil, nil },
		LastAnswer: func(string) (*Request, error) { return nil, nil }})
	if err == nil && q == nil {
		q = a.replayed // the same answer is already in the inbox
	}
	return q, err
}

// dryRunRequests is how many of a session's newest requests a dry run reads to find one that answers
// the same question.
const dryRunRequests = 50
