package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A hookedStore calls a hook before each checkpoint is committed, with the store below it:
// the moment in which a request may come between a decision and its guard.
type hookedStore struct {
	engine.Store
	before  func(*store.Checkpoint)
	refused atomic.Int64 // checkpoints the guard has refused
}

func (s *hookedStore) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	for i := range checkpoints {
		if s.before != nil {
			s.before(&checkpoints[i])
		}
	}
	out, err := s.Store.Commit(ctx, checkpoints)
	for i := range out {
		if out[i].Outcome == store.Refused {
			s.refused.Add(1)
		}
	}
	return out, err
}

// A refusal is an engine on a hooked store, beside one that takes requests and runs nothing.
type refusal struct {
	*testing.T
	ctx     context.Context
	store   *hookedStore
	engine  *engine.Engine
	outside *engine.Engine
	fakes   *fakes
	run     func() // begins to run the engine

	mu   sync.Mutex
	once map[string]bool
}

// refusals plays a test on the memory store under a fake clock, and on SQLite.
func refusals(t *testing.T, o engine.Options, test func(r *refusal)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(newRefusal(t, memory.New(memory.Options{}), o)) })
	})
	t.Run("sqlite", func(t *testing.T) {
		opened, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "refused.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		test(newRefusal(t, opened, o))
	})
	if os.Getenv("STEPGRAPH_REFUSALS_NEO4J") != "" { // minutes, so make verify sets it
		t.Run("neo4j", func(t *testing.T) { test(newRefusal(t, emptyNeo4j(t), o)) })
	}
}

// emptyNeo4j is a store on the server of this package's tests, with nothing in it.
func emptyNeo4j(t *testing.T) engine.Store {
	t.Helper()
	server := serverOfEngines(t)
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = driver.Close(context.Background()) }()
	session := driver.NewSession(t.Context(), neo4j.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	result, err := session.Run(t.Context(), "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS", nil)
	if err == nil {
		_, err = result.Consume(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	opened, err := cypher.Open(t.Context(), cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

func newRefusal(t *testing.T, opened engine.Store, o engine.Options) *refusal {
	r := &refusal{T: t, store: &hookedStore{Store: opened}, fakes: newFakes(), once: map[string]bool{}}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	r.ctx = ctx
	registry := r.fakes.registry()
	engine.Register(registry, "linger", r.linger, func(s *engine.Spec) { s.Effects = true })
	r.engine = engine.New(r.store, registry, o)
	r.outside = engine.New(opened, registry, engine.Options{})
	if _, err := opened.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	running := false
	r.run = func() { running = true; go func() { stopped <- r.engine.Run(ctx) }() }
	t.Cleanup(func() {
		stop()
		if running {
			if err := <-stopped; err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// linger is a call that takes between one and two times the milliseconds of its input.
func (r *refusal) linger(ctx context.Context, in struct {
	MS int `json:"ms"`
}) (map[string]bool, error) {
	r.fakes.record(engine.CallOf(ctx).Key)
	select {
	case <-time.After(time.Duration(in.MS+rand.IntN(in.MS+1)) * time.Millisecond):
		return map[string]bool{"done": true}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// workflow stores a workflow of steps; paths are "a>b".
func (r *refusal) workflow(id string, steps []engine.Step, paths ...string) {
	r.Helper()
	w := &engine.Workflow{ID: id, Steps: steps}
	for _, p := range paths {
		kind, at := engine.Next, 0
		for i := range p {
			if p[i] == '>' {
				at = i
			}
			if p[i] == ':' {
				kind, at = engine.Contains, i
			}
		}
		w.Paths = append(w.Paths, engine.Path{Kind: kind, Source: p[:at], Target: p[at+1:]})
	}
	if _, err := r.engine.Put(r.ctx, w, engine.PutOptions{}); err != nil {
		r.Fatal(err)
	}
}

// start starts a session and returns at once.
func (r *refusal) start(workflow, id string) {
	r.Helper()
	if _, err := r.engine.Start(r.ctx, engine.StartRequest{Workflow: workflow, ID: id}); err != nil {
		r.Fatal(err)
	}
}

// until waits until a session has one of the statuses, or a minute is over; it returns it.
func (r *refusal) until(id string, statuses ...string) *engine.Session {
	r.Helper()
	var s *engine.Session
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found, err := r.outside.Session(r.ctx, id)
		if errors.Is(err, engine.ErrSessionNotFound) {
			continue // a child that is still to be created
		}
		if s = found; err != nil {
			r.Fatal(err)
		}
		for _, status := range statuses {
			if s.Status == status {
				return s
			}
		}
	}
	if s == nil {
		r.Fatalf("there is no session %s after a minute", id)
	}
	r.Errorf("session %s is %s after a minute, want one of %v; steps %v", id, s.Status, statuses, s.Steps)
	return s
}

// act sends a request from outside this engine and returns its error.
func (r *refusal) act(session, kind string, change ...func(*engine.Action)) error {
	a := engine.Action{Session: session, Kind: kind}
	for _, c := range change {
		c(&a)
	}
	_, err := r.outside.Act(r.ctx, a)
	return err
}

func (r *refusal) answer(session, step, response string) error {
	_, err := r.outside.Answer(r.ctx, engine.AnswerRequest{Session: session, Step: step, Response: json.RawMessage(response)})
	return err
}

// first reports whether this is the first time that something is asked for.
func (r *refusal) first(what string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.once[what]
	r.once[what] = true
	return !before
}

// called is how often the call of a key was made.
func (r *refusal) called(key string) int {
	r.fakes.mu.Lock()
	defer r.fakes.mu.Unlock()
	return r.fakes.called[key]
}

// outcomes are the outcomes of a session's requests of a kind.
func (r *refusal) outcomes(session, kind string) []string {
	r.Helper()
	all, err := r.store.AllRequests(r.ctx, session, engine.HistoryQuery{Limit: 500})
	if err != nil {
		r.Fatal(err)
	}
	var out []string
	for _, q := range all {
		if q.Kind == kind {
			out = append(out, q.Outcome)
		}
	}
	return out
}
