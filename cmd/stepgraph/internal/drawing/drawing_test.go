package drawing_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/drawing"
	"github.com/stepgraph/stepgraph/engine"
)

func TestDraw(t *testing.T) {
	w := &engine.Workflow{ID: "w", Description: "Everything a drawing shows",
		Steps: []engine.Step{{ID: "root"}, {ID: "a", Function: "reply", Name: "Say it"}, {ID: "b", Join: engine.JoinAll, Approval: true}, {ID: "alone"}, {ID: "t"}, {ID: "in"}},
		Paths: []engine.Path{
			{Kind: engine.Next, Source: "root", Target: "a", Label: "yes", Condition: `{"true": "@{SESSION_ID}.root.x"}`},
			{Kind: engine.Next, Source: "root", Target: "b", Condition: []any{"@{SESSION_ID}.root.y"}, Operator: "or"},
			{Kind: engine.Next, Source: "a", Target: "b"},
			{Kind: engine.Next, Source: "b", Target: "root"},
			{Kind: engine.Next, Source: "b", Target: "elsewhere", TargetWorkflow: "other"},
			{Kind: engine.Tool, Source: "a", Target: "t", Name: "look"},
			{Kind: engine.Contains, Source: "t", Target: "in"},
		}}
	want := `w  (6 steps, 7 paths)
Everything a drawing shows

root
├─ [yes: if {"true": "root.x"}] a  reply  “Say it”
│  ├─ b  {approval, join all}
│  │  ├─ elsewhere  (not in this workflow)
│  │  └─ ↑ root
│  └─ [tool look] t
│     └─ [contains] in
└─ [if ["root.y"] (OR)] → b
alone
`
	if got := drawing.Draw(w); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if w.Steps[0].ID != "root" || w.Paths[0].ID != "" {
		t.Error("the workflow was changed")
	}
}
