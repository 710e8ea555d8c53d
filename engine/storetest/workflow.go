package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

var workflowCases = []testCase{
	{"all properties come back", workflowProperties},
	{"unknown properties are kept", workflowUnknown},
	{"a property of a wrong type is a problem and kept", workflowProblems},
	{"several at once, missing ones left out", workflowSeveral},
	{"listed with their number of steps", workflowList},
	{"a step without workflow gets the one it is put into", workflowAdopted},
	{"two reads have one ETag, a change has another", workflowETag},
	{"one node without steps is a workflow", workflowEmpty},
	{"two hundred steps", workflowLarge},
	{"a read during edits sees one edit", workflowWhole},
}

func workflowProperties(k *kit) {
	edit := full()
	after := k.edited(edit)
	got := k.workflow(k.prefix)
	k.sameWorkflow("what the edit returned", after, got)
	k.equal("shape", shape(got), "reply root tool first root>tool:TOOL root>tool:CONTAINS")
	k.sameJSON("settings", got.Settings, edit.Put.Settings)
	k.equal("name and description", got.Name+got.Description, edit.Put.Name+edit.Put.Description)
	for _, want := range edit.PutSteps {
		want.Workflow = k.prefix
		k.sameJSON("step "+want.ID, got.Step(want.ID), want)
	}
	k.equal("problems", len(got.Problems), 0)
	for i, want := range edit.PutPaths {
		p := got.Paths[i]
		k.equal("path "+p.ID+" is stored", p.Stored, want.Stored)
		k.equal("path "+p.ID+" has a handle", p.Ref != "", true)
		want.ID = p.ID
		k.sameJSON("path "+p.ID, p, want)
	}
}

func workflowUnknown(k *kit) {
	extra := map[string]any{"colour": "blue", "count": int64(3), "ratio": 0.5, "on": true, "tags": []any{"a", "b"}, "Ключ x": "ü", "state": "x"}
	edit := chain("root", "reply")
	edit.Put = &graph.Workflow{Name: "n", Extra: extra, Settings: graph.Settings{Extra: map[string]json.RawMessage{"own": json.RawMessage(`{"a":1}`)}}}
	edit.PutSteps[0].Extra, edit.PutPaths[0].Extra = extra, extra
	k.edited(edit)
	got := k.workflow(k.prefix)
	k.sameJSON("of the workflow", got.Extra, extra)
	k.sameJSON("of the step", got.Step("root").Extra, extra)
	k.sameJSON("of the path", got.Paths[0].Extra, extra)
	k.sameJSON("of the settings", got.Settings, edit.Put.Settings)
	k.equal("problems", len(got.Problems), 0)
	// A put replaces all of them.
	k.edited(store.Edit{Put: &graph.Workflow{Name: "m"}, PutSteps: []graph.Step{{ID: "root"}}})
	got = k.workflow(k.prefix)
	k.equal("extra of workflow and step", []int{len(got.Extra), len(got.Step("root").Extra)}, []int{0, 0})
	k.equal("settings are empty", got.Settings.IsZero(), true)
	k.sameJSON("extra of the path", got.Paths[0].Extra, extra)
	k.equal("function", got.Step("root").Function, "")
}

func workflowProblems(k *kit) {
	edit := chain("root", "reply")
	edit.PutSteps[0].Extra = map[string]any{"approval": int64(7), "x": "left", "timeout": int64(30)}
	edit.PutPaths[0].Extra = map[string]any{"priority": "high"}
	k.edited(edit)
	got := k.workflow(k.prefix)
	k.equal("shape", shape(got), "reply root root>reply")
	root := got.Step("root")
	k.sameJSON("kept", root.Extra, map[string]any{"approval": 7, "x": "left"})
	k.sameJSON("kept with the path", got.Paths[0].Extra, map[string]any{"priority": "high"})
	k.equal("used where it can be", root.Timeout, "30")
	k.equal("not used", []any{root.Approval, root.X, got.Paths[0].Priority}, []any{false, (*float64)(nil), (*float64)(nil)})
	k.equal("problems", len(got.Problems), 3)
	for _, p := range got.Problems {
		k.equal("step, level, code", []string{p.Step, p.Level, p.Code}, []string{"root", "error", "property_type"})
	}
}

func workflowSeveral(k *kit) {
	for _, name := range []string{"one", "two"} {
		edit := chain("root", name)
		edit.Workflow = k.id(name)
		k.edited(edit)
	}
	list, err := k.store.Workflows(k.ctx, k.ids("two", "not-there", "one", "two"), map[string][]string{k.id("one"): {"root"}})
	k.noError(err)
	shapes := make(map[string]string)
	for _, w := range list {
		shapes[w.ID] = shape(w)
	}
	k.equal("workflows", len(list), 2)
	k.equal("shapes", shapes, map[string]string{k.id("one"): "one root root>one", k.id("two"): "root two root>two"})
	list, err = k.store.Workflows(k.ctx, nil, nil)
	k.noError(err)
	k.equal("workflows of no ids", len(list), 0)
}

func workflowList(k *kit) {
	edit := chain("root", "a", "b")
	edit.Put = &graph.Workflow{Name: "N", Description: "D"}
	k.edited(edit)
	bare := chain("root")
	bare.Workflow = k.id("bare")
	k.edited(bare)
	find := func() []store.WorkflowInfo {
		k.Helper()
		all, err := k.store.WorkflowIDs(k.ctx)
		k.noError(err)
		var mine []store.WorkflowInfo
		for _, w := range all {
			if strings.HasPrefix(w.ID, k.prefix) {
				mine = append(mine, w)
			}
		}
		return mine
	}
	k.equal("workflows", find(), []store.WorkflowInfo{
		{ID: k.prefix, Name: "N", Description: "D", Steps: 3}, {ID: k.id("bare"), Steps: 1}})
	k.edited(store.Edit{Delete: true})
	k.equal("workflows", find(), []store.WorkflowInfo{{ID: k.id("bare"), Steps: 1}})
}

func workflowAdopted(k *kit) {
	edit := chain("root")
	edit.PutSteps = append(edit.PutSteps, graph.Step{ID: "other", Workflow: k.id("another")})
	k.edited(edit)
	got := k.workflow(k.prefix)
	k.equal("shape", shape(got), "other root")
	k.equal("workflows of the steps", []string{got.Steps[0].Workflow, got.Steps[1].Workflow}, []string{k.prefix, k.prefix})
	k.noWorkflow(k.id("another"))
}

func workflowETag(k *kit) {
	k.edited(full())
	first := k.workflow(k.prefix).ETag()
	k.equal("of a second read", k.workflow(k.prefix).ETag(), first)
	moved := *k.workflow(k.prefix).Step("root")
	moved.X = number(11)
	changed := k.edited(store.Edit{PutSteps: []graph.Step{moved}}).ETag()
	if changed == first {
		k.Error("a changed workflow has the ETag it had")
	}
	moved.X = number(10)
	k.equal("of the workflow as it was", k.edited(store.Edit{PutSteps: []graph.Step{moved}}).ETag(), first)
}

func workflowEmpty(k *kit) {
	k.edited(store.Edit{Put: &graph.Workflow{Name: "empty"}})
	got := k.workflow(k.prefix)
	k.equal("name and shape", got.Name+shape(got), "empty")
}

func workflowLarge(k *kit) {
	var names []string
	for i := range 200 {
		names = append(names, "s"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26))
	}
	edit := chain(names...)
	k.sameWorkflow("workflow", k.edited(edit), k.workflow(k.prefix))
	got := k.workflow(k.prefix)
	k.equal("steps and paths", []int{len(got.Steps), len(got.Paths)}, []int{200, 199})
}

// workflowWhole reads a workflow during edits each of which replaces the step between two others
// and writes its number into all three.
func workflowWhole(k *kit) {
	id := k.id("whole")
	edit := func(n int) {
		step := func(id string) graph.Step { return graph.Step{ID: id, Input: fmt.Sprintf(`{"n":%d}`, n)} }
		middle, before := fmt.Sprintf("m%d", n), fmt.Sprintf("m%d", n-1)
		_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: id, RemoveSteps: []string{before},
			PutSteps: []graph.Step{step("a"), step("b"), step(middle)},
			PutPaths: []graph.Path{{Kind: graph.Next, Source: "a", Target: middle}, {Kind: graph.Next, Source: middle, Target: "b"}}})
		k.noError(err)
	}
	edit(0)
	var edited atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !edited.Load() {
				list, err := k.store.Workflows(k.ctx, []string{id}, nil)
				if err != nil || len(list) != 1 {
					k.Errorf("%d workflows, %v", len(list), err)
					return
				}
				var n int
				_, _ = fmt.Sscanf(list[0].Step("a").Input, `{"n":%d}`, &n)
				want := fmt.Sprintf("a b m%d a>m%d m%d>b", n, n, n)
				if got := shape(list[0]); got != want || list[0].Step("b").Input != list[0].Step("a").Input {
					k.Errorf("read %s with a %s and b %s, want %s", got, list[0].Step("a").Input, list[0].Step("b").Input, want)
					return
				}
			}
		})
	}
	for n := 1; n <= 100; n++ {
		edit(n)
	}
	edited.Store(true)
	readers.Wait()
}
