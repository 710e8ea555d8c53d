package engine

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
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

// A ForecastStep is a visit that the forecast completes.
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

// Forecast computes what a session would do after a request (an answer, a retry, a resume; nil
// for none), from its stored state and the current workflow.
func (e *Engine) Forecast(ctx context.Context, session string, q *Request) (*Forecast, error) {
	rec, err := e.store.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	return e.forecast(ctx, rec, q)
}

func (e *Engine) forecast(ctx context.Context, rec *store.SessionRecord, q *Request) (*Forecast, error) {
	seen, err := session.Foresee(ctx, e.env, rec, q)
	if err != nil {
		return nil, err
	}
	f := &Forecast{Session: rec.ID, Steps: []ForecastStep{}, Outcome: seen.Outcome,
		Status: seen.State.SessionStatus(), Awaiting: event.Questions(seen.State), Problems: problemsOf(seen.State)}
	for _, c := range seen.Calls {
		f.Calls = append(f.Calls, ForecastCall{Step: c.Step, Function: c.Function, Input: jsontext.Cut(c.Input)})
	}
	for _, x := range seen.Visits {
		f.Steps = append(f.Steps, ForecastStep{Step: x.Step, Visit: x.Visit, Status: x.Status, Paths: x.Paths})
	}
	return f, nil
}
