package engine_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/memory"
)

// shortLease is the lease of engines that die in a test on the real clock.
const shortLease = time.Second

// mortal is the store as an engine sees it that dies after so many calls of a method.
func mortal(store engine.Store, method string, calls int64) *faults.Store {
	var made atomic.Int64
	var wrapped *faults.Store
	wrapped = faults.Wrap(store, faults.Plan{After: func(c faults.Call, _ error) {
		if (method == "" || c.Method == method) && made.Add(1) == calls {
			wrapped.Die()
		}
	}})
	return wrapped
}

// killedInTheMiddle kills the engine when so many pages of answers are saved, so many
// answers committed, or while the items are pinned. On a server, where one kill takes five
// seconds, a short run plays two of the five; STEPGRAPH_INJECT_EVERY=1, as make verify sets
// it, plays all.
func killedInTheMiddle(o *operator) {
	kills := []struct {
		method string
		calls  int64
	}{{"SaveBatch", 1}, {"Commit", 3}, {"ClaimBatch", 1}, {"SaveBatch", 3}, {"Commit", 1}}
	if _, server := o.store.(*cypher.Store); server && os.Getenv("STEPGRAPH_INJECT_EVERY") != "1" {
		kills = kills[:2]
	}
	for _, kill := range kills {
		o.Logf("killed after call %d of %s", kill.calls, kill.method)
		w := o.asking()
		ids := o.start(w, 300)
		o.stop()
		b := o.begin(answerAll(w, `"Ada"`, engine.BatchOptions{})) // nobody works on it yet
		store := mortal(o.store, kill.method, kill.calls)
		o.run(store, engine.Options{LeaseFor: shortLease})
		o.until("the engine has died", store.Dead)
		o.stop()
		o.run(o.store, engine.Options{LeaseFor: shortLease})
		o.counts(o.over(b.ID), engine.BatchComplete, 300, 0)
		o.answeredOnce(ids)
	}
}

func (o *operator) noErrorUnlessDead(store *faults.Store, err error) {
	o.Helper()
	if err != nil && !store.Dead() {
		o.Fatal(err)
	}
}

// killedWhileWritten kills the call that writes the items; the client sends it again.
func killedWhileWritten(o *operator) {
	w := o.asking()
	ids := o.start(w, 30)
	o.stop()
	store := mortal(o.store, "AddBatchItems", 1)
	o.run(store, engine.Options{LeaseFor: shortLease})
	q := answerAll(w, `"Ada"`, engine.BatchOptions{})
	q.Key = o.prefix + "-key"
	ctx, cancel := context.WithTimeout(o.ctx, 200*time.Millisecond)
	defer cancel()
	if b, err := o.engine.StartBatch(ctx, q); err == nil {
		o.Fatalf("a dead engine acknowledged batch %+v", b)
	}
	o.stop()
	o.run(o.store, engine.Options{LeaseFor: shortLease})
	o.finish(answerLines(ids[7]+` = "Eve"`), 1, 0) // the filter finds one less now
	o.status(engine.StatusComplete, ids[7])
	b, err := o.engine.StartBatch(o.ctx, q)
	o.noError(err)
	if b.Total != 29 {
		o.Errorf("total is %d, want 29", b.Total)
	}
	o.counts(o.over(b.ID), engine.BatchComplete, 29, 0)
	if items := o.items(b.ID); len(items) != 29 {
		o.Errorf("%d items, want 29", len(items))
	}
	o.answeredOnce(ids)
}

// handedOver stops the engine in good order: the next one need not wait for a lease.
func handedOver(o *operator) {
	w := o.asking()
	ids := o.start(w, 60)
	b := o.begin(answerAll(w, `"Ada"`, engine.BatchOptions{Rate: 40}))
	o.until("some are answered", func() bool {
		now, err := o.engine.Batch(o.ctx, b.ID)
		o.noError(err)
		return now.Done > 0
	})
	o.stop()
	between, err := o.engine.Batch(o.ctx, b.ID)
	o.noError(err)
	if between.Lease != "" || between.Phase != engine.BatchRunning {
		o.Errorf("after a clean stop the batch is %s, leased to %q", between.Phase, between.LeaseOwner)
	}
	o.run(o.store, engine.Options{LeaseFor: time.Hour})
	o.counts(o.over(b.ID), engine.BatchComplete, 60, 0)
	o.answeredOnce(ids)
}

// TestBatchKilledAnywhere kills the engine after each call it makes of its store, in memory
// under a fake clock: whatever it was about to do, each session is answered once. A short run
// kills it after every fifth call; STEPGRAPH_INJECT_EVERY=1, as make verify sets it, after each.
func TestBatchKilledAnywhere(t *testing.T) {
	answers := func(w string) engine.BatchRequest { return answerAll(w, `"Ada"`, engine.BatchOptions{Rate: 8}) }
	killedAnywhere(t, answers, (*operator).answeredOnce)
}

// TestBatchSignalsKilledAnywhere does it with an action that the store takes as often as it
// comes: only the item's key keeps a session from being sent a second signal.
func TestBatchSignalsKilledAnywhere(t *testing.T) {
	signals := func(w string) engine.BatchRequest {
		return engine.BatchRequest{Action: engine.RequestSignal, Filter: awaiting(w), Options: engine.BatchOptions{Name: "hello", Rate: 8}}
	}
	killedAnywhere(t, signals, func(o *operator, ids []string) {
		for _, id := range ids {
			all, err := o.store.AllRequests(o.ctx, id, engine.HistoryQuery{Limit: 500})
			o.noError(err)
			if len(all) != 1 || all[0].Kind != engine.RequestSignal {
				o.Errorf("session %s was sent %d requests, want one signal: %+v", id, len(all), all)
			}
		}
	})
}

func killedAnywhere(t *testing.T, request func(workflow string) engine.BatchRequest, check func(*operator, []string)) {
	every := int64(min(5, injectEvery(t, 5)))
	for calls := int64(1); ; calls += every {
		survived := false
		synctest.Test(t, func(t *testing.T) {
			o := newOperator(t, memory.New(memory.Options{}))
			w := o.asking()
			ids := o.start(w, 6)
			o.stop()
			store := mortal(o.store, "", calls)
			o.run(store, engine.Options{})
			q := request(w)
			q.Key = "key"
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := o.engine.StartBatch(ctx, q)
			o.noErrorUnlessDead(store, err)
			time.Sleep(2 * time.Second) // of the bubble: the batch takes one
			survived = !store.Dead()
			o.stop()
			o.run(o.store, engine.Options{})
			b, err := o.engine.StartBatch(t.Context(), q)
			o.noError(err)
			o.counts(o.over(b.ID), engine.BatchComplete, 6, 0)
			check(o, ids)
			o.stop()
		})
		if t.Failed() {
			t.Fatalf("killed after call %d", calls)
		}
		if survived {
			t.Logf("%d places to die", calls)
			return
		}
	}
}
