package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// unguardedEnd is a store without the closing guard: it writes a checkpoint that ends a
// session, or closes a question, whatever has come into the inbox meanwhile.
type unguardedEnd struct{ engine.Store }

func (u *unguardedEnd) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	changed := slices.Clone(checkpoints)
	for i := range changed {
		changed[i].Closing = false
	}
	return u.Store.Commit(ctx, changed)
}

// TestInjectBites injects cancels into sessions on a store without the closing guard: the
// oracle has to find those that were acknowledged and came to nothing.
func TestInjectBites(t *testing.T) {
	defer oneProcessor()()
	open := func(t *testing.T) engine.Store { return &unguardedEnd{memoryStore(t)} }
	s := readScenario(t, "testdata/scenarios/wave_order.txtar")
	ref := reference(t, s, memoryStore)
	found := 0
	for _, i := range product(s, ref.calls) {
		if i.request == "cancel" && i.at.method == "Commit" {
			found += len(judgeInjection(t, s, open, i, ref))
			if wrong := judgeInjection(t, s, memoryStore, i, ref); len(wrong) > 0 {
				t.Errorf("with the guard: %v\n%s", wrong, i.replay())
			}
		}
	}
	if found == 0 {
		t.Error("a store without the closing guard was not found out")
	}
}
