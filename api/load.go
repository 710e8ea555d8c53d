package api

import (
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/api/internal/exposition"
	"github.com/stepgraph/stepgraph/engine"
)

// writeLoad shows on /metrics what the engine holds and does. Workflows and functions are labels
// only while they have something: both sets are bounded by the engine's limits.
func writeLoad(t *exposition.Text, l engine.Load) {
	const gauge = exposition.Gauge
	t.Family("stepgraph_sessions", gauge, "Sessions that this engine holds, by workflow and by whether they run or wait for a slot of a function.")
	for _, name := range slices.Sorted(maps.Keys(l.Workflows)) {
		pair(t, "workflow", name, l.Workflows[name].Sessions, l.Workflows[name].Waiting)
	}
	t.Family("stepgraph_calls", gauge, "Calls of functions with effects, by function and by whether they are under way or wait for a slot.")
	for _, name := range slices.Sorted(maps.Keys(l.Functions)) {
		pair(t, "function", name, l.Functions[name].Calls, l.Functions[name].Queued)
	}
	waiting, running := map[string]int{}, map[string]int{}
	for _, lane := range l.Turns {
		waiting[lane.Workflow] += lane.Waiting
		running[lane.Workflow] += lane.Running
	}
	t.Family("stepgraph_turns", gauge, "Sessions of workflows with limits of their own, on all engines of the store, by whether they wait for their turn or have it.")
	for _, name := range slices.Sorted(maps.Keys(waiting)) {
		pair(t, "workflow", name, running[name], waiting[name])
	}
	t.Family("stepgraph_limit", gauge, "Limits of this engine: sessions that run, sessions that wait for a slot, calls under way.")
	t.Sample(float64(l.Limits.Calls), "of", "calls")
	t.Sample(float64(l.Limits.Sessions), "of", "sessions")
	t.Sample(float64(l.Limits.Waiting), "of", "waiting")
	if r := l.Relay; r != nil {
		up := 0.0
		if r.Connected {
			up = 1
		}
		t.Family("stepgraph_relay_connected", gauge, "1 while this engine is connected to the server by which engines tell each other of events, else 0.")
		t.Sample(up, "kind", r.Kind)
		t.Family("stepgraph_relay_notices_total", exposition.Counter, "Notices to and from other engines: sent, received, dropped.")
		t.Sample(float64(r.Dropped), "kind", r.Kind, "result", "dropped")
		t.Sample(float64(r.Received), "kind", r.Kind, "result", "received")
		t.Sample(float64(r.Sent), "kind", r.Kind, "result", "sent")
	}
	t.Family("stepgraph_backlog_seconds", gauge, "For how long due work has waited for room; beyond a minute starts are refused.")
	t.Sample(l.Late)
	t.Family("stepgraph_overdue_seconds", gauge, "For how long the session with the earliest due time has been due, at any engine of the store; doctor says why.")
	t.Sample(l.Overdue)
}

// pair writes how many run and how many wait.
func pair(t *exposition.Text, label, name string, running, waiting int) {
	t.Sample(float64(running), label, name, "state", "running")
	t.Sample(float64(waiting), label, name, "state", "waiting")
}
