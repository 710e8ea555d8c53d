package cypher_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// workflow reads one workflow, which must be there.
func workflow(t *testing.T, opened *cypher.Store, id string) *graph.Workflow {
	t.Helper()
	list, err := opened.Workflows(t.Context(), []string{id}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d workflows of id %s, want 1", len(list), id)
	}
	return list[0]
}

// What somebody types is what the next read gives.
func TestEditsByHand(t *testing.T) {
	opened, p, w := open(t), newPerson(t), unique("workflow")
	p.types(`CREATE (a:STEP {id: 'a', workflow: $w, function: 'reply'})-[:NEXT {condition: '@{SESSION_ID}.a.x'}]->(b:STEP {id: 'b', workflow: $w})`,
		map[string]any{"w": w})
	before := workflow(t, opened, w)
	if len(before.Steps) != 2 || before.Path("a>b") == nil || before.Path("a>b").Condition != "@{SESSION_ID}.a.x" {
		t.Fatalf("read %+v", before)
	}

	p.types(`MATCH (a:STEP {id: 'a', workflow: $w}) SET a.input = '{"text":"new"}', a.note = 'mine'`, map[string]any{"w": w})
	p.types(`MATCH (:STEP {id: 'a', workflow: $w})-[n:NEXT]->() SET n.condition = null, n.priority = 2`, map[string]any{"w": w})
	p.types(`MATCH (b:STEP {id: 'b', workflow: $w}) CREATE (b)-[:TOOL {name: 'look'}]->(:STEP {id: 'c', workflow: $w})`, map[string]any{"w": w})
	now := workflow(t, opened, w)
	if a := now.Step("a"); a.Input != `{"text":"new"}` || a.Extra["note"] != "mine" {
		t.Errorf("step a is %+v", a)
	}
	if path := now.Path("a>b"); path.Condition != nil || path.Priority == nil || *path.Priority != 2 {
		t.Errorf("path a>b is %+v", path)
	}
	if tool := now.Path("b>c:TOOL"); tool == nil || tool.Name != "look" {
		t.Errorf("path b>c:TOOL is %+v", tool)
	}
	if now.ETag() == before.ETag() {
		t.Error("the ETag did not change with the edit")
	}

	p.types(`MATCH (b:STEP {id: 'b', workflow: $w}) DETACH DELETE b`, map[string]any{"w": w})
	if now = workflow(t, opened, w); len(now.Steps) != 2 || len(now.Paths) != 0 {
		t.Errorf("after the delete there are %d steps and %d paths, want 2 and 0", len(now.Steps), len(now.Paths))
	}
}

// Values of types we cannot use neither hide a step nor get lost.
func TestOddProperties(t *testing.T) {
	opened, p, w := open(t), newPerson(t), unique("workflow")
	p.types(`CREATE (:STEP {id: 'a', workflow: $w, function: ['not', 'text'], approval: 'TRUE', x: '12.5', made: date('2024-02-03'),
		at: datetime('2024-02-03T04:05:06Z'), took: duration('PT5S'), where: point({x: 1, y: 2}), scores: [1, 2]})`, map[string]any{"w": w})
	p.types(`CREATE (:STEP {workflow: $w, function: 'reply'})`, map[string]any{"w": w})
	read := workflow(t, opened, w)
	a := read.Step("a")
	if a == nil || !a.Approval || a.X == nil || *a.X != 12.5 || a.Function != "" {
		t.Fatalf("step a is %+v", a)
	}
	for name, want := range map[string]any{"made": "2024-02-03", "at": "2024-02-03T04:05:06Z", "took": "P0M0DT5S"} {
		if got := a.Extra[name]; got != want {
			t.Errorf("extra %s is %#v, want %#v", name, got, want)
		}
	}
	if _, isText := a.Extra["where"].(string); !isText {
		t.Errorf("extra where is %#v, want text", a.Extra["where"])
	}
	for _, code := range []string{"property_type", "step_without_id"} {
		if !slices.ContainsFunc(read.Problems, func(q function.Problem) bool { return q.Code == code }) {
			t.Errorf("no problem %s among %+v", code, read.Problems)
		}
	}

	// A put that leaves them alone leaves their types alone, too.
	a.Name = "renamed"
	if _, err := opened.EditWorkflow(t.Context(), store.Edit{Workflow: w, PutSteps: []graph.Step{*a}}); err != nil {
		t.Fatal(err)
	}
	kept := p.types(`MATCH (a:STEP {id: 'a', workflow: $w}) RETURN a.name = 'renamed' AND a.made = date('2024-02-03')
		AND a.took = duration('PT5S') AND a.where = point({x: 1, y: 2}) AND a.scores = [1, 2] AND a.at = datetime('2024-02-03T04:05:06Z')`, map[string]any{"w": w})
	if kept[0].Values[0] != true {
		t.Error("an edit of the name changed the types of other properties")
	}
}

// A path from default to a step of another workflow is shown as what it is.
func TestPathIntoAnotherWorkflow(t *testing.T) {
	opened, p, w, other := open(t), newPerson(t), unique("workflow"), unique("workflow")
	p.types(`CREATE (:STEP {id: 'a', workflow: $w})-[:NEXT]->(:STEP {id: 'b', workflow: $other}), (:STEP {id: 'c', workflow: $w})-[:NEXT]->(:Other {id: 'd'})`,
		map[string]any{"w": w, "other": other})
	read := workflow(t, opened, w)
	if len(read.Paths) != 1 || read.Paths[0].TargetWorkflow != other {
		t.Errorf("paths %+v, want one, into %s", read.Paths, other)
	}
}

// A long chain pasted without workflow is met whole, and only once.
func TestLongChainIsAdopted(t *testing.T) {
	opened, p, prefix := open(t), newPerson(t), unique("chain")
	p.types(`UNWIND range(1, 300) AS i CREATE (:STEP {id: $prefix + '-' + toString(i)})`, map[string]any{"prefix": prefix})
	p.types(`UNWIND range(1, 299) AS i MATCH (a:STEP {id: $prefix + '-' + toString(i)}) MATCH (b:STEP {id: $prefix + '-' + toString(i + 1)}) CREATE (a)-[:NEXT]->(b), (b)-[:NEXT {back: true}]->(a)`,
		map[string]any{"prefix": prefix})
	t.Cleanup(func() {
		p.types(`MATCH (s:STEP {workflow: 'default'}) WHERE s.id STARTS WITH $prefix DETACH DELETE s`, map[string]any{"prefix": prefix})
	})
	list, err := opened.Workflows(t.Context(), []string{graph.DefaultWorkflow}, map[string][]string{graph.DefaultWorkflow: {prefix + "-150"}})
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, step := range list[0].Steps {
		if strings.HasPrefix(step.ID, prefix+"-") {
			steps++
		}
	}
	if steps != 300 {
		t.Errorf("%d steps of the chain are in default, want 300", steps)
	}
}

// A workflow that is read while a person edits it is of one edit, whatever the edit writes. Two
// equal reads in a row do not suffice: this test finds half of an edit then.
func TestReadsBesideEditsByHandAreWhole(t *testing.T) {
	opened, p, w := open(t), newPerson(t), unique("whole")
	p.types(`CREATE (:STEP {id: 'a', workflow: $w, n: 0})-[:NEXT]->(:STEP {id: 'm0', workflow: $w, n: 0})-[:NEXT]->(:STEP {id: 'b', workflow: $w, n: 0})`,
		map[string]any{"w": w})
	var edited atomic.Bool
	var reads [2]atomic.Int64
	var readers sync.WaitGroup
	for i := range reads {
		readers.Go(func() {
			for ; !edited.Load(); reads[i].Add(1) {
				list, err := opened.Workflows(t.Context(), []string{w}, nil)
				if err != nil || len(list) != 1 {
					t.Errorf("%d workflows, %v", len(list), err)
					return
				}
				if !ofOneEdit(list[0]) {
					t.Errorf("half of an edit: %+v with the paths %+v", list[0].Steps, list[0].Paths)
					return
				}
			}
		})
	}
	// The edits are not faster than the reads, or no two reads would be equal.
	read := func(before int64, i int) {
		for reads[i].Load() <= before && !t.Failed() {
			time.Sleep(100 * time.Microsecond)
		}
	}
	for n := 1; n <= 300 && !t.Failed(); n++ {
		before := [...]int64{reads[0].Load(), reads[1].Load()}
		p.types(`MATCH (a:STEP {id: 'a', workflow: $w})-[:NEXT]->(m:STEP)-[:NEXT]->(b:STEP) DETACH DELETE m
			SET a.n = $n, b.n = $n CREATE (a)-[:NEXT]->(:STEP {id: 'm' + $n, workflow: $w, n: $n})-[:NEXT]->(b)`, map[string]any{"w": w, "n": n})
		read(before[0], 0)
		read(before[1], 1)
	}
	edited.Store(true)
	readers.Wait()
}

// ofOneEdit reports whether a workflow is a, m<n> and b in a row, each with the number n.
func ofOneEdit(w *graph.Workflow) bool {
	a, b := w.Step("a"), w.Step("b")
	if a == nil || b == nil || len(w.Steps) != 3 || len(w.Paths) != 2 {
		return false
	}
	id := fmt.Sprintf("m%v", a.Extra["n"])
	m := w.Step(id)
	return m != nil && fmt.Sprint(a.Extra["n"]) == fmt.Sprint(b.Extra["n"]) && fmt.Sprint(m.Extra["n"]) == fmt.Sprint(a.Extra["n"]) &&
		w.Path("a>"+id) != nil && w.Path(id+">b") != nil
}

// A workflow that changes all the time is read under its lock at last; so is one that has no
// WORKFLOW node, and one that does not exist.
func TestReadUnderTheLock(t *testing.T) {
	opened, p, w, steps, absent := open(t), newPerson(t), unique("workflow"), unique("workflow"), unique("workflow")
	if _, err := opened.EditWorkflow(t.Context(), store.Edit{Workflow: w, Put: &graph.Workflow{Name: "named"}, PutSteps: []graph.Step{{ID: "a"}}}); err != nil {
		t.Fatal(err)
	}
	p.types(`CREATE (:STEP {id: 'a', workflow: $w})`, map[string]any{"w": steps})
	ids := []string{w, steps, absent}
	want, err := opened.Workflows(t.Context(), ids, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := opened.WorkflowsLocked(t.Context(), ids)
	if err != nil || len(got) != 2 || len(want) != 2 {
		t.Fatalf("%d workflows, %v, want %d", len(got), err, len(want))
	}
	for _, read := range want {
		if !reflect.DeepEqual(got[read.ID], read) {
			t.Errorf("under the lock %+v, else %+v", got[read.ID], read)
		}
	}
	if nodes := p.types(`MATCH (w:WORKFLOW) WHERE w.id IN $ids RETURN w.id`, map[string]any{"ids": ids}); len(nodes) != 1 {
		t.Errorf("%d WORKFLOW nodes, want the one of %s", len(nodes), w)
	}
}
