package storetest

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// edited applies an edit to this case's workflow.
func (k *kit) edited(edit store.Edit) *graph.Workflow {
	k.Helper()
	if edit.Workflow == "" {
		edit.Workflow = k.prefix
	}
	w, err := k.store.EditWorkflow(k.ctx, edit)
	k.noError(err)
	return w
}

// workflow reads one workflow that has to be there.
func (k *kit) workflow(id string) *graph.Workflow {
	k.Helper()
	list, err := k.store.Workflows(k.ctx, []string{id}, nil)
	k.noError(err)
	if len(list) != 1 || list[0].ID != id {
		k.Fatalf("read %d workflows, want %s", len(list), id)
	}
	return list[0]
}

// noWorkflow wants a workflow not to be there.
func (k *kit) noWorkflow(id string) {
	k.Helper()
	list, err := k.store.Workflows(k.ctx, []string{id}, nil)
	k.noError(err)
	k.equal("workflows", len(list), 0)
}

// sameWorkflow compares all that people can edit.
func (k *kit) sameWorkflow(what string, got, want *graph.Workflow) {
	k.Helper()
	k.sameJSON(what, got, want)
	k.equal(what+": ETag", got.ETag(), want.ETag())
}

// chain is an edit that makes steps joined by paths, one after the other.
func chain(steps ...string) store.Edit {
	var e store.Edit
	for i, id := range steps {
		e.PutSteps = append(e.PutSteps, graph.Step{ID: id, Function: "utils.reply.reply", Input: `{"text":"` + id + `"}`})
		if i > 0 {
			e.PutPaths = append(e.PutPaths, graph.Path{Kind: graph.Next, Source: steps[i-1], Target: id})
		}
	}
	return e
}

// shape is a workflow as text: its steps, then its paths.
func shape(w *graph.Workflow) string {
	var parts []string
	for i := range w.Steps {
		parts = append(parts, w.Steps[i].ID)
	}
	for i := range w.Paths {
		parts = append(parts, w.Paths[i].ID)
	}
	return strings.Join(parts, " ")
}

func number(f float64) *float64 { return &f }

// full is a workflow that uses every property.
func full() store.Edit {
	return store.Edit{
		Put: &graph.Workflow{Name: "A name", Description: "It's a description", Settings: graph.Settings{History: "errors", MaxSteps: 7, MessageWindow: 3}},
		PutSteps: []graph.Step{
			{ID: "root", Function: "utils.request.request", Input: `{"prompt":"Name?","n":1.0}`, Name: "Ask", Description: "asks", Join: graph.JoinAll,
				Retry: `{"max_attempts":3}`, Timeout: "30s", OnError: graph.OnErrorContinue, Approval: true, OutputSchema: `{"type":"object"}`,
				X: number(10), Y: number(-2.5), Bypass: true, Inactive: true, Config: `{"a":1}`},
			{ID: "reply"}, {ID: "tool"},
		},
		PutPaths: []graph.Path{
			{ID: "first", Stored: true, Kind: graph.Next, Source: "root", Target: "reply", Condition: "@{SESSION_ID}.root.ok", Operator: "OR",
				Priority: number(1.5), Label: "yes", Back: true, Group: []string{"one", "two"}},
			{Kind: graph.Tool, Source: "root", Target: "tool", Name: "search", Description: "finds things"},
			{Kind: graph.Contains, Source: "root", Target: "tool"},
		},
	}
}
