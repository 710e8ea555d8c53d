package cypher_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Each part of a checkpoint becomes the property of its name: commit.cypher knows them by their
// place in a list.
func TestCommitColumns(t *testing.T) {
	opened, p := open(t), newPerson(t)
	record, l := session(t, opened, "columns")
	id, at := record.ID, time.Date(2020, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	full := store.Execution{ID: id + "/own", Seq: 2, Workflow: "workflow", Step: "step", Visit: 3, Attempt: 4, Status: "status", Function: "function",
		Input: []byte(`"input"`), Output: []byte(`"output"`), Error: []byte(`"error"`), Paths: []byte(`"paths"`), Usage: []byte(`"usage"`), Parent: "parent",
		Definition: "definition", StartedAt: at, FinishedAt: at.Add(time.Second),
		Reads: []store.Lineage{{Execution: id + "/1", Label: "one"}, {Execution: id + "/1", Label: "two"}, {Execution: id + "/missing", Label: "three"}},
		Took:  []store.Lineage{{Execution: id + "/1", Label: "path"}, {Execution: id + "/own", Label: "itself"}}}
	checkpoint := store.Checkpoint{Session: id, Version: record.Version, Lease: l.Token, Transition: "transition", Status: store.StatusPending,
		State: []byte(`{"state":1}`), Counters: []byte(`{"counters":1}`), Tried: "tried", Release: true, DueAt: at.Add(time.Minute),
		Awaiting: []byte(`[{"step":"asking"},{"step":"asking"}]`), AwaitingSince: at.Add(time.Hour),
		Records: store.Records{Executions: []store.Execution{{Seq: 1}, full}, Messages: []function.Message{{N: 1, Role: "user", Content: "hello"}}}}
	results, err := opened.Commit(t.Context(), []store.Checkpoint{checkpoint})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Outcome != store.Committed {
		t.Fatalf("outcome %v", results[0].Outcome)
	}
	read := func(text string) []any {
		t.Helper()
		var list []any
		for _, r := range p.types(text, map[string]any{"id": id}) {
			list = append(list, r.Values[0])
		}
		return list
	}
	got := read("MATCH (s:SESSION {id: $id}) RETURN properties(s)")[0].(map[string]any)
	for name, want := range map[string]any{
		"id": id, "version": record.Version + 1, "transition": "transition", "status": "pending", "state": `{"state":1}`, "counters": `{"counters":1}`, "tried": "tried",
		"awaiting": `[{"step":"asking"},{"step":"asking"}]`, "awaiting_since": at.Add(time.Hour), "awaiting_steps": []any{"asking", "asking"}, "awaiting_step": "asking",
		"claims": int64(0), "pending": "columns", "due_at": at.Add(time.Minute), "updated_at": results[0].Now, "created_at": record.CreatedAt,
		"lease": nil, "lease_owner": nil, "lease_until": nil,
	} {
		if !same(got[name], want) {
			t.Errorf("%s of the session: %v, want %v", name, got[name], want)
		}
	}
	executions := read("MATCH (:SESSION {id: $id})-[:EXECUTED]->(e) RETURN properties(e) ORDER BY e.seq")
	for i, want := range []map[string]any{
		{"id": id + "/1", "session": id, "seq": int64(1), "workflow": "", "step": "", "visit": int64(0), "attempt": int64(0), "status": ""},
		{"id": id + "/own", "session": id, "seq": int64(2), "workflow": "workflow", "step": "step", "visit": int64(3), "attempt": int64(4), "status": "status",
			"function": "function", "input": `"input"`, "output": `"output"`, "error": `"error"`, "paths": `"paths"`, "usage": `"usage"`, "parent": "parent",
			"definition": "definition", "started_at": at, "finished_at": at.Add(time.Second)},
	} {
		got := executions[i].(map[string]any)
		for name := range got {
			if _, there := want[name]; !there {
				t.Errorf("%s of execution %d: %v, want none", name, i+1, got[name])
			}
		}
		for name := range want {
			if !same(got[name], want[name]) {
				t.Errorf("%s of execution %d: %v, want %v", name, i+1, got[name], want[name])
			}
		}
	}
	relations := read(`MATCH (:SESSION {id: $id})-[:EXECUTED]->(e)-[r:READ|TOOK]->(o)
RETURN type(r) + ' ' + coalesce(r.reference, r.path) + ' ' + e.seq + ' ' + o.seq AS text ORDER BY text`)
	if want := []any{"READ one 2 1", "READ two 2 1", "TOOK itself 2 2", "TOOK path 1 2"}; !slices.Equal(relations, want) {
		t.Errorf("relations %v, want %v", relations, want)
	}
	if said := read("MATCH (:SESSION {id: $id})-[:SAID]->(m) RETURN m.content"); !slices.Equal(said, []any{"hello"}) {
		t.Errorf("messages %v", said)
	}
}

func same(got, want any) bool {
	if at, isTime := want.(time.Time); isTime {
		stored, _ := got.(time.Time)
		return stored.Equal(at)
	}
	return reflect.DeepEqual(got, want)
}

// A checkpoint without state and counters leaves what is stored.
func TestCommitKeepsState(t *testing.T) {
	opened := open(t)
	record, l := session(t, opened, "columns")
	if _, err := opened.Commit(t.Context(), []store.Checkpoint{{Session: record.ID, Version: record.Version, Lease: l.Token, Transition: "kept", Status: store.StatusActive}}); err != nil {
		t.Fatal(err)
	}
	after, err := opened.Session(t.Context(), record.ID)
	if err != nil {
		t.Fatal(err)
	}
	if string(after.State) != string(record.State) || string(after.Counters) != string(record.Counters) || after.Version != record.Version+1 {
		t.Errorf("state %s, counters %s, version %d; want %s, %s, %d", after.State, after.Counters, after.Version, record.State, record.Counters, record.Version+1)
	}
}
