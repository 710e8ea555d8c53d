package session

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/evaluation"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// evaluatePaths evaluates the paths of a finished visit and returns those to take, in path order.
// The evaluation is kept with the visit's record.
func (r *ledger) evaluatePaths(id string, record *store.Execution) []*graph.CompiledPath {
	step := r.def.Step(id)
	if step == nil || len(step.Next) == 0 || !r.state.FollowsPaths(id) {
		return nil
	}
	var open []*graph.CompiledPath
	evaluated := make([]evaluation.Path, 0, len(step.Next))
	for _, p := range step.Next {
		j := evaluation.Of(p, references.Scope{Session: r.id, Outputs: r})
		evaluated = append(evaluated, j)
		r.state.NoteProblem(p.ID, j.Error)
		switch {
		case j.Open:
			open = append(open, p)
		case p.Forward():
			r.state.NoteUntaken(p.Target)
		}
	}
	record.Paths, _ = jsontext.Marshal(evaluated)
	r.unwritten.bytes += len(record.Paths)
	return open
}

// holdsNow evaluates a container's condition against the current state. A condition that cannot be
// evaluated counts as false and is listed among the session's problems.
func (r *ledger) holdsNow(id string, condition json.RawMessage, otherwise bool) bool {
	if len(condition) == 0 {
		return otherwise
	}
	var written any
	if err := json.Unmarshal(condition, &written); err != nil {
		return false
	}
	switch w := written.(type) {
	case nil:
		return otherwise
	case bool, float64:
		written = []any{w}
	case map[string]any:
		written = string(condition)
	}
	verdict := conditions.Parse(written, "").Evaluate(evaluation.Operands{Scope: references.Scope{Session: r.id, Outputs: r}})
	problem := ""
	if verdict.Err != nil {
		problem = "condition of the container: " + verdict.Err.Error()
	}
	r.state.NoteProblem(id, problem)
	return verdict.Open
}
