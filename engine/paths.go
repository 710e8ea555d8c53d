package engine

import (
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/judge"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// evaluatePaths judges the paths of a finished visit and returns those that are open, in
// path order. What was found is kept with the visit's record.
func (r *runner) evaluatePaths(id string, record *Execution) []*graph.CompiledPath {
	step := r.def.Step(id)
	if step == nil || len(step.Next) == 0 || !r.state.FollowsPaths(id) {
		return nil
	}
	var open []*graph.CompiledPath
	judged := make([]judge.Path, 0, len(step.Next))
	for _, p := range step.Next {
		j := judge.Judge(p, references.Scope{Session: r.id, Outputs: (*runnerOutputs)(r)})
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
