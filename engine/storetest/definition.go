package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
)

var definitionCases = []testCase{
	{"kept by hash, the first text stays", definitionKept},
	{"what a step has been, oldest first", definitionSteps},
	{"saved by many at once", definitionRace},
}

func (k *kit) definition(hash, step string, n int) graph.StoredDefinition {
	return graph.StoredDefinition{Hash: k.id(hash), Workflow: k.prefix, Step: step,
		Text: fmt.Sprintf(`{"n":%d,"f":1.0}`, n), FirstSeen: since(n)}
}

// saved reads definitions by hash, in hash order.
func (k *kit) saved(hashes ...string) []graph.StoredDefinition {
	k.Helper()
	got, err := k.store.Definitions(k.ctx, hashes)
	k.noError(err)
	slices.SortFunc(got, func(a, b graph.StoredDefinition) int {
		if a.Hash < b.Hash {
			return -1
		}
		return 1
	})
	return got
}

func (k *kit) sameDefinition(got, want graph.StoredDefinition) {
	k.Helper()
	k.sameTime("first_seen", got.FirstSeen, want.FirstSeen)
	got.FirstSeen, want.FirstSeen = time.Time{}, time.Time{}
	k.equal("definition", got, want)
}

func definitionKept(k *kit) {
	a, b := k.definition("a", "ask", 1), k.definition("b", "reply", 2)
	k.noError(k.store.SaveDefinitions(k.ctx, []graph.StoredDefinition{a, b}))
	later, c := k.definition("a", "ask", 9), k.definition("c", "x", 3)
	c.FirstSeen = time.Time{}
	k.noError(k.store.SaveDefinitions(k.ctx, []graph.StoredDefinition{later, c, c}))
	got := k.saved(k.id("a"), k.id("b"), k.id("c"), k.id("d"), k.id("a"))
	k.equal("definitions", len(got), 3)
	k.sameDefinition(got[0], a)
	k.sameDefinition(got[1], b)
	k.near("first_seen where none was given", got[2].FirstSeen)
	k.noError(k.store.SaveDefinitions(k.ctx, nil))
	k.equal("definitions of no hashes", len(k.saved()), 0)
}

func definitionSteps(k *kit) {
	one, two, other := k.definition("z", "ask", 1), k.definition("a", "ask", 2), k.definition("m", "reply", 3)
	foreign := k.definition("f", "ask", 0)
	foreign.Workflow = k.id("other")
	k.noError(k.store.SaveDefinitions(k.ctx, []graph.StoredDefinition{two, other, foreign, one}))
	for step, want := range map[string][]graph.StoredDefinition{"ask": {one, two}, "reply": {other}, "": {one, two, other}, "nothing": {}} {
		got, err := k.store.StepDefinitions(k.ctx, k.prefix, step)
		k.noError(err)
		if len(got) != len(want) {
			k.Fatalf("step %q has %d definitions, want %d", step, len(got), len(want))
		}
		for i := range want {
			k.sameDefinition(got[i], want[i])
		}
	}
}

func definitionRace(k *kit) {
	k.race(6, func(i int) error {
		var list []graph.StoredDefinition
		for n := range 10 {
			list = append(list, k.definition(fmt.Sprintf("h%d", n), "ask", n))
		}
		if i%2 == 1 {
			slices.Reverse(list)
		}
		return k.store.SaveDefinitions(k.ctx, list)
	})
	got, err := k.store.StepDefinitions(k.ctx, k.prefix, "ask")
	k.noError(err)
	k.equal("definitions", len(got), 10)
}
