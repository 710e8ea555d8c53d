package nebulaflow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// checkEvents compares what is told of nodes, whatever the order of those side by side, and
// the pause or end. Chunks and approvals are told while they happen, and the recorded texts of
// errors are NebulaFlow's own.
func (p *played) checkEvents(t *testing.T, run recordedRun) {
	t.Helper()
	if run.Observed.Events == nil {
		return // not recorded
	}
	var want, got []string
	for _, e := range run.Observed.Events {
		switch e.Status {
		case "running":
			if e.Result == nil { // else the progress of a subflow
				want = append(want, "running "+e.Node)
			}
		case "interrupted", "error":
			want = append(want, e.Status+" "+e.Node)
		case "completed":
			want = append(want, "completed "+e.Node+" "+*e.Result)
		case nebulaflow.EventPaused, nebulaflow.EventCompleted:
			want = append(want, e.Status)
		}
	}
	for _, e := range nebulaflow.Events(p.flow, p.session, p.state, p.history, p.seeds) {
		switch {
		case e.Type == nebulaflow.EventNode && e.Data.Status == "completed":
			got = append(got, "completed "+e.Data.NodeID+" "+*e.Data.Result)
		case e.Type == nebulaflow.EventNode:
			got = append(got, e.Data.Status+" "+e.Data.NodeID)
		case e.Type != nebulaflow.EventStarted:
			got = append(got, e.Type)
		}
	}
	// the last look of a while loop is no run here
	if p.flow.Step("L") != nil && strings.Contains(p.flow.Step("L").Config, "while-variable") {
		want = without(without(want, "running L"), "completed L a,b,c")
	}
	want = slices.DeleteFunc(want, func(s string) bool { return strings.Contains(s, "/") }) // inside subflows
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("events are\n%q\nwant\n%q", got, want)
	}
}

func without(list []string, one string) []string {
	if i := slices.Index(list, one); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

func TestEventsTellOfQuestions(t *testing.T) {
	flow := sketch(`k cli {"content":"echo x","needsUserApproval":true}`)
	p := play(t, recordedRun{}, []*engine.Workflow{parse(t, "f.json", flow)}, engine.StartRequest{Workflow: "flow"})
	events := nebulaflow.Events(p.flow, p.session, p.state, p.history, nil)
	if last := events[len(events)-1]; last.Data.Status != "pending_approval" || last.Data.NodeID != "k" || *last.Data.Result != "echo x" {
		t.Errorf("events are %+v", events)
	}
}
