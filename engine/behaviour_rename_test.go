package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/engine"
	"pgregory.net/rapid"
)

// TestNamesAndOrderDecideNothing plays random graphs twice: as they are, and with other names of
// the steps and another order of steps and paths in the file. Every step runs as often and ends
// alike. Which path of a cycle leads back goes by names where nobody says so; these are marked.
func TestNamesAndOrderDecideNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := plans().Draw(rt, "plan")
		for back := range p.backPaths() {
			for i, n := range p.steps[back[0]].next {
				p.steps[back[0]].next[i].marked = n.marked || n.target == back[1]
			}
		}
		names := map[string]string{"root": "root"}
		for i, name := range rapid.Permutation([]string{"a", "b", "m", "s3", "y", "z", "zz"}).Draw(rt, "names") {
			names[fmt.Sprintf("s%d", i)] = name
		}
		other := p.renamed(names)
		shuffle := func(w *engine.Workflow) {
			w.Steps = rapid.Permutation(w.Steps).Draw(rt, "steps")
			w.Paths = rapid.Permutation(w.Paths).Draw(rt, "paths")
		}
		var first, second outcome
		synctest.Test(t, func(t *testing.T) { first = played(t, p) })
		synctest.Test(t, func(t *testing.T) { second = playedAs(t, other, shuffle) })
		if want, got := first.renamed(names).text(), second.text(); got != want {
			rt.Fatalf("%s%v\n--- as it is\n%s--- renamed and shuffled\n%s", p, names, want, got)
		}
	})
}

// renamed is the plan with other ids, in the same order.
func (p *plan) renamed(names map[string]string) *plan {
	all := func(ids []string) (out []string) {
		for _, id := range ids {
			out = append(out, names[id])
		}
		return out
	}
	out := &plan{steps: map[string]*planStep{}, order: all(p.order)}
	for id, s := range p.steps {
		c := *s
		c.id, c.needs, c.onErrors, c.next, c.visits = names[id], all(s.needs), all(s.onErrors), slices.Clone(s.next), slices.Clone(s.visits)
		for i := range c.next {
			c.next[i].target = names[c.next[i].target]
		}
		for i := range c.visits {
			c.visits[i].open = all(c.visits[i].open)
		}
		out.steps[c.id] = &c
	}
	return out
}

// renamed is the outcome with other ids.
func (o outcome) renamed(names map[string]string) outcome {
	out := outcome{problem: o.problem, session: o.session, status: map[string]string{}, calls: map[string]int{}}
	for id, status := range o.status {
		out.status[names[id]] = status
	}
	for id, n := range o.calls {
		out.calls[names[id]] = n
	}
	return out
}
