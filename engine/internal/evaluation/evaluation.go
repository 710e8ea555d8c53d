// Package evaluation evaluates the conditions of a step's paths and returns which are open, with the
// values that decided. The engine calls it when a visit ends; the explanation of a session calls it again.
package evaluation

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A Path is the evaluation of one path after a visit, as EXECUTION.paths keeps it.
type Path struct {
	Path    string              `json:"path"`
	Target  string              `json:"target"`
	Open    bool                `json:"open"`
	Error   string              `json:"error,omitempty"`
	Clauses []conditions.Clause `json:"clauses,omitempty"`
}

// Of evaluates one path against the outputs of a scope.
func Of(p *graph.CompiledPath, scope references.Scope) Path {
	out := Path{Path: p.ID, Target: p.Target}
	if p.Fault != "" {
		out.Error = "path " + p.Fault
		return out
	}
	verdict := p.Parsed.Evaluate(Operands{scope})
	out.Open, out.Clauses = verdict.Open, verdict.Clauses
	if verdict.Err != nil {
		out.Error = verdict.Err.Error()
	}
	for i := range out.Clauses {
		c := &out.Clauses[i]
		c.Value = bounded(c.Value)
		for j := range c.Values {
			c.Values[j].Value = bounded(c.Values[j].Value)
		}
	}
	return out
}

// Decode reads EXECUTION.paths; a text that was cut gives nothing.
func Decode(text json.RawMessage) []Path {
	var paths []Path
	_ = json.Unmarshal(text, &paths)
	return paths
}

// clauseBytes bounds the value of one clause in the history.
const clauseBytes = 512

func bounded(value json.RawMessage) json.RawMessage {
	if len(value) <= clauseBytes {
		return value
	}
	short, _ := jsontext.Marshal(strings.ToValidUTF8(string(value[:clauseBytes]), "") + "…")
	return short
}

// Operands gives conditions the values of their operands: a reference or a literal.
type Operands struct{ Scope references.Scope }

// Resolve returns an operand's value; see conditions.Resolver.
func (o Operands) Resolve(operand string) (json.RawMessage, bool, error) {
	result, err := references.Parse(operand).Resolve(o.Scope)
	if err != nil || !result.Resolved {
		return nil, false, err
	}
	return result.Value, true, nil
}
