package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/internal/evaluation"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/references"
)

// A ReferenceResult is what a text or an input resolves to.
type ReferenceResult struct {
	Resolved bool            `json:"resolved"`
	Value    json.RawMessage `json:"value"`
	Missing  []string        `json:"missing"`
	// Reasons says why each of the missing references has no value, in the same order.
	Reasons []string `json:"reasons,omitempty"`
	// Error says why the text cannot be resolved at all: it names another session. A step with
	// such an input fails.
	Error string `json:"error,omitempty"`
}

// A ConditionResult is the result of a condition, with each of its clauses.
type ConditionResult struct {
	Result  bool                `json:"result"`
	Clauses []conditions.Clause `json:"clauses"`
	Error   string              `json:"error,omitempty"`
}

// EvalReference resolves a text, or with whole a JSON input, against a state. A
// reference to another session is a result too: not resolved, with the error that a
// step would have.
func EvalReference(st *State, text string, whole bool) (*ReferenceResult, error) {
	return evalReference(references.Scope{Session: st.ID, Outputs: st, Limit: evalLimit}, text, whole)
}

// EvalCondition evaluates a condition as stored on a path (nil, a text or a decoded list) with
// the outputs of a state.
func EvalCondition(st *State, condition any, operator string) *ConditionResult {
	return evalCondition(references.Scope{Session: st.ID, Outputs: st, Limit: evalLimit}, condition, operator)
}

// evalLimit is the maximum size in bytes of an evaluated value, as for the input of a step.
const evalLimit = 4 << 20

func evalReference(scope references.Scope, text string, whole bool) (*ReferenceResult, error) {
	var result references.Result
	var err error
	if whole {
		input, parseErr := references.ParseValue([]byte(text))
		if parseErr != nil {
			return nil, store.Detailf(ErrBadRequest, "input: %v", parseErr)
		}
		result, err = input.Resolve(scope)
	} else {
		result, err = references.Parse(text).Resolve(scope)
	}
	var foreign *references.ForeignSessionError
	if errors.As(err, &foreign) {
		return &ReferenceResult{Value: json.RawMessage("null"), Missing: []string{foreign.Reference},
			Reasons: []string{fmt.Sprintf("it names session %q", foreign.Session)}, Error: err.Error()}, nil
	}
	if err != nil {
		return nil, store.Detailf(ErrBadRequest, "%v", err)
	}
	out := &ReferenceResult{Resolved: result.Resolved, Value: result.Value, Missing: []string{}}
	if out.Value == nil {
		out.Value = json.RawMessage("null")
	}
	for _, m := range result.Missing {
		out.Missing = append(out.Missing, m.Reference)
		out.Reasons = append(out.Reasons, m.Reason)
	}
	return out, nil
}

func evalCondition(scope references.Scope, condition any, operator string) *ConditionResult {
	verdict := conditions.Parse(condition, operator).Evaluate(evaluation.Operands{Scope: scope})
	out := &ConditionResult{Result: verdict.Open, Clauses: verdict.Clauses}
	if out.Clauses == nil {
		out.Clauses = []conditions.Clause{}
	}
	if verdict.Err != nil {
		out.Error = verdict.Err.Error()
	}
	return out
}

// EvalReference resolves a text or input against a stored session, BLOBs included.
func (e *Engine) EvalReference(ctx context.Context, session, text string, whole bool) (*ReferenceResult, error) {
	scope, err := e.scopeOf(ctx, session)
	if err != nil {
		return nil, err
	}
	return evalReference(scope, text, whole)
}

// EvalCondition evaluates a condition with the outputs of a stored session.
func (e *Engine) EvalCondition(ctx context.Context, session string, condition any, operator string) (*ConditionResult, error) {
	scope, err := e.scopeOf(ctx, session)
	if err != nil {
		return nil, err
	}
	return evalCondition(scope, condition, operator), nil
}

func (e *Engine) scopeOf(ctx context.Context, session string) (references.Scope, error) {
	rec, err := e.store.Session(ctx, session)
	if err != nil {
		return references.Scope{}, err
	}
	st, err := ParseState(session, rec.State)
	if err != nil {
		return references.Scope{}, store.Detailf(ErrBadRequest, "%v", err)
	}
	return references.Scope{Session: session, Outputs: e.env.Outputs(ctx, st, nil), Limit: evalLimit}, nil
}
