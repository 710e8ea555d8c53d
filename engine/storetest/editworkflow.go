package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

var editWorkflowCases = []testCase{
	{"a step is replaced, its paths stay", editStep},
	{"a removed step takes its paths along", editRemoveStep},
	{"removing what is not there is no error", editRemoveMissing},
	{"with a match only on that version", editMatch},
	{"of many at once with one match one wins", editRace},
	{"many at once without match all count", editRaceFree},
	{"a fault leaves all as it was", editFault},
	{"deleted with all its steps", editDelete},
	{"the last step takes the workflow along", editLastStep},
	{"workflows do not touch each other", editOther},
}

var pathCases = []testCase{
	{"parallel paths have names of their own", pathParallel},
	{"native lists and the plural of condition", pathConditions},
	{"a path is changed by its handle", pathByRef},
	{"a path is removed by its handle, the parallel one stays", pathRemove},
	{"a path into another workflow", pathAcross},
	{"a path that was removed or is another workflow's cannot be changed", pathGone},
}

func editStep(k *kit) {
	k.edited(chain("root", "a", "b"))
	k.edited(store.Edit{PutSteps: []graph.Step{{ID: "a", Function: "other", X: number(1)}, {ID: "c"}}})
	got := k.workflow(k.prefix)
	k.equal("shape", shape(got), "a b c root a>b root>a")
	a := got.Step("a")
	k.equal("a", []any{a.Function, a.Input, *a.X}, []any{"other", "", 1.0})
}

func editRemoveStep(k *kit) {
	k.edited(chain("root", "a", "b", "root"))
	k.edited(store.Edit{RemoveSteps: []string{"a"}})
	k.equal("shape", shape(k.workflow(k.prefix)), "b root b>root")
	again := k.edited(store.Edit{RemoveSteps: []string{"b"}, PutSteps: []graph.Step{{ID: "b", Function: "new"}}})
	k.equal("shape of a step put anew", shape(again), "b root")
}

func editRemoveMissing(k *kit) {
	k.edited(chain("root", "a"))
	w := k.workflow(k.prefix)
	k.edited(store.Edit{RemovePaths: w.Paths})
	k.edited(store.Edit{RemovePaths: w.Paths, RemoveSteps: []string{"nothing"}})
	k.equal("shape", shape(k.workflow(k.prefix)), "a root")
}

func editMatch(k *kit) {
	first := k.edited(chain("root")).ETag()
	k.edited(store.Edit{Match: first, PutSteps: []graph.Step{{ID: "a"}}})
	_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, Match: first, PutSteps: []graph.Step{{ID: "b"}}})
	k.isError(err, store.ErrVersionMismatch)
	_, err = k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, Match: first, Delete: true})
	k.isError(err, store.ErrVersionMismatch)
	k.equal("shape", shape(k.workflow(k.prefix)), "a root")
	_, err = k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.id("not-there"), Match: first, PutSteps: []graph.Step{{ID: "b"}}})
	k.isError(err, store.ErrVersionMismatch)
	k.noWorkflow(k.id("not-there"))
}

func editRace(k *kit) {
	match := k.edited(chain("root")).ETag()
	var won atomic.Int64
	k.race(6, func(i int) error {
		_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, Match: match, PutSteps: []graph.Step{{ID: fmt.Sprintf("s%d", i)}}})
		switch {
		case err == nil:
			won.Add(1)
		case !errors.Is(err, store.ErrVersionMismatch):
			return err
		}
		return nil
	})
	k.equal("won", won.Load(), int64(1))
	k.equal("steps", len(k.workflow(k.prefix).Steps), 2)
}

func editRaceFree(k *kit) {
	k.edited(chain("root"))
	k.race(6, func(i int) error {
		_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, PutSteps: []graph.Step{{ID: fmt.Sprintf("s%d", i)}},
			PutPaths: []graph.Path{{Kind: graph.Next, Source: "root", Target: fmt.Sprintf("s%d", i)}}})
		return err
	})
	got := k.workflow(k.prefix)
	k.equal("steps, paths, problems", []int{len(got.Steps), len(got.Paths), len(got.Problems)}, []int{7, 6, 0})
}

func editFault(k *kit) {
	k.edited(chain("root", "a"))
	want := k.workflow(k.prefix)
	for what, path := range map[string]graph.Path{
		"no source":         {Kind: graph.Next, Source: "nothing", Target: "a"},
		"no target":         {Kind: graph.Next, Source: "a", Target: "nothing"},
		"no other workflow": {Kind: graph.Next, Source: "a", Target: "root", TargetWorkflow: k.id("not-there")},
		"source removed":    {Kind: graph.Next, Source: "root", Target: "a"},
	} {
		edit := store.Edit{Workflow: k.prefix, Put: &graph.Workflow{Name: "x"}, PutSteps: []graph.Step{{ID: "new"}, {ID: "a", Function: "changed"}},
			RemovePaths: want.Paths, PutPaths: []graph.Path{{Kind: graph.Next, Source: "a", Target: "new"}, path}}
		if what == "source removed" {
			edit.RemoveSteps = []string{"root"}
		}
		_, err := k.store.EditWorkflow(k.ctx, edit)
		k.isError(err, store.ErrStepNotFound)
		k.sameWorkflow(what, k.workflow(k.prefix), want)
	}
}

func editDelete(k *kit) {
	k.edited(full())
	after := k.edited(store.Edit{Delete: true})
	k.equal("what is left", after.ID+shape(after), k.prefix)
	k.noWorkflow(k.prefix)
	_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, Delete: true})
	k.isError(err, store.ErrWorkflowNotFound)
	k.equal("made anew", shape(k.edited(chain("root", "a"))), "a root root>a")
}

func editLastStep(k *kit) {
	k.edited(chain("root"))
	after := k.edited(store.Edit{RemoveSteps: []string{"root"}})
	k.equal("what is left", after.ID+shape(after), k.prefix)
	k.noWorkflow(k.prefix)
}

func editOther(k *kit) {
	k.edited(chain("root", "a"))
	other := chain("root", "a")
	other.Workflow = k.id("other")
	k.edited(other)
	want := k.workflow(k.id("other"))
	k.edited(store.Edit{RemoveSteps: []string{"a"}, PutSteps: []graph.Step{{ID: "root", Function: "changed"}}, RemovePaths: want.Paths})
	k.sameWorkflow("other", k.workflow(k.id("other")), want)
	k.edited(store.Edit{Delete: true})
	k.sameWorkflow("other", k.workflow(k.id("other")), want)
}

// Parallel paths are told apart by priority, then by condition.
func pathParallel(k *kit) {
	edit := chain("root", "a")
	edit.PutPaths = []graph.Path{
		{Kind: graph.Next, Source: "root", Target: "a", Condition: "z"},
		{Kind: graph.Next, Source: "root", Target: "a", Condition: "b", Priority: number(2)},
		{Kind: graph.Next, Source: "root", Target: "a", Condition: "y"},
		{ID: "own", Stored: true, Kind: graph.Next, Source: "root", Target: "a", Condition: "x"},
		{Kind: graph.Tool, Source: "root", Target: "a", Name: "t"},
	}
	k.edited(edit)
	var got []string
	for _, p := range k.workflow(k.prefix).Paths {
		got = append(got, fmt.Sprint(p.ID, " ", p.Condition))
	}
	k.equal("paths", got, []string{"root>a b", "own x", "root>a#2 y", "root>a#3 z", "root>a:TOOL <nil>"})
}

func pathConditions(k *kit) {
	edit := chain("root", "a", "b", "c", "d")
	edit.PutPaths[0].Condition = []any{"one", "two"}
	edit.PutPaths[1].Condition = []any{}
	edit.PutPaths[2].Extra = map[string]any{"conditions": `["plural"]`}
	edit.PutPaths[3].Condition = ""
	k.edited(edit)
	w := k.workflow(k.prefix)
	for id, want := range map[string]any{"root>a": []any{"one", "two"}, "a>b": []any{}, "b>c": `["plural"]`} {
		k.equal("condition of "+id, w.Path(id).Condition, want)
		k.equal("extra of "+id, len(w.Path(id).Extra), 0)
	}
	if c := w.Path("c>d").Condition; c != nil && c != "" {
		k.Errorf("a blank condition came back as %v", c)
	}
}

func pathByRef(k *kit) {
	edit := chain("root", "a", "b")
	edit.PutPaths[0].Extra = map[string]any{"note": "old"}
	w := k.edited(edit)
	change := *w.Path("root>a")
	change.ID, change.Stored, change.Condition, change.Extra, change.Target = "mine", true, "c", nil, "b"
	k.edited(store.Edit{PutPaths: []graph.Path{change}})
	got := k.workflow(k.prefix)
	k.equal("shape", shape(got), "a b root a>b mine")
	p := got.Path("mine")
	k.equal("path", []any{p.Source, p.Target, p.Condition, len(p.Extra), p.Stored}, []any{"root", "b", "c", 0, true})
}

func pathRemove(k *kit) {
	edit := chain("root", "a")
	edit.PutPaths = append(edit.PutPaths, graph.Path{Kind: graph.Next, Source: "root", Target: "a", Condition: "second"})
	w := k.edited(edit)
	k.edited(store.Edit{RemovePaths: []graph.Path{*w.Path("root>a")}})
	got := k.workflow(k.prefix)
	k.equal("shape", shape(got), "a root root>a")
	k.equal("condition", got.Paths[0].Condition, any("second"))
}

func pathAcross(k *kit) {
	other := chain("root", "away")
	other.Workflow = k.id("other")
	k.edited(other)
	edit := chain("root")
	edit.PutPaths = []graph.Path{{Kind: graph.Next, Source: "root", Target: "away", TargetWorkflow: k.id("other")}}
	k.edited(edit)
	got := k.workflow(k.prefix)
	k.equal("shape", shape(got), "root root>away")
	k.equal("target workflow", got.Paths[0].TargetWorkflow, k.id("other"))
	k.equal("the other", shape(k.workflow(k.id("other"))), "away root root>away")
	k.edited(store.Edit{Workflow: k.id("other"), RemoveSteps: []string{"away"}})
	k.equal("shape without its target", shape(k.workflow(k.prefix)), "root")
}

func pathGone(k *kit) {
	w := k.edited(chain("root", "a"))
	old := *w.Path("root>a")
	k.edited(store.Edit{RemovePaths: w.Paths})
	_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, PutSteps: []graph.Step{{ID: "new"}}, PutPaths: []graph.Path{old}})
	k.isError(err, store.ErrPathNotFound)
	k.equal("shape", shape(k.workflow(k.prefix)), "a root")
	other := chain("root", "a")
	other.Workflow = k.id("other")
	foreign := *k.edited(other).Path("root>a")
	_, err = k.store.EditWorkflow(k.ctx, store.Edit{Workflow: k.prefix, PutPaths: []graph.Path{foreign}})
	k.isError(err, store.ErrPathNotFound)
	k.equal("shape of the other", shape(k.workflow(k.id("other"))), "a root root>a")
}
