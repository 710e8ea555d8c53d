package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/memory"
)

func stopAndContinue(o *operator) {
	w := o.asking()
	ids := o.start(w, 40)
	b := o.begin(answerAll(w, `"Ada"`, engine.BatchOptions{Rate: 8}))
	o.until("some are answered", func() bool {
		now, err := o.engine.Batch(o.ctx, b.ID)
		o.noError(err)
		return now.Done > 0
	})
	stopped, err := o.engine.StopBatch(o.ctx, b.ID, "lunch")
	o.noError(err)
	if stopped.Phase != engine.BatchStopped || stopped.Message != "lunch" || stopped.Done == 40 {
		o.Fatalf("stopped: %+v", stopped)
	}
	q := answerAll(w, `"Eve"`, engine.BatchOptions{First: 1})
	q.Filter.OldestWaiting = true
	o.finish(q, 1, 0) // somebody answers another by hand meanwhile
	_, err = o.engine.ContinueBatch(o.ctx, b.ID)
	o.noError(err)
	o.until("more are answered", func() bool {
		now, err := o.engine.Batch(o.ctx, b.ID)
		o.noError(err)
		return now.Done > stopped.Done
	})
	_, err = o.engine.StopBatch(o.ctx, b.ID, "")
	o.noError(err)
	o.noError(o.engine.DeleteBatch(o.ctx, b.ID))
	if _, err := o.engine.BatchItems(o.ctx, b.ID, engine.ItemQuery{}); !errors.Is(err, engine.ErrBatchNotFound) {
		o.Errorf("items of a deleted batch: %v", err)
	}
	for _, id := range ids {
		if n := len(o.answers(id)); n > 1 {
			o.Errorf("session %s has %d answers", id, n)
		}
	}
}

func slowBesideQuick(o *operator) {
	w := o.asking()
	ids := o.start(w, 30)
	slow := answerLines()
	for _, id := range ids[:20] {
		slow.Items = append(slow.Items, engine.BatchItem{Session: id, Response: json.RawMessage(`"slow"`)})
	}
	slow.Options.Rate = 1
	b := o.begin(slow)
	quick := answerLines()
	for _, id := range ids[20:] {
		quick.Items = append(quick.Items, engine.BatchItem{Session: id, Response: json.RawMessage(`"quick"`)})
	}
	o.finish(quick, 10, 0)
	stopped, err := o.engine.StopBatch(o.ctx, b.ID, "enough")
	o.noError(err)
	if stopped.Phase != engine.BatchStopped {
		o.Errorf("the slow one is %s", stopped.Phase)
	}
}

// TestBatchStoppedMeansStopped looks for a long time, of a fake clock, at a batch that was
// stopped between two pages.
func TestBatchStoppedMeansStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOperator(t, memory.New(memory.Options{}))
		defer func() { o.stop() }()
		w := o.asking()
		ids := o.start(w, 40)
		b := o.begin(answerAll(w, `"Ada"`, engine.BatchOptions{Rate: 8}))
		time.Sleep(2100 * time.Millisecond)
		stopped, err := o.engine.StopBatch(t.Context(), b.ID, "lunch")
		o.noError(err)
		time.Sleep(time.Minute)
		answered := 0
		for _, id := range ids {
			answered += len(o.answers(id))
		}
		if answered != int(stopped.Done) || answered != 18 {
			t.Errorf("%d are answered, %d were when it stopped, want 18", answered, stopped.Done)
		}
	})
}

// act is a batch of an action on all sessions of a workflow.
func act(action, workflow string, options engine.BatchOptions) engine.BatchRequest {
	return engine.BatchRequest{Action: action, Filter: &engine.SessionQuery{Workflow: workflow}, Options: options}
}

func pauseResumeCancel(o *operator) {
	w := o.asking()
	ids := o.start(w, 10)
	o.finish(act(engine.RequestPause, w, engine.BatchOptions{Reason: "night"}), 10, 0)
	o.status(engine.StatusPaused, ids...)
	o.finish(act(engine.RequestResume, w, engine.BatchOptions{DryRun: true}), 10, 0)
	o.status(engine.StatusPaused, ids...)
	o.finish(act(engine.RequestResume, w, engine.BatchOptions{}), 10, 0)
	o.status(engine.StatusAwaitingInput, ids...)
	o.finish(answerLines(ids[0]+` = "Ada"`), 1, 0)
	o.status(engine.StatusComplete, ids[0])
	o.finish(act(engine.RequestCancel, w, engine.BatchOptions{Reason: "over"}), 9, 1)
	o.status(engine.StatusCancelled, ids[1:]...)
}

func retryMany(o *operator) {
	w := o.workflow("retry", [][3]string{{"root", "stumble", `{"times": 1, "message": "not yet"}`}, {"next", "echo", `{}`}},
		[][3]string{{"root", "next", ""}})
	ids := o.start(w, 10)
	o.status(engine.StatusError, ids...)
	o.finish(engine.BatchRequest{Action: engine.RequestRetry, Filter: &engine.SessionQuery{Workflow: w, Status: []string{engine.StatusError}}}, 10, 0)
	o.status(engine.StatusComplete, ids...)
}

func advanceMany(o *operator) {
	steps := [][3]string{{"root", "echo", `{}`}, {"later", "echo", `{}`}}
	w := o.workflow("advance", steps, nil)
	ids := o.start(w, 10)
	o.workflow("advance", steps, [][3]string{{"root", "later", ""}})
	o.finish(act(engine.RequestAdvance, w, engine.BatchOptions{Step: "root"}), 10, 0)
	for _, id := range ids {
		o.until("later has run in "+id, func() bool { return o.rests(id).Steps["later"] == engine.StatusComplete })
	}
}

func moveMany(o *operator) {
	w := o.workflow("move", [][3]string{{"root", "echo", `{}`}, {"old", "ask", `{"prompt": "Old?"}`}}, [][3]string{{"root", "old", ""}})
	ids := o.start(w, 10)
	o.workflow("move", [][3]string{{"root", "echo", `{}`}, {"new", "ask", `{"prompt": "New?"}`}}, [][3]string{{"root", "new", ""}})
	o.finish(act(engine.RequestMove, w, engine.BatchOptions{Step: "old", To: "nowhere"}), 0, 10)
	o.finish(act(engine.RequestMove, w, engine.BatchOptions{Step: "old", To: "new"}), 10, 0)
	for _, id := range ids {
		s := o.rests(id)
		if len(s.Awaiting) != 1 || s.Awaiting[0].Prompt != "New?" {
			o.Fatalf("session %s asks %+v", id, s.Awaiting)
		}
	}
}

func reaskMany(o *operator) {
	w := o.workflow("reask", [][3]string{{"root", "ask", `{"prompt": "Nmae?"}`}}, nil)
	ids := o.start(w, 10)
	o.workflow("reask", [][3]string{{"root", "ask", `{"prompt": "Name?"}`}}, nil)
	o.finish(act(engine.RequestReask, w, engine.BatchOptions{Step: "root"}), 10, 0)
	for _, id := range ids {
		if s := o.rests(id); len(s.Awaiting) != 1 || s.Awaiting[0].Prompt != "Name?" {
			o.Fatalf("session %s asks %+v", id, s.Awaiting)
		}
	}
	b := o.finish(answerAll(w, `"Ada"`, engine.BatchOptions{}), 10, 0)
	if item := o.items(b.ID)[0]; item.Ask != 2 {
		o.Errorf("ask %d was answered, want the second", item.Ask)
	}
	o.status(engine.StatusComplete, ids...)
}

func signalMany(o *operator) {
	ids := o.start(o.asking(), 3)
	q := engine.BatchRequest{Action: engine.RequestSignal, Options: engine.BatchOptions{Name: "go", Response: json.RawMessage(`{"n":1}`)}}
	for _, id := range ids {
		q.Items = append(q.Items, engine.BatchItem{Session: id})
	}
	o.finish(q, 3, 0)
	for _, id := range ids {
		list, err := o.engine.Requests(o.ctx, id, engine.HistoryQuery{})
		o.noError(err)
		if len(list) != 1 || list[0].Kind != engine.RequestSignal {
			o.Errorf("requests of %s: %+v", id, list)
		}
	}
}

func deleteMany(o *operator) {
	w := o.asking()
	ids := o.start(w, 10)
	o.finish(answerLines(ids[0]+` = "Ada"`), 1, 0)
	o.status(engine.StatusComplete, ids[0])
	b := o.finish(act(engine.ActionDelete, w, engine.BatchOptions{}), 1, 9)
	for _, item := range o.items(b.ID) {
		if (item.Outcome == engine.ItemFailed) != (item.Error != "") || (item.Session == ids[0]) != (item.Outcome == engine.ItemDone) {
			o.Errorf("want the session that has ended deleted, and why each other was not: %+v", item)
		}
	}
	o.status(engine.StatusAwaitingInput, ids[1:]...)
	o.finish(act(engine.ActionDelete, w, engine.BatchOptions{Cancel: true}), 9, 0)
	for _, id := range ids {
		if _, err := o.engine.Session(o.ctx, id); !errors.Is(err, engine.ErrSessionNotFound) {
			o.Errorf("session %s: %v", id, err)
		}
	}
}

func wrongBatches(o *operator) {
	filter := &engine.SessionQuery{Workflow: o.prefix}
	item := []engine.BatchItem{{Session: "a"}}
	for _, c := range []struct {
		pointer string
		q       engine.BatchRequest
	}{
		{"/action", engine.BatchRequest{Action: "dance", Filter: filter}},
		{"", engine.BatchRequest{Action: engine.RequestResume}},
		{"", engine.BatchRequest{Action: engine.RequestResume, Filter: filter, Items: item}},
		{"/response", engine.BatchRequest{Action: engine.RequestAnswer, Filter: filter}},
		{"/items/0/response", engine.BatchRequest{Action: engine.RequestAnswer, Items: item}},
		{"/items/0/session", engine.BatchRequest{Action: engine.RequestResume, Items: []engine.BatchItem{{}}}},
		{"/to", engine.BatchRequest{Action: engine.RequestMove, Filter: filter}},
		{"/step", engine.BatchRequest{Action: engine.RequestAdvance, Filter: filter}},
		{"/name", engine.BatchRequest{Action: engine.RequestSignal, Filter: filter}},
		{"", engine.BatchRequest{Action: engine.RequestResume, Filter: filter, Options: engine.BatchOptions{Rate: -1}}},
	} {
		_, err := o.engine.StartBatch(o.ctx, c.q)
		var detail *engine.DetailError
		if !errors.Is(err, engine.ErrBadRequest) || !errors.As(err, &detail) ||
			!slices.ContainsFunc(detail.Faults, func(f graph.Fault) bool { return f.Pointer == c.pointer && f.Message != "" }) {
			o.Errorf("%+v: error %v, want a bad request with a fault at %q", c.q, err, c.pointer)
		}
	}
	if _, err := o.engine.Batch(o.ctx, o.prefix+"-nobody"); !errors.Is(err, engine.ErrBatchNotFound) {
		o.Errorf("an unknown batch: %v", err)
	}
}
