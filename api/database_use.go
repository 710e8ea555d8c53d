package api

import (
	"github.com/stepgraph/stepgraph/api/internal/exposition"
	"github.com/stepgraph/stepgraph/engine/store"
)

// writeDatabases shows on /metrics how this engine uses each of several databases.
func writeDatabases(t *exposition.Text, list []store.DatabaseUse) {
	t.Family("stepgraph_database_up", exposition.Gauge, "1 while this engine gets through to a database, else 0.")
	for _, d := range list {
		up := 1.0
		if d.Away {
			up = 0
		}
		t.Sample(up, "database", d.Name)
	}
	t.Family("stepgraph_database_calls_total", exposition.Counter, "Calls of a database, by whether they failed because it could not be reached or took no writes.")
	for _, d := range list {
		t.Sample(float64(d.Failed), "database", d.Name, "result", "failed")
		t.Sample(float64(d.Calls-d.Failed), "database", d.Name, "result", "ok")
	}
	t.Family("stepgraph_database_call_seconds_total", exposition.Counter, "How long all calls of a database took together.")
	for _, d := range list {
		t.Sample(d.Took.Seconds(), "database", d.Name)
	}
}
