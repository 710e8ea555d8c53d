package bench_test

import (
	"errors"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/bench"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// small is just enough to see that a workload plays and measures.
var small = bench.Options{Sessions: 4, Time: time.Millisecond, Turns: 5}

func TestWorkloads(t *testing.T) {
	for _, kind := range []string{"memory", "sqlite"} {
		for _, name := range bench.Names() {
			t.Run(kind+"/"+name, func(t *testing.T) {
				store := open(t, kind)
				r, err := bench.Run(t.Context(), store, name, small)
				if err != nil {
					t.Fatal(err)
				}
				if r.Workload != name || r.Store != store.Describe() || r.Sessions < 1 {
					t.Errorf("got %+v", r)
				}
				if r.StepsPerS <= 0 || r.CheckpointsPer <= 0 || r.P99 < r.P50 || r.MSPerStep <= 0 || r.PeakRSS <= 0 {
					t.Errorf("measured nothing: %+v", r)
				}
				if (name == "turns") != (r.First50 != nil && r.Last50 != nil) {
					t.Errorf("first and last turns: %v, %v", r.First50, r.Last50)
				}
				if (name == "pause" || name == "resume") != (r.StartPerS != nil && r.ResumePerS != nil) {
					t.Errorf("rates: %v, %v", r.StartPerS, r.ResumePerS)
				}
				wantNothingLeft(t, store)
			})
		}
	}
}

func open(t *testing.T, kind string) engine.Store {
	if kind == "memory" {
		return memory.New(memory.Options{})
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "bench.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func wantNothingLeft(t *testing.T, store engine.Store) {
	t.Helper()
	sessions, err := store.ListSessions(t.Context(), engine.SessionQuery{})
	if err != nil {
		t.Fatal(err)
	}
	workflows, err := store.WorkflowIDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(sessions) > 0 || len(workflows) > 0 {
		t.Errorf("left %d sessions and %d workflows", len(sessions), len(workflows))
	}
}

// TestFill: the sessions stay when workloads have been played beside them, and can be answered.
func TestFill(t *testing.T) {
	for _, kind := range []string{"memory", "sqlite"} {
		t.Run(kind, func(t *testing.T) {
			store := open(t, kind)
			if err := bench.Fill(t.Context(), store, bench.Filling{Paused: 620, Finished: 30}); err != nil {
				t.Fatal(err)
			}
			if _, err := bench.Run(t.Context(), store, "pause", small); err != nil {
				t.Fatal(err)
			}
			counts, err := store.CountSessions(t.Context(), engine.SessionQuery{Workflow: bench.FillWorkflow}, "status")
			if err != nil || counts[engine.StatusAwaitingInput] != 621 || counts[engine.StatusComplete] != 31 { // with the two that were copied
				t.Errorf("got %v, %v", counts, err)
			}
			list, err := store.ListSessions(t.Context(), engine.SessionQuery{Labels: map[string]string{"n": "619"}, WithState: true})
			if err != nil || len(list) != 1 || !strings.HasPrefix(list[0].ID, "paused-") || list[0].Root != list[0].ID {
				t.Fatalf("got %v, %v", list, err)
			}
			history, err := store.Executions(t.Context(), list[0].ID, engine.HistoryQuery{Lineage: true})
			if err != nil || len(history) != 2 || len(history[1].Took) != 1 || !strings.HasPrefix(history[1].Took[0].Execution, list[0].ID) {
				t.Errorf("got %+v, %v", history, err)
			}
		})
	}
}

// TestLists: every question is answered, also after a filling of a few sessions only.
func TestLists(t *testing.T) {
	for _, kind := range []string{"memory", "sqlite"} {
		t.Run(kind, func(t *testing.T) {
			store := open(t, kind)
			server := httptest.NewServer(api.New(engine.New(store, engine.NewRegistry(), engine.Options{}), api.Options{}))
			defer server.Close()
			if _, err := bench.Lists(t.Context(), server.URL, nil); err == nil || !strings.Contains(err.Error(), "fill it first") {
				t.Errorf("on an empty store: %v", err)
			}
			if err := bench.Fill(t.Context(), store, bench.Filling{Paused: 70, Finished: 30}); err != nil {
				t.Fatal(err)
			}
			asked := map[string]bool{}
			total, err := bench.Lists(t.Context(), server.URL, func(a *bench.Asked) error {
				if asked[a.Question] || a.First <= 0 || a.Least <= 0 || a.P50 < a.Least || a.Max < a.P50 {
					t.Errorf("got %+v", a)
				}
				asked[a.Question] = true
				return nil
			})
			if err != nil || total.Sessions != 102 || total.RSS <= 0 && runtime.GOOS == "linux" || len(asked) < 40 {
				t.Errorf("%d questions, %+v, %v", len(asked), total, err)
			}
		})
	}
}

func TestUnknownWorkload(t *testing.T) {
	if _, err := bench.Run(t.Context(), memory.New(memory.Options{}), "warp", small); !errors.Is(err, bench.ErrUnknownWorkload) {
		t.Errorf("got %v", err)
	}
}
