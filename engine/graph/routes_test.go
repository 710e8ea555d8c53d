package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRoutesEqualASearch draws graphs, some with steps inside of others, and compares what
// spots answer with a search that knows nothing of them.
func TestRoutesEqualASearch(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := &Workflow{ID: "w"}
		n := 2 + random.IntN(14)
		id := func(i int) string { return fmt.Sprintf("s%d", i) }
		for i := range n {
			w.Steps = append(w.Steps, Step{ID: id(i)})
		}
		for i := range random.IntN(3 * n) {
			w.Paths = append(w.Paths, Path{ID: fmt.Sprintf("p%d", i), Kind: Next, Source: id(random.IntN(n)), Target: id(random.IntN(n + 1)), Back: random.IntN(9) == 0})
		}
		for i := 1; i < n && random.IntN(2) == 0; i++ {
			w.Paths = append(w.Paths, Path{ID: fmt.Sprintf("c%d", i), Kind: Contains, Source: id(random.IntN(i)), Target: id(i)})
		}
		d := Compile(w)
		for _, from := range d.steps {
			found := searched(d, from)
			for _, to := range d.steps {
				if got := d.Leads(from, to); got != found[to.ID] {
					t.Fatalf("seed %d: leads(%s, %s) = %v, want %v", seed, from.ID, to.ID, got, found[to.ID])
				}
			}
		}
	}
}

// searched are the steps that forward paths lead to.
func searched(d *Definition, from *CompiledStep) map[string]bool {
	found := map[string]bool{}
	for todo := []*CompiledStep{from}; len(todo) > 0; todo = todo[1:] {
		for _, p := range d.onward(todo[0]) {
			if p.Forward() && !found[p.Target] {
				found[p.Target] = true
				todo = append(todo, d.steps[p.Target])
			}
		}
	}
	return found
}

// BenchmarkCompileWide shows that what compiling needs of memory grows with the workflow, not
// with its square.
func BenchmarkCompileWide(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		w := &Workflow{ID: "w"}
		for i := range n {
			w.Steps = append(w.Steps, Step{ID: fmt.Sprint("s", i)})
			w.Paths = append(w.Paths, Path{ID: fmt.Sprint("p", i), Kind: Next, Source: fmt.Sprint("s", i/2), Target: fmt.Sprint("s", i)})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compile(w)
			}
		})
	}
}
