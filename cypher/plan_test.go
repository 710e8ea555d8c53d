package cypher_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/store"
)

// sample is a value for every parameter any query has.
var sample = func() map[string]any {
	at := time.Now().In(time.FixedZone("Offset", 0))
	row := map[string]any{
		"id": "a", "session": "a", "token": "a", "key": "a", "parent": "a", "lease_for": 1, "properties": map[string]any{"id": "a", "creation": "a"},
		"version": 1, "lease": "a", "transition": "a", "closing": true, "seen": 1, "released": true, "due_at": at, "pending": true,
		"executions": []any{map[string]any{"id": "a"}}, "messages": []any{map[string]any{"id": "a"}}, "applied": []any{map[string]any{"id": "a", "outcome": "a"}},
		"reads": []any{map[string]any{"from": "a", "to": "b", "label": "a"}}, "took": []any{map[string]any{"from": "a", "to": "b", "label": "a"}},
		"hash": "a", "text": "a", "workflow": "a", "step": "a", "first_seen": at, "kind": "NEXT", "ref": "4:a:1", "source": "a", "target": "b",
		"target_workflow": "a", "requests": []any{map[string]any{"id": "a"}}, "request": map[string]any{"id": "a"}, "targets": []any{"a"}, "n": 1,
		"visit": 1, "index": 1, "output": "a",
	}
	return map[string]any{
		"rows": []any{row}, "ids": []any{"a", "b"}, "id": "a", "entries": []any{"root"}, "steps": []any{"4:a:1"}, "refs": []any{"5:a:1"},
		"workflow": "a", "step": "a", "properties": map[string]any{"id": "a"}, "hashes": []any{"a"}, "statuses": []any{"active"}, "awaiting": true,
		"root": "a", "created_before": at, "created_after": at, "waiting_before": at, "labels": []any{"a=b"}, "text": "a", "limit": 50,
		"with_state": true, "after_at": at, "after_id": "a", "due": true, "owner": "a", "for": 1000, "by": 1000, "after": "a", "session": "a",
		"before": 10, "lineage": true, "visit": 1, "target": "a", "label": "SESSION", "property": "id", "seconds": 1, "version": 1, "name": "a",
		"checksum": "a", "key": "a", "token": "a", "lease": "a", "saving": "a", "released": false, "due_at": at, "above": 1,
		"outcome": "a", "message": "a", "moving": true, "skip": []any{"a"},
		"except": []any{"a"}, "definition": "a", "functions": []any{"a"}, "forget": 1000, "within": 1000,
		"workflows": []any{"a"}, "names": []any{"a"}, "ranks": map[string]any{"a": 1}, "most": map[string]any{"a": 1}, "fresh": 1, "state": "a", "holds": "a", "next_at": at, "prefixes": []any{"a"}, "who": "a", "action": "a", "refused": true, "since": at, "until": at,
		"query": `+"a=b"`, "bare": false,
	}
}()

// sampleFor gives $after as a number to the queries that page by number, and $steps as
// yes or no to the one that asks so.
func sampleFor(name string) map[string]any {
	values := map[string]any{}
	for key, v := range sample {
		values[key] = v
	}
	if strings.HasSuffix(name, "_forward") || strings.HasSuffix(name, "_backward") {
		values["after"] = 1
	}
	if name == "edit_delete" {
		values["steps"] = true
	}
	if name == "steps_adopt" {
		values["steps"] = []any{map[string]any{"ref": "4:a:1", "workflow": "w"}}
	}
	return values
}

func TestPlans(t *testing.T) {
	open(t) // migrated
	p := newPerson(t)
	neo4jtest.InUse(t, p.driver)
	for name, text := range cypher.QueryTexts() {
		t.Run(name, func(t *testing.T) {
			session := p.driver.NewSession(t.Context(), neo4j.SessionConfig{})
			defer func() { _ = session.Close(context.Background()) }()
			result, err := session.Run(t.Context(), "EXPLAIN "+text, map[string]any{"p": sampleFor(name)})
			if err != nil {
				t.Fatal(err)
			}
			summary, err := result.Consume(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			file, err := cypher.QueryFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := neo4jtest.CheckPlan(summary.Plan(), file); err != nil {
				t.Error(err)
			}
			if most, bounded := eager[name]; bounded && count(summary.Plan(), "Eager") > most {
				t.Errorf("the plan holds all rows back %d times, want %d at most", count(summary.Plan(), "Eager"), most)
			}
			for _, seek := range seeks[name] {
				if drawn, _ := summary.Plan().Arguments()["string-representation"].(string); !strings.Contains(drawn, "UNIQUE "+seek) {
					t.Errorf("the plan does not find %s in its unique index\n%s", seek, drawn)
				}
			}
			if ordered[name] && !has(summary.Plan(), "PartialTop") {
				t.Error("a page is sorted from all sessions that fit: no index has its order")
			}
		})
	}
}

// ordered are pages that an index has in their order, but for sessions of one moment.
var ordered = map[string]bool{"sessions_newest": true, "sessions_of_root": true, "sessions_of_status": true, "sessions_of_workflow": true, "sessions_of_workflow_status": true, "sessions_waiting": true,
	"sessions_waiting_of_workflow": true}

// Lists and counts of the sessions below one session find them by their root: without that they walk past
// all sessions there are.
func TestSessionsOfARootUseItsIndex(t *testing.T) {
	open(t) // migrated
	p := newPerson(t)
	neo4jtest.InUse(t, p.driver)
	for name, q := range map[string]store.SessionQuery{
		"page": {}, "page of a workflow": {Workflow: "w"}, "page by status": {Status: []string{store.StatusError}}, "page at a step": {Step: "ask"}, "page with a label": {Labels: map[string]string{"a": "b"}},
		"oldest waiting": {OldestWaiting: true}, "oldest waiting of a workflow": {OldestWaiting: true, Workflow: "w"},
	} {
		q.Root = "r"
		if plan := p.plan(t, cypher.PageStatement(q)); !strings.Contains(plan, "s:SESSION(root, created_at)") {
			t.Errorf("%s: no index on root\n%s", name, plan)
		}
		for _, by := range []string{"status", "workflow", "step"} {
			if plan := p.plan(t, cypher.CountStatement(q, by)); !strings.Contains(plan, "s:SESSION(root, created_at)") {
				t.Errorf("count by %s of %s: no index on root\n%s", by, name, plan)
			}
		}
	}
}

// plan is the server's plan of a query, drawn as a table.
func (p *person) plan(t *testing.T, query string) string {
	t.Helper()
	result, err := neo4j.ExecuteQuery(t.Context(), p.driver, "EXPLAIN "+query, map[string]any{"p": sample}, neo4j.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	drawn, _ := result.Summary.Plan().Arguments()["string-representation"].(string)
	return drawn
}

// seeks are what a statement finds by unique indexes, eager how often its plan may collect all
// rows before it goes on.
var (
	seeks = map[string][]string{"commit": {"s:SESSION(id)", "q:REQUEST(id)", "o:EXECUTION(id)"}}
	eager = map[string]int{"commit": 5}
)

// count returns how many operators of a name the server draws of a plan.
func count(p neo4j.Plan, operator string) int {
	drawn, _ := p.Arguments()["string-representation"].(string)
	return strings.Count(drawn, "+"+operator+" ")
}

func has(p neo4j.Plan, operator string) bool {
	return strings.HasPrefix(p.Operator(), operator+"@") || slices.ContainsFunc(p.Children(), func(c neo4j.Plan) bool { return has(c, operator) })
}

// Every query file begins with its own name and what it does, and is used.
func TestQueryFiles(t *testing.T) {
	names, err := cypher.QueryFiles()
	if err != nil {
		t.Fatal(err)
	}
	used := cypher.QueryTexts()
	for _, file := range names {
		name := strings.TrimSuffix(file, ".cypher")
		if _, ok := used[name]; !ok {
			t.Errorf("no code uses %s", file)
		}
		text, err := cypher.QueryFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text, "// "+file+": ") {
			t.Errorf("%s does not begin with a comment that names it and says what it does", file)
		}
	}
}
