package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Foreseen is the result of a dry run; see engine.Forecast.
type Foreseen struct {
	State   *state.State // when the dry run ends
	Outcome string       // of the request
	Visits  []*store.Execution
	Calls   []ForeseenCall // effects that would start
}

// A ForeseenCall is an effect that would start.
type ForeseenCall struct {
	Step, Function string
	Input          json.RawMessage
}

// foreseenWaves limits a dry run; a loop of pure steps reaches max_steps long before.
const foreseenWaves = 2000

// Foresee runs a stored session in memory, after a request (nil for none), until it would call
// a function with effects. Nothing is written.
func Foresee(ctx context.Context, e *Env, rec *store.SessionRecord, q *store.Request) (*Foreseen, error) {
	r := New(e, store.Claimed{Session: *rec, Now: time.Now()}, nil)
	r.ctx = ctx
	if err := r.load(*rec, nil); err != nil {
		return nil, store.Detailf(store.ErrBadRequest, "%v", err)
	}
	def, err := e.Definitions.Read(ctx, r.workflow, r.state.Entry())
	if err != nil {
		return nil, err
	}
	r.def, r.readAt = def, time.Now()
	out := &Foreseen{}
	if q != nil {
		own := *q
		own.N = r.counters.Seen() + 1
		r.counters.See(own.N)
		out.Outcome, _ = r.requests.outcome(&own)
	}
	for range foreseenWaves {
		if !r.waves.wave(ctx) || len(r.toStart) > 0 || ctx.Err() != nil {
			break
		}
	}
	for _, a := range r.toStart {
		out.Calls = append(out.Calls, ForeseenCall{Step: a.step, Function: a.spec.Name, Input: a.input.text})
	}
	out.State, out.Visits = r.state, r.unwritten.all
	return out, nil
}
