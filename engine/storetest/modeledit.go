package storetest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// editWorkflow edits the one workflow of the sequence. Handles of paths differ between
// stores, so each looks up its own by the path's name.
func (p *pair) editWorkflow() {
	steps := rapid.SampledFrom([]string{"root", "a", "b"})
	edit := store.Edit{Workflow: p.prefix}
	for range rapid.IntRange(0, 2).Draw(p.T, "put steps") {
		edit.PutSteps = append(edit.PutSteps, graph.Step{ID: steps.Draw(p.T, "step"), Function: p.fresh(), X: number(float64(p.serial))})
	}
	for range rapid.IntRange(0, 2).Draw(p.T, "put paths") {
		path := graph.Path{Kind: rapid.SampledFrom([]graph.PathKind{graph.Next, graph.Next, graph.Tool}).Draw(p.T, "kind"),
			Source: steps.Draw(p.T, "source"), Target: steps.Draw(p.T, "target"), Condition: p.fresh()}
		if p.chance(2, "with priority") {
			path.Priority = number(float64(rapid.IntRange(0, 2).Draw(p.T, "priority")))
		}
		edit.PutPaths = append(edit.PutPaths, path)
	}
	if p.chance(4, "remove step") {
		edit.RemoveSteps = []string{steps.Draw(p.T, "removed")}
	}
	if p.chance(4, "name") {
		edit.Put = &graph.Workflow{Name: p.fresh(), Extra: map[string]any{"note": p.fresh()}}
	}
	edit.Delete = p.chance(12, "delete")
	removed := ""
	if p.chance(3, "remove path") {
		removed = steps.Draw(p.T, "from") + ">" + steps.Draw(p.T, "to")
	}
	match := p.chance(3, "match")
	p.same(fmt.Sprintf("edit workflow %+v, without path %q", edit, removed), func(s store.Store) string {
		return p.applyEdit(s, edit, removed, match)
	})
}

func (p *pair) applyEdit(s store.Store, edit store.Edit, removed string, match bool) string {
	before, err := s.Workflows(p.ctx, []string{edit.Workflow}, nil)
	if err != nil {
		return kindOf(err)
	}
	if len(before) > 0 {
		if path := before[0].Path(removed); path != nil {
			edit.RemovePaths = []graph.Path{*path}
		}
		if match {
			edit.Match = before[0].ETag()
		}
	}
	after, err := s.EditWorkflow(p.ctx, edit)
	if err != nil {
		return kindOf(err)
	}
	read, err := s.Workflows(p.ctx, []string{edit.Workflow}, nil)
	text := kindOf(err) + "\n" + canonical(after) + after.ETag()
	for _, w := range read {
		text += "\n" + canonical(w) + w.ETag()
	}
	return text
}
