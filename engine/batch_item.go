package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// settle counts what became of an item.
func (w *batchWorker) settle(item *BatchItem, err error) {
	if err != nil {
		item.Outcome, item.Error = ItemFailed, err.Error()
		w.b.Failed++
		return
	}
	item.Outcome = ItemDone
	w.b.Done++
}

// do does one item, under a key of its own, so that doing it again after a crash counts
// once.
func (w *batchWorker) do(ctx context.Context, item *BatchItem) error {
	if w.options.DryRun {
		return w.forecast(ctx, item)
	}
	key := fmt.Sprintf("%s/%d", w.b.ID, item.N)
	o := &w.options
	switch w.b.Action {
	case RequestAnswer:
		_, err := w.e.accept(ctx, &acceptance{q: AnswerRequest{Session: item.Session, Step: item.Step, Visit: item.Visit,
			Ask: item.Ask, Response: w.response(item), Key: key, By: w.b.By}})
		return err
	case ActionDelete:
		err := w.e.DeleteSession(ctx, item.Session, o.Cancel)
		if errors.Is(err, ErrSessionNotFound) {
			return nil // deleted before a restart
		}
		return err
	}
	step := item.Step
	if step == "" {
		step = o.Step
	}
	_, err := w.e.Act(ctx, Action{Session: item.Session, Kind: w.b.Action, Step: step, To: o.To, Name: o.Name,
		Body: w.signalBody(item), Reason: o.Reason, NewKey: o.NewKey, Key: key, By: w.b.By})
	return err
}

func (w *batchWorker) response(item *BatchItem) json.RawMessage {
	if len(item.Response) > 0 {
		return item.Response
	}
	return w.options.Response
}

func (w *batchWorker) signalBody(item *BatchItem) json.RawMessage {
	if w.b.Action != RequestSignal {
		return nil
	}
	return w.response(item)
}

// forecast says what the session would do; nothing is written to it.
func (w *batchWorker) forecast(ctx context.Context, item *BatchItem) error {
	rec, err := w.e.store.Session(ctx, item.Session)
	if err != nil {
		return err
	}
	q, err := w.request(item, rec)
	if err != nil {
		return err
	}
	f, err := w.e.forecast(ctx, rec, q)
	if err != nil {
		return err
	}
	item.Would, err = encodePlain(f)
	return err
}

// request is what the item would put into the session's inbox.
func (w *batchWorker) request(item *BatchItem, rec *SessionRecord) (*Request, error) {
	o := &w.options
	switch w.b.Action {
	case ActionDelete:
		return nil, nil
	case RequestAnswer:
		a := acceptance{q: AnswerRequest{Session: item.Session, Step: item.Step, Visit: item.Visit, Ask: item.Ask, Response: w.response(item)}}
		return a.decide(InboxView{Session: *rec, Now: time.Now(),
			ByTarget:   func(string) (*Request, error) { return nil, nil },
			LastAnswer: func(string) (*Request, error) { return nil, nil }})
	}
	if err := mayAct(w.b.Action, rec); err != nil {
		return nil, err
	}
	step := item.Step
	if step == "" {
		step = o.Step
	}
	body, err := encodePlain(actionBody{Reason: o.Reason, Step: step, To: o.To, Name: o.Name, Body: w.signalBody(item), NewKey: o.NewKey})
	return &Request{Kind: w.b.Action, Step: step, Body: body}, err
}
