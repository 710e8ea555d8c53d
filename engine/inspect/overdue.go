package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// overdueAfter is how long a session may be due before doctor and why name what keeps it from being
// taken up.
const overdueAfter = time.Minute

// overduePage is how many overdue sessions doctor reads: those that have been due the longest.
const overduePage = 20

// A blocker is why no engine takes up a session that is due, and what an operator does about it.
type blocker struct{ text, remedy string }

// blocker returns why a due session is not taken up, given the engines heard lately.
func (i *Inspector) blocker(ctx context.Context, rec *store.SessionRecord, engines []store.Announcement) blocker {
	st, err := state.Parse(rec.ID, rec.State)
	if err != nil {
		return blocker{"its state cannot be read: " + graph.CutText(err.Error(), 300), "stepgraph session edit " + rec.ID + " --state FILE"}
	}
	running := slices.DeleteFunc(slices.Clone(engines), func(a store.Announcement) bool { return a.State != "" })
	if len(running) == 0 {
		return blocker{"no engine is at work", "start an engine: stepgraph serve"}
	}
	if name := i.lacking(ctx, rec, st, running); name != "" {
		return blocker{"no engine at work has function " + name, "start an engine that has the function, or correct the step: stepgraph show " + workflowOf(rec)}
	}
	if rec.Claims > 0 {
		return blocker{fmt.Sprintf("it has been claimed %d times without a checkpoint: engines died or lost the store with it", rec.Claims), "see the logs of the engines; it is tried again by itself, and stopped as an error after the fifth time"}
	}
	return blocker{fmt.Sprintf("%d engines are at work, and none has had a place for it", len(running)),
		"stepgraph engines shows what each holds; start another engine on this store, or raise --max-sessions"}
}

// lacking returns the functions of a session's active steps that none of the engines has, "" if
// there is none.
func (i *Inspector) lacking(ctx context.Context, rec *store.SessionRecord, st *state.State, engines []store.Announcement) string {
	def, err := i.o.Definitions.Recent(ctx, workflowOf(rec), definitionAge)
	if err != nil {
		return ""
	}
	var names []string
	for _, id := range st.StepIDs() {
		step := def.Step(id)
		if step == nil || step.Function == "" || st.Status(id) != store.StatusActive || slices.Contains(names, step.Function) {
			continue
		}
		if !slices.ContainsFunc(engines, func(a store.Announcement) bool { return a.Has(step.Function) }) {
			names = append(names, step.Function)
		}
	}
	return strings.Join(names, ", ")
}
