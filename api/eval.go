package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/tidwall/gjson"

	"github.com/stepgraph/stepgraph/engine"
)

// EvalOn says on what to evaluate: a stored session or a state given.
type EvalOn struct {
	Session string          `json:"session,omitempty" doc:"id of a stored session"`
	State   json.RawMessage `json:"state,omitempty" doc:"a state, or a part of one with data.outputs"`
}

// ReferenceBody is a text or a whole input to resolve.
type ReferenceBody struct {
	EvalOn
	Text  *string         `json:"text,omitempty" doc:"a text with references" example:"@{SESSION_ID}.ask.response|nobody"`
	Input json.RawMessage `json:"input,omitempty" doc:"instead of text: a JSON input, resolved as a whole"`
}

// ConditionBody is a condition to evaluate.
type ConditionBody struct {
	EvalOn
	Condition condition `json:"condition" doc:"as on a path: a text or a list"`
	Operator  string    `json:"operator,omitempty" doc:"AND (the default) or OR"`
}

type evalReferenceIn struct {
	Keyed
	Body ReferenceBody
}

type evalConditionIn struct {
	Keyed
	Body ConditionBody
}

type (
	referenceOut struct{ Body engine.ReferenceResult }
	conditionOut struct{ Body engine.ConditionResult }
)

func (r *evalRoutes) registerEval() {
	register(r.routeTable, operation{id: "evalReference", method: http.MethodPost, path: "/api/v1/eval/reference", tag: tagEval,
		summary: "See what references give", limit: largeLimit, replay: true, problems: []string{"session_not_found"}}, r.evalReference)
	register(r.routeTable, operation{id: "evalCondition", method: http.MethodPost, path: "/api/v1/eval/condition", tag: tagEval,
		summary: "See which clause decides a condition", limit: largeLimit, replay: true, problems: []string{"session_not_found"}}, r.evalCondition)
}

func (r *evalRoutes) evalReference(ctx context.Context, in *evalReferenceIn) (*referenceOut, error) {
	b := &in.Body
	if (b.Text == nil) == (len(b.Input) == 0) {
		return nil, problem("request_invalid", "", Fault{Pointer: "/text", Message: "want either text or input"})
	}
	state, err := b.state()
	if err != nil {
		return nil, err
	}
	q := engine.ReferenceQuery{Session: b.Session, Text: string(b.Input), Whole: true}
	if b.Text != nil {
		q.Text, q.Whole = *b.Text, false
	}
	var result *engine.ReferenceResult
	if state != nil {
		result, err = engine.EvalReference(state, q)
	} else {
		result, err = r.e.EvalReference(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	return &referenceOut{*result}, nil
}

func (r *evalRoutes) evalCondition(ctx context.Context, in *evalConditionIn) (*conditionOut, error) {
	b := &in.Body
	state, err := b.state()
	if err != nil {
		return nil, err
	}
	q := engine.ConditionQuery{Session: b.Session, Condition: b.Condition.value, Operator: b.Operator}
	if state != nil {
		return &conditionOut{*engine.EvalCondition(state, q)}, nil
	}
	result, err := r.e.EvalCondition(ctx, q)
	if err != nil {
		return nil, err
	}
	return &conditionOut{*result}, nil
}

// state is the state given; nil when a session is named instead.
func (on *EvalOn) state() (*engine.State, error) {
	given := len(on.State) > 0
	if given == (on.Session != "") {
		return nil, problem("request_invalid", "", Fault{Pointer: "/session", Message: "want either session or state"})
	}
	if !given {
		return nil, nil
	}
	state, err := engine.ParseState(gjson.GetBytes(on.State, "id").String(), on.State)
	if err != nil {
		return nil, problem("request_invalid", "", Fault{Pointer: "/state", Message: err.Error()})
	}
	return state, nil
}
