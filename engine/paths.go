package engine

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A pathRecord is how one path was judged after a visit, as EXECUTION.paths keeps it.
type pathRecord struct {
	Path    string              `json:"path"`
	Target  string              `json:"target"`
	Open    bool                `json:"open"`
	Error   string              `json:"error,omitempty"`
	Clauses []conditions.Clause `json:"clauses,omitempty"`
}

// clauseBytes bounds the value of one clause in the history.
const clauseBytes = 512

// evaluatePaths judges the paths of a finished visit and returns those that are open, in
// path order. What was found is kept with the visit's record.
func (r *runner) evaluatePaths(id string, record *Execution) []*graph.CompiledPath {
	step := r.def.Step(id)
	if step == nil || len(step.Next) == 0 || !r.state.FollowsPaths(id) {
		return nil
	}
	var open []*graph.CompiledPath
	judged := make([]pathRecord, 0, len(step.Next))
	for _, p := range step.Next {
		j := r.judge(p)
		judged = append(judged, j)
		r.state.NoteProblem(p.ID, j.Error)
		switch {
		case j.Open:
			open = append(open, p)
		case p.Forward():
			r.state.NoteUntaken(p.Target)
		}
	}
	record.Paths, _ = jsontext.Marshal(judged)
	r.unwritten.bytes += len(record.Paths)
	return open
}

// judge evaluates one path against the state as it is now.
func (r *runner) judge(p *graph.CompiledPath) pathRecord {
	out := pathRecord{Path: p.ID, Target: p.Target}
	if p.Fault != "" {
		out.Error = "path " + p.Fault
		return out
	}
	verdict := p.Parsed.Evaluate(conditionScope{references.Scope{Session: r.id, Outputs: (*runnerOutputs)(r)}})
	out.Open, out.Clauses = verdict.Open, verdict.Clauses
	if verdict.Err != nil {
		out.Error = verdict.Err.Error()
	}
	for i := range out.Clauses {
		c := &out.Clauses[i]
		c.Value = boundedValue(c.Value)
		for j := range c.Values {
			c.Values[j].Value = boundedValue(c.Values[j].Value)
		}
	}
	return out
}

func boundedValue(value json.RawMessage) json.RawMessage {
	if len(value) <= clauseBytes {
		return value
	}
	short, _ := jsontext.Marshal(strings.ToValidUTF8(string(value[:clauseBytes]), "") + "…")
	return short
}

// conditionScope gives conditions the values of their operands: a reference or a literal.
type conditionScope struct{ scope references.Scope }

// Resolve returns an operand's value; see conditions.Resolver.
func (c conditionScope) Resolve(operand string) (json.RawMessage, bool, error) {
	result, err := references.Parse(operand).Resolve(c.scope)
	if err != nil || !result.Resolved {
		return nil, false, err
	}
	return result.Value, true, nil
}
