package formats

import "github.com/stepgraph/stepgraph/engine"

// Start returns the start of a session that continues from the state in the file; false if the
// file has none. Loading does not start it: it writes only the workflow.
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
