package engine

import (
	"context"
	"encoding/json"
	"time"
)

// A Forecast is what a session would do with the current workflow. Pure steps are executed,
// conditions evaluated and inputs resolved, but nothing is written. It ends before the first
// call with effects.
type Forecast struct {
	Session  string           `json:"session"`
	Status   string           `json:"status"` // of the session when the forecast ends
	Outcome  string           `json:"outcome,omitempty"`
	Steps    []ForecastStep   `json:"steps"`
	Calls    []ForecastCall   `json:"calls,omitempty"`    // effects that would start
	Awaiting []Question       `json:"awaiting,omitempty"` // questions open then
	Problems []SessionProblem `json:"problems,omitempty"`
}

// A ForecastStep is a visit that would end.
type ForecastStep struct {
	Step   string          `json:"step"`
	Visit  int             `json:"visit"`
	Status string          `json:"status"`
	Paths  json.RawMessage `json:"paths,omitempty"`
}

// A ForecastCall is an effect that would start.
type ForecastCall struct {
	Step     string          `json:"step"`
	Function string          `json:"function"`
	Input    json.RawMessage `json:"input"`
}

// forecastWaves bounds a forecast: a loop of pure steps ends at max_steps, long before.
const forecastWaves = 2000

// Forecast computes what a session would do after a request (an answer, a retry, a resume; nil
// for none), from its stored state and the current workflow.
func (e *Engine) Forecast(ctx context.Context, session string, q *Request) (*Forecast, error) {
	rec, err := e.store.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	return e.forecast(ctx, rec, q)
}

func (e *Engine) forecast(ctx context.Context, rec *SessionRecord, q *Request) (*Forecast, error) {
	r := e.newRunner(Claimed{Session: *rec, Now: time.Now()})
	r.ctx = ctx
	if err := r.load(*rec); err != nil {
		return nil, detail(ErrBadRequest, "%v", err)
	}
	def, err := e.definitions.Recent(ctx, r.workflow, viewDefinitionAge)
	if err != nil {
		return nil, err
	}
	r.def, r.readAt = def, time.Now()
	f := &Forecast{Session: rec.ID, Steps: []ForecastStep{}}
	if q != nil {
		own := *q
		own.N = r.counters.Seen() + 1
		r.counters.See(own.N)
		f.Outcome, _ = r.requests.outcome(&own)
	}
	for range forecastWaves {
		if !r.waves.wave(ctx) || len(r.toStart) > 0 || ctx.Err() != nil {
			break
		}
	}
	for _, a := range r.toStart {
		f.Calls = append(f.Calls, ForecastCall{Step: a.step, Function: a.spec.Name, Input: cut(a.input)})
	}
	for _, x := range r.unwritten.all {
		f.Steps = append(f.Steps, ForecastStep{Step: x.Step, Visit: x.Visit, Status: x.Status, Paths: x.Paths})
	}
	f.Status, f.Awaiting, f.Problems = r.state.SessionStatus(), questionsOf(r.state), problemsOf(r.state)
	return f, nil
}
