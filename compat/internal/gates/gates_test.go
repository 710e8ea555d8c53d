package gates

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// drawn reads a graph as lines: "a -> b", "c:0 -> b". A decision has two arms unless the name
// ends in a number, which is how many.
func drawn(lines ...string) (*Graph, map[string]int) {
	g, at := &Graph{}, map[string]int{}
	node := func(name string) int {
		if _, ok := at[name]; !ok {
			at[name] = len(g.Arms)
			g.Arms, g.Within, g.Ends = append(g.Arms, 0), append(g.Within, -1), append(g.Ends, false)
		}
		return at[name]
	}
	for _, line := range lines {
		from, to, _ := strings.Cut(line, " -> ")
		arm := Always
		if name, given, ok := strings.Cut(from, ":"); ok {
			from = name
			fmt.Sscan(given, &arm)
		}
		e := Edge{node(from), node(to), arm}
		if arm != Always {
			g.Arms[e.From] = max(g.Arms[e.From], 2, arm+1)
		}
		g.Edges = append(g.Edges, e)
	}
	return g, at
}

// TestGroups: what a node j waits for in each shape.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string // groups of j, sorted; "any" where one is enough
	}{
		{"required beside a group that may stay untaken", []string{"s -> r", "s -> c", "c:0 -> x", "r -> j", "x -> j"}, "r & x"},
		{"two decisions", []string{"s -> c", "s -> d", "c:0 -> x", "d:0 -> y", "x -> j", "y -> j"}, "x & y"},
		{"both arms", []string{"s -> c", "c:0 -> x", "c:1 -> y", "x -> j", "y -> j"}, "any"},
		{"both arms and what is required", []string{"s -> c", "s -> r", "c:0 -> x", "c:1 -> y", "x -> j", "y -> j", "r -> j"}, "r & x|y"},
		{"nested: the sibling arm counts", []string{"s -> c", "c:0 -> d", "d:0 -> x", "c:1 -> y", "x -> j", "y -> j"}, "any"},
		{"nested beside its own arm", []string{"s -> c", "c:0 -> p", "c:0 -> d", "d:0 -> x", "c:1 -> y", "p -> j", "x -> j", "y -> j"}, "p|y & x|y"},
		{"all arms, straight and through a node", []string{"s -> c", "c:0 -> x", "c:1 -> j", "x -> j"}, "any"},
		{"plain parallel join", []string{"s -> a", "s -> b", "a -> j", "b -> j"}, "any"},
		{"parallel below one arm", []string{"s -> c", "c:0 -> a", "c:0 -> b", "a -> j", "b -> j"}, "any"},
		{"a gated node beside its own source", []string{"s -> r", "s -> c", "c:0 -> x", "r -> m", "x -> m", "m -> j", "r -> j"}, "m & r"},
		{"a merge is not a gate", []string{"s -> c", "c:0 -> x", "c:1 -> y", "x -> m", "y -> m", "m -> j", "s -> r", "r -> j"}, "any"},
		{"a merge beside one of its arms", []string{"s -> c", "c:0 -> x", "c:1 -> y", "x -> m", "y -> m", "m -> j", "x -> j"}, "m & x|c:1"},
		{"a sibling arm that comes together with the rest", []string{"t -> c", "c:1 -> d", "c:1 -> b", "c:0 -> a", "a -> b", "d:1 -> j", "b -> j"}, "b & d:1>|c:0"},
		{"three arms, one of which ends", []string{"s -> c", "c:0 -> x", "c:1 -> y", "c:2 -> z", "x -> j", "y -> j"}, "any"},
		{"two of three arms meet, the third comes alone", []string{"s -> c", "c:0 -> x", "c:1 -> y", "c:2 -> z", "x -> m", "y -> m", "m -> j", "z -> j"}, "any"},
		{"what the first arm does and an arm below the second may", []string{"c:0 -> m", "c:1 -> d", "d:0 -> m", "d:1 -> j", "m -> j"}, "any"},
		{"the same beside what is required", []string{"s -> r", "s -> c", "r -> j", "c:0 -> m", "c:1 -> d", "d:0 -> m", "d:1 -> j", "m -> j"}, "d:1>|m & r"},
		{"ladder", []string{"s -> c", "c:0 -> x", "c:1 -> d", "d:0 -> y", "d:1 -> e", "e:0 -> z", "e:1 -> w", "x -> j", "y -> j", "z -> j", "w -> j"}, "any"},
		{"gate behind a gate", []string{"s -> r", "s -> c", "c:0 -> d", "d:0 -> x", "r -> j", "x -> j"}, "r & x"},
		{"a gate closed by one decision, opened by none", []string{"s -> c", "s -> d", "c:0 -> m", "d:0 -> m", "c:1 -> y", "m -> j", "y -> j"}, "any"},
	} {
		g, at := drawn(c.lines...)
		names := map[int]string{}
		for name, n := range at {
			names[n] = name
		}
		r := Find(g)
		got := "any"
		if groups := r.Groups[at["j"]]; groups != nil {
			var all []string
			for _, group := range groups {
				var one []string
				for _, e := range group.Edges {
					text := names[g.Edges[e].From]
					if g.Edges[e].Arm != Always {
						text += fmt.Sprintf(":%d>", g.Edges[e].Arm)
					}
					one = append(one, text)
				}
				slices.Sort(one)
				for _, a := range group.Arms {
					one = append(one, fmt.Sprintf("%s:%d", names[a.Node], a.Arm))
				}
				all = append(all, strings.Join(one, "|"))
			}
			slices.Sort(all)
			got = strings.Join(all, " & ")
		}
		if got != c.want {
			t.Errorf("%s: j waits for %s, want %s", c.name, got, c.want)
		}
	}
}
