package session

import (
	"fmt"
	"github.com/stepgraph/stepgraph/engine/store"
	"log/slog"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/state"
)

// TestManyQueuedEffects: looking for what may start costs the same for each step, however many
// calls are queued already. 200 waves beside 8,000 queued calls took about a minute when each
// step was looked for in the queue; the bound leaves room for a machine that is very busy.
func TestManyQueuedEffects(t *testing.T) {
	e := &Env{Limits: Limits{Log: slog.Default(), StepsAtOnce: 32, MaxSteps: 1000}}
	r := New(e, store.Claimed{Session: store.SessionRecord{ID: "s"}, Now: time.Now()}, nil)
	r.state, r.counters = state.New("s"), state.NewCounters()
	const n = 8000
	for i := range n {
		id := fmt.Sprintf("step-%06d", i)
		r.state.SetStatus(id, store.StatusActive, "")
		r.state.MakeLive(id).Visit = 1
		r.queue(&attempt{step: id})
	}
	began := time.Now()
	for range 200 {
		if len(r.waves.activeSteps(true)) > 0 || !r.starting("step-007999") {
			t.Fatal("a queued step is to be run again")
		}
		r.waves.waits.fireTimers()
		r.nextTimer(true)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("200 waves beside %d queued calls took %s", n, took)
	}
	first := r.nextQueued()
	if first.step != "step-000000" || r.starting(first.step) || len(r.waves.activeSteps(true)) != 1 {
		t.Errorf("the first of the queue is %s, active %v", first.step, r.waves.activeSteps(true))
	}
	r.unqueueAll()
	if len(r.toStart) > 0 || len(r.waves.activeSteps(true)) != n {
		t.Errorf("%d queued, %d active", len(r.toStart), len(r.waves.activeSteps(true)))
	}
}
