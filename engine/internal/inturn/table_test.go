package inturn

import (
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// TestEveryWorkflowIsFirst: while other work is always due, each workflow is asked for before all
// others again and again, whatever its priority; most calls keep the order of priorities.
func TestEveryWorkflowIsFirst(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		table := &Table{of: map[string]graph.Limits{}}
		for i := range n {
			id := fmt.Sprint("w", i)
			table.of[id] = graph.Limits{Priority: graph.LastPriority - n + 1 + i}
			table.turns = append(table.turns, store.TurnLimit{Workflow: id})
		}
		first := map[string]int{}
		for range orderEvery * n * 3 {
			if list := table.Wanted(); len(list) > 0 {
				first[list[0].Workflow]++
			}
		}
		for _, l := range table.turns {
			if first[l.Workflow] < 3 {
				t.Errorf("%d workflows: %s was first %d times, want 3", n, l.Workflow, first[l.Workflow])
			}
		}
	}
}
