package engine_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// overdueSession stores a session of workflow w that has been due for an hour. It has this state, if
// one is given. The engine does not run.
func (w *playground) overdueSession(id, text string) {
	w.t.Helper()
	if _, err := w.e.Start(w.ctx, engine.StartRequest{Workflow: "w", ID: id}); err != nil {
		w.t.Fatal(err)
	}
	token := func() string { return "token " + id }
	claimed, err := w.store.ClaimByID(w.ctx, []string{id}, store.ClaimOptions{Owner: "test", For: time.Minute, Token: token})
	if err != nil || len(claimed) != 1 {
		w.t.Fatalf("claimed %d: %v", len(claimed), err)
	}
	rec := claimed[0].Session
	if text != "" {
		rec.State = []byte(text)
	}
	done, err := w.store.Commit(w.ctx, []store.Checkpoint{{Session: id, Lease: token(), Version: rec.Version, Transition: "x", Status: engine.StatusActive,
		State: rec.State, Counters: rec.Counters, Release: true, DueAt: time.Now().Add(-time.Hour)}})
	if err != nil || done[0].Outcome != store.Committed {
		w.t.Fatal(err, done)
	}
}

// TestOverdueIsExplained: doctor and why name the cause of a session that no engine takes up, and
// what to do.
func TestOverdueIsExplained(t *testing.T) {
	for name, open := range map[string]func(*testing.T) engine.Store{
		"memory": func(*testing.T) engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func(t *testing.T) engine.Store {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
			if err == nil {
				_, err = s.Migrate(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		for _, c := range []struct {
			name, state string
			others      []string // functions of an engine that is at work elsewhere; nil for none
			want, mend  string
		}{
			{"no engine", "", nil, "no engine is at work", "stepgraph serve"},
			{"no function", "", []string{"say"}, "no engine at work has function ship", "start an engine that has the function"},
			{"no room", "", []string{"ship"}, "1 engines are at work, and none has had a place for it", "--max-sessions"},
			{"unreadable", `{"root": `, []string{"ship"}, "its state cannot be read", "stepgraph session edit s"},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				w := newPlay(t, open(t), engine.Options{})
				if _, err := w.store.EditWorkflow(t.Context(), store.Edit{Workflow: "w", PutSteps: []engine.Step{{ID: "root", Function: "ship"}}}); err != nil {
					t.Fatal(err)
				}
				if c.others != nil {
					if err := w.store.Announce(t.Context(), store.Announcement{ID: "other", Name: "other", Functions: c.others}, time.Hour); err != nil {
						t.Fatal(err)
					}
				}
				w.overdueSession("s", c.state)
				found := findings(t, w.e, "overdue")
				if len(found) != 1 || !strings.Contains(found[0], "session s has been due for 1h0m") || !strings.Contains(found[0], c.want) {
					t.Errorf("doctor: %q, want %q", found, c.want)
				}
				x, err := w.e.Explain(t.Context(), "s")
				if err != nil {
					t.Fatal(err)
				}
				if text := x.String(); !strings.Contains(text, c.want) && c.name != "unreadable" || !strings.Contains(text, c.mend) {
					t.Errorf("why: %s\nwant %q and %q", text, c.want, c.mend)
				}
			})
		}
	}
}

// TestOverdueIsMeasured: the metric shows how late due work is although the engine has room for it.
func TestOverdueIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPlay(t, skipping{memory.New(memory.Options{})}, engine.Options{})
		w.put(&engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "say"}}})
		w.overdueSession("s", "")
		w.run()
		time.Sleep(21 * time.Second)
		if l := w.e.Load(); l.Overdue < 3600 || l.Late != 0 {
			t.Errorf("overdue for %v s, late by %v s; want more than an hour and 0", l.Overdue, l.Late)
		}
		w.stop()
	})
}

// skipping is a store in which a claim finds nothing.
type skipping struct{ engine.Store }

func (skipping) Claim(context.Context, store.ClaimOptions) ([]store.Claimed, error) {
	return nil, nil
}

// TestLongWaitForATurn: doctor warns of a workflow whose limits let sessions wait for hours.
func TestLongWaitForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
		w.put(&engine.Workflow{ID: "w", Settings: engine.Settings{Limits: engine.Limits{Rate: "1/d"}}, Steps: []engine.Step{{ID: "root"}}})
		w.run()
		w.startMany("w", 3)
		time.Sleep(5 * time.Second)
		warned := func() (level string) {
			list, err := w.e.Doctor(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				if f.Code == "turns" {
					level += f.Level + " " + f.Mend
				}
			}
			return level
		}
		if got := warned(); got != "ok " {
			t.Errorf("at first: %q, want ok", got)
		}
		w.stop()
		time.Sleep(2 * time.Hour)
		if got := warned(); !strings.HasPrefix(got, "warning raise the limits") {
			t.Errorf("after two hours: %q, want a warning", got)
		}
	})
}
