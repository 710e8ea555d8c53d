package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A crowd counts how many sessions call a function at once, by the key that they were started with.
type crowd struct {
	*playground
	mu    sync.Mutex
	now   map[string]int
	most  map[string]int
	calls int
	order []string // workflows, as they called
	pass  chan struct{}
	for_  time.Duration
}

func (c *crowd) call(ctx context.Context, in json.RawMessage) (json.RawMessage, error) {
	var of struct{ Key string }
	_ = json.Unmarshal(in, &of)
	c.mu.Lock()
	c.now[of.Key]++
	c.most[of.Key] = max(c.most[of.Key], c.now[of.Key])
	c.calls++
	c.order = append(c.order, engine.CallOf(ctx).Workflow)
	c.mu.Unlock()
	select {
	case <-time.After(c.for_):
	case <-c.pass:
	case <-ctx.Done():
	}
	c.mu.Lock()
	c.now[of.Key]--
	c.mu.Unlock()
	return json.RawMessage(`{}`), context.Cause(ctx)
}

// newCrowd has workflows whose sessions call once, with these limits.
func newCrowd(t *testing.T, opened engine.Store, o engine.Options, takes time.Duration, limits map[string]engine.Limits) *crowd {
	c := &crowd{now: map[string]int{}, most: map[string]int{}, pass: make(chan struct{}), for_: takes}
	c.playground = newPlay(t, opened, o)
	r := c.registry()
	if r.Find("crowd") == nil {
		r.Add(engine.Spec{Name: "crowd", Effects: true, Function: function.FunctionFunc(c.call)})
	}
	for id, l := range limits {
		c.put(&engine.Workflow{ID: id, Settings: engine.Settings{Limits: l},
			Steps: []engine.Step{{ID: "root"}, {ID: "call", Function: "crowd", Input: `{"key": "@{SESSION_ID}.customer|"}`}}, Paths: []engine.Path{next("root", "call")}})
	}
	return c
}

// begin starts n sessions.
func (c *crowd) begin(e *engine.Engine, workflow, customer string, n int) (ids []string) {
	c.t.Helper()
	for i := range n {
		q := engine.StartRequest{Workflow: workflow, ID: fmt.Sprintf("%s-%s%d", workflow, customer, i)}
		if customer != "" {
			q.Inputs = json.RawMessage(`{"customer": "` + customer + `"}`)
		}
		if _, err := e.Start(c.ctx, q); err != nil {
			c.t.Fatal(err)
		}
		ids = append(ids, q.ID)
	}
	return ids
}

func (c *crowd) finished(ids []string) {
	c.t.Helper()
	for _, id := range ids {
		if s := c.wait(id); s.Status != engine.StatusComplete {
			c.t.Fatalf("%s is %s: %+v", id, s.Status, s.Error)
		}
	}
}

// onStores plays a test on each store; of Neo4j's server with two engines.
func onStores(t *testing.T, play func(t *testing.T, opened engine.Store)) {
	t.Run("memory", func(t *testing.T) { play(t, memory.New(memory.Options{})) })
	t.Run("sqlite", func(t *testing.T) {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		play(t, s)
	})
	t.Run("neo4j", func(t *testing.T) {
		server := serverOfEngines(t)
		s, err := cypher.Open(t.Context(), cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		play(t, s)
	})
}

// unique makes names of this test's own: tests share a server.
func unique(t *testing.T, name string) string {
	return fmt.Sprintf("%s%x", name, time.Now().UnixNano())
}

// TestSessionsAtOnce: two engines on one store together run no more sessions of a workflow than it
// allows; the others are pending, say why, and all end.
func TestSessionsAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, opened engine.Store) {
		id := unique(t, "w")
		c := newCrowd(t, opened, engine.Options{}, 30*time.Millisecond, map[string]engine.Limits{id: {MaxSessionsAtOnce: 3}})
		c.run()
		other := engine.New(c.store, c.registry(), c.o)
		c.runEngine(other)
		ids := append(c.begin(c.e, id, "", 12), c.begin(other, id, "x", 12)...)
		c.until("a session is pending and says why", func() bool {
			return slices.ContainsFunc(ids, func(session string) bool {
				s, err := c.e.Session(c.ctx, session)
				if err != nil || s.Status != engine.StatusPending {
					return false
				}
				x, err := other.Explain(c.ctx, session)
				return err == nil && x.Status == engine.StatusPending && strings.Contains(x.String(), "of at most 3 sessions of its workflow run")
			})
		})
		c.finished(ids)
		c.mu.Lock()
		defer c.mu.Unlock()
		if most := c.most[""] + c.most["x"]; c.most[""] > 3 || c.most["x"] > 3 || most == 0 {
			t.Errorf("%v sessions called at once, at most 3 are allowed", c.most)
		}
		if c.calls != 24 {
			t.Errorf("%d calls, want 24", c.calls)
		}
	})
}

// TestSessionsAtOnceByKey: with a concurrency key each value has the limit for itself.
func TestSessionsAtOnceByKey(t *testing.T) {
	onStores(t, func(t *testing.T, opened engine.Store) {
		id := unique(t, "w")
		c := newCrowd(t, opened, engine.Options{}, 30*time.Millisecond, map[string]engine.Limits{id: {MaxSessionsAtOnce: 1, ConcurrencyKey: "@{SESSION_ID}.customer"}})
		c.run()
		ids := append(c.begin(c.e, id, "ada", 5), c.begin(c.e, id, "bob", 5)...)
		c.finished(ids)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.most["ada"] != 1 || c.most["bob"] != 1 {
			t.Errorf("called at once: %v, want one of each", c.most)
		}
	})
}

// TestRateOfStarts: starts above the rate are accepted and wait.
func TestRateOfStarts(t *testing.T) {
	onStores(t, func(t *testing.T, opened engine.Store) {
		id := unique(t, "w")
		c := newCrowd(t, opened, engine.Options{}, 0, map[string]engine.Limits{id: {Rate: "20/s"}})
		c.run()
		began := time.Now()
		c.finished(c.begin(c.e, id, "", 30))
		// 250 ms of the rate may be made up for at once: 6 at the beginning, 24 at 20 a second.
		if took := time.Since(began); took < 1100*time.Millisecond || took > 10*time.Second {
			t.Errorf("30 starts at 20/s took %s, want about 1.2s", took)
		}
	})
}

// TestLimitedAnswer: a session that is answered waits for its turn, before those that have not begun; Wait waits with it.
func TestLimitedAnswer(t *testing.T) {
	onStores(t, func(t *testing.T, opened engine.Store) {
		id := unique(t, "w")
		c := newCrowd(t, opened, engine.Options{}, time.Hour, map[string]engine.Limits{id: {MaxSessionsAtOnce: 1}})
		c.put(&engine.Workflow{ID: id, Settings: engine.Settings{Limits: engine.Limits{MaxSessionsAtOnce: 1}},
			Steps: []engine.Step{{ID: "root"}, {ID: "ask", Function: "utils.request.request", Input: `{"prompt": "Name?"}`}, {ID: "call", Function: "crowd"}},
			Paths: []engine.Path{next("root", "ask"), next("ask", "call")}})
		c.run()
		c.start(id, id+"-1")
		c.start(id, id+"-2") // a session that waits for a person takes no turn
		c.answer(id+"-1", "ask", `"Ada"`)
		c.until("the first calls", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.calls == 1 })
		c.answer(id+"-2", "ask", `"Bob"`)
		c.until("the second waits for its turn", func() bool {
			s, err := c.e.Session(c.ctx, id+"-2")
			return err == nil && s.Status == engine.StatusPending && s.Awaiting[0].Answered
		})
		if _, err := c.e.Start(c.ctx, engine.StartRequest{Workflow: id, ID: id + "-3"}); err != nil {
			t.Fatal(err)
		}
		c.until("the third waits too", func() bool {
			s, err := c.e.Session(c.ctx, id+"-3")
			return err == nil && s.Status == engine.StatusPending
		})
		c.act(engine.Action{Session: id + "-3", Kind: engine.RequestCancel}) // needs no turn
		if s := c.wait(id + "-3"); s.Status != engine.StatusCancelled {
			t.Errorf("cancelled while it waited: %s", s.Status)
		}
		c.pass <- struct{}{}
		c.until("the second calls", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.calls == 2 })
		c.pass <- struct{}{}
		c.finished([]string{id + "-1", id + "-2"})
	})
}

// TestWorkflowPriority: of the calls that wait for a slot, those of a workflow that goes first are made first.
func TestWorkflowPriority(t *testing.T) {
	c := newCrowd(t, memory.New(memory.Options{}), engine.Options{CallsOf: map[string]int{"crowd": 1}}, time.Millisecond,
		map[string]engine.Limits{"late": {Priority: 8}, "plain": {}, "first": {Priority: 1}})
	c.for_ = time.Hour
	c.run()
	c.until("the limits are read", func() bool {
		late := c.begin(c.e, "late", fmt.Sprint(time.Now().UnixNano()), 1)
		return len(late) == 1
	})
	c.until("one calls", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.calls == 1 })
	ids := append(append(c.begin(c.e, "late", "", 3), c.begin(c.e, "plain", "", 3)...), c.begin(c.e, "first", "", 3)...)
	c.until("all wait for the slot", func() bool { return c.e.Load().Queued == len(ids) })
	for range len(ids) + 1 {
		c.pass <- struct{}{}
	}
	c.finished(ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := strings.Join(c.order[1:], " "); got != "first first first plain plain plain late late late" {
		t.Errorf("called in the order %s", got)
	}
}

// TestLimitsChange: limits that are set on the WORKFLOW node while sessions run count within a second or two, and so does their removal.
func TestLimitsChange(t *testing.T) {
	c := newCrowd(t, memory.New(memory.Options{}), engine.Options{}, time.Hour, map[string]engine.Limits{"w": {MaxSessionsAtOnce: 1}})
	c.run()
	ids := c.begin(c.e, "w", "", 4)
	c.until("one calls", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.calls == 1 })
	c.until("the others wait", func() bool {
		lanes, err := c.store.Lanes(c.ctx, "w", 10)
		return err == nil && len(lanes) == 1 && lanes[0].Waiting == 3
	})
	for _, l := range []engine.Limits{{MaxSessionsAtOnce: 2}, {}} {
		w := &engine.Workflow{ID: "w", Settings: engine.Settings{Limits: l}}
		if _, err := c.store.EditWorkflow(c.ctx, store.Edit{Workflow: "w", Put: w}); err != nil {
			t.Fatal(err)
		}
		want := 2
		if l.MaxSessionsAtOnce == 0 {
			want = 4
		}
		c.until(fmt.Sprintf("%d call", want), func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.calls == want })
	}
	close(c.pass)
	c.finished(ids)
}

// TestLimitsAtOnce: sessions that are started right after their workflow was loaded keep to its limits.
func TestLimitsAtOnce(t *testing.T) {
	c := newCrowd(t, memory.New(memory.Options{}), engine.Options{}, 20*time.Millisecond, nil)
	c.run()
	time.Sleep(20 * time.Millisecond) // the engine has read the limits of before
	c.put(&engine.Workflow{ID: "w", Settings: engine.Settings{Limits: engine.Limits{MaxSessionsAtOnce: 1}},
		Steps: []engine.Step{{ID: "root"}, {ID: "call", Function: "crowd"}}, Paths: []engine.Path{next("root", "call")}})
	c.finished(c.begin(c.e, "w", "", 5))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most[""] != 1 {
		t.Errorf("%d sessions ran at once, want 1", c.most[""])
	}
}
