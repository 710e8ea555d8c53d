package callcentre

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// Usage counts how often each node of a graph was used, from the history of one or several
// sessions: turns of the router, consultations of departments, runs of tools, accesses to
// integrations. A visit counts once, however many rounds, attempts or requests it took. Nodes
// that were never used are not in it.
func Usage(w *engine.Workflow, executions []engine.Execution) map[string]int {
	type visit struct {
		session, step string
		n             int
	}
	counts, seen := map[string]int{}, map[visit]bool{}
	for _, e := range executions {
		at := visit{e.Session, e.Step, e.Visit}
		s := w.Step(e.Step)
		if s == nil || s.Extra[propertyKind] == nil || seen[at] {
			continue
		}
		seen[at] = true
		counts[e.Step]++
	}
	return counts
}

// Goals returns the goals that the history of a call has reached: the successful runs of tools
// marked as goals, no matter who called them.
func Goals(w *engine.Workflow, executions []engine.Execution) map[string]bool {
	reached := map[string]bool{}
	for _, e := range executions {
		s := w.Step(e.Step)
		if s == nil || s.Extra[propertyGoal] == nil || e.Status != engine.StatusComplete {
			continue
		}
		if failed, _ := outcome(&e); !failed {
			reached[e.Step] = true
		}
	}
	return reached
}

// outcome reports whether a step's run failed, and why. A truncated output is too long to be a
// failure.
func outcome(e *engine.Execution) (failed bool, why string) {
	var out struct {
		Success *bool
		Error   string
	}
	if e.Status != engine.StatusComplete {
		return true, gjson.GetBytes(e.Error, "message").String()
	}
	if json.Unmarshal(e.Output, &out) != nil || out.Success == nil {
		return false, ""
	}
	return !*out.Success, out.Error
}
