package faultlane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// TestFlows plays all flows (children, containers, waits and signals, batches, forks, edits,
// with pauses and cancels in the middle) through two engines in this process that are killed,
// or kept from their store for one to ten leases, in turn. STEPGRAPH_FAULTS_FLOWS names the
// flows to play.
func TestFlows(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) engine.Store{
		"memory": func(*testing.T) engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func(t *testing.T) engine.Store { return fileStore(t) },
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began, seed := time.Now(), firstSeed(t)
			torments := 6
			if n := wanted(t); n > 0 {
				torments = n / 4
			}
			o := insidePlay{seed: seed, torments: torments, calm: patience, clients: 12, store: open(t),
				breakIt: func(s engine.Store) engine.Store { return s }, flows: playedFlows()}.play(t)
			found := o.judge(t.Context())
			report{Round: "flows-" + name, Seed: seed, Faults: map[string]int{"kills and freezes": torments}, tally: o.to.tally,
				Executions: o.executions, Effects: len(o.ledger.keys()), Calls: o.calls, Repeated: o.repeated, Lost: o.lost,
				Violations: len(found)}.publish(t, began)
			for _, v := range found[:min(len(found), 20)] {
				t.Errorf("seed %d: %s", seed, v)
			}
		})
	}
}

// playedFlows are those that STEPGRAPH_FAULTS_FLOWS names, with commas; all by default.
func playedFlows() []*flow {
	return flowsOf(strings.FieldsFunc(os.Getenv("STEPGRAPH_FAULTS_FLOWS"), func(r rune) bool { return r == ',' })...)
}

func fileStore(t *testing.T) engine.Store {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}
