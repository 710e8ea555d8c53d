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

// A ReferenceQuery is a text, or a JSON input, to be resolved.
type ReferenceQuery struct {
	Session string // the stored session; not used with a State
	Text    string
	Whole   bool // Text is a JSON input, which is resolved as a whole
}

// A ConditionQuery is a condition to be evaluated.
type ConditionQuery struct {
	Session   string // the stored session; not used with a State
	Condition any    // as stored on a path: nil, a text or a decoded list
	Operator  string // of the path: AND, also if empty, or OR
}

// EvalReference resolves a text or input against a state. A reference to another session is a
// result too: not resolved, with the error that a step would have.
func EvalReference(st *State, q ReferenceQuery) (*ReferenceResult, error) {
	return evalReference(references.Scope{Session: st.ID, Outputs: st, Limit: evalLimit}, q)
}

// EvalCondition evaluates a condition with the outputs of a state.
func EvalCondition(st *State, q ConditionQuery) *ConditionResult {
	return evalCondition(references.Scope{Session: st.ID, Outputs: st, Limit: evalLimit}, q)
}

// evalLimit is the maximum size in bytes of an evaluated value, as for the input of a step.
const evalLimit = 4 << 20

func evalReference(scope references.Scope, q ReferenceQuery) (*ReferenceResult, error) {
	var result references.Result
	var err error
	if q.Whole {
		input, parseErr := references.ParseValue([]byte(q.Text))
		if parseErr != nil {
			return nil, store.Detailf(ErrBadRequest, "input: %v", parseErr)
		}
		result, err = input.Resolve(scope)
	} else {
		result, err = references.Parse(q.Text).Resolve(scope)
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

func evalCondition(scope references.Scope, q ConditionQuery) *ConditionResult {
	verdict := conditions.Parse(q.Condition, q.Operator).Evaluate(evaluation.Operands{Scope: scope})
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
func (e *Engine) EvalReference(ctx context.Context, q ReferenceQuery) (*ReferenceResult, error) {
	scope, err := e.scopeOf(ctx, q.Session)
	if err != nil {
		return nil, err
	}
	return evalReference(scope, q)
}

// EvalCondition evaluates a condition with the outputs of a stored session.
func (e *Engine) EvalCondition(ctx context.Context, q ConditionQuery) (*ConditionResult, error) {
	scope, err := e.scopeOf(ctx, q.Session)
	if err != nil {
		return nil, err
	}
	return evalCondition(scope, q), nil
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
