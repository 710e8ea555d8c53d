package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
)

// TestEngines: each engine is listed with what it lacks; one that stopped says so, one that died is silent.
func TestEngines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{T: t, store: memory.New(memory.Options{}), calls: map[string]int{}}
		a, stopA := f.start("a", "old")
		_, stopB := f.start("b", "old", "new")
		defer stopA()
		state := func() map[string]engine.EngineInfo {
			list, err := a.Engines(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]engine.EngineInfo{}
			for _, e := range list {
				found[e.Name] = e
			}
			return found
		}
		now := state()
		if now["a"].State != "running" || now["b"].State != "running" || !slices.Equal(now["a"].Lacks, []string{"new"}) || len(now["b"].Lacks) != 0 || len(now["a"].Holds) == 0 {
			t.Errorf("engines: %+v", now)
		}
		stopB()
		if now := state(); now["b"].State != "stopped" || len(now["a"].Lacks) != 0 {
			t.Errorf("after b has stopped: %+v", now)
		}
		if err := f.store.Announce(t.Context(), store.Announcement{ID: "dead", Name: "dead"}, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if now := state(); now["dead"].State != "silent" || now["a"].State != "running" {
			t.Errorf("a minute later: %+v", now)
		}
	})
}
