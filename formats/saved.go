package formats

import "github.com/stepgraph/stepgraph/engine"

// Start is the start of a session that goes on from the state the file carried; false where
// it carried none. Nobody starts it but on demand: loading writes the graph and nothing else.
func (l *Loaded) Start() (engine.StartRequest, bool) {
	if l.Saved == nil || len(l.Workflows) == 0 {
		return engine.StartRequest{}, false
	}
	q := engine.StartRequest{Workflow: l.Saved.Workflow, Outputs: l.Saved.Outputs, Seeds: l.Saved.Seeds}
	if q.Workflow == "" || len(l.Workflows) == 1 { // it may have been given another id since
		q.Workflow = l.Workflows[0].ID
	}
	return q, true
}
