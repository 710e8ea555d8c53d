package api

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// TestOneAnswerIsDecodedOnce holds what one answer over HTTP costs besides its two writes: the
// session's state is decoded once from the lock to the reply, and the workflow is read
// once. The engine is new to the session, as after a restart or for a person who answers after
// days.
func TestOneAnswerIsDecodedOnce(t *testing.T) {
	stores := map[string]func(t *testing.T) engine.Store{
		"memory": func(*testing.T) engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func(t *testing.T) engine.Store {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "cost.db"), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		},
	}
	for name, open := range stores {
		for _, query := range []string{"", "?wait=10s"} {
			t.Run(name+query, func(t *testing.T) { answerCost(t, open(t), query) })
		}
	}
}

// answerCost starts a session with one engine and answers it with another.
func answerCost(t *testing.T, in engine.Store, query string) {
	first := worldOn(t, &tallied{Store: in})
	started := first.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}).want(201)
	id := started.json["id"].(string)
	first.stop()
	state.ForgetKept()

	store := &tallied{Store: in}
	w := worldOn(t, store)
	decoded, definitions, sessions := state.Parses(), store.definitions.Load(), store.sessions.Load()
	w.do("POST", "/api/v1/sessions/"+id+"/answer"+query, map[string]any{"step": "root", "response": "Ada"}).want(200)
	if s, err := w.engine.Wait(t.Context(), id); err != nil || len(s.Awaiting) != 1 || s.Awaiting[0].Step != "sure" {
		t.Fatalf("the session rests as %+v, %v", s, err)
	}
	if n := state.Parses() - decoded; n != 1 {
		t.Errorf("the state was decoded %d times, want once", n)
	}
	if n := store.definitions.Load() - definitions; n != 1 {
		t.Errorf("the workflow was read %d times, want once", n)
	}
	t.Logf("sessions read: %d", store.sessions.Load()-sessions)
}

// TestAnswers answers as many sessions as $STEPGRAPH_ANSWERS says, with ?wait=. It is what
// internal/answerfiles counts.
func TestAnswers(t *testing.T) {
	n := 1
	if text := os.Getenv("STEPGRAPH_ANSWERS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	w := worldOn(t, memory.New(memory.Options{}))
	ids := make([]string, 12)
	for i := range ids { // the same work before the answers, however many there are
		ids[i] = w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}).want(201).json["id"].(string)
	}
	for _, id := range ids[:n] {
		w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"step": "root", "response": "Ada"}).want(200)
	}
}

// A tallied store counts what is read of it.
type tallied struct {
	engine.Store
	definitions atomic.Int64 // reads of workflows
	sessions    atomic.Int64 // reads of sessions
}

func (s *tallied) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*engine.Workflow, error) {
	s.definitions.Add(1)
	return s.Store.Workflows(ctx, ids, entries)
}

func (s *tallied) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	s.sessions.Add(1)
	return s.Store.Session(ctx, id)
}

func (s *tallied) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	s.sessions.Add(1)
	return s.Store.SessionsByID(ctx, ids)
}

// stoppable is a world whose engine a test ends.
type stoppable struct {
	*world
	stop func()
}

// worldOn is a world on a store that may have been used before.
func worldOn(t *testing.T, in engine.Store) stoppable {
	t.Helper()
	w := &world{t: t, gate: make(chan struct{}), log: &logBuffer{}}
	w.engine = engine.New(in, w.registry(), engine.Options{Log: logger(w.log)})
	var wire Workflow
	if err := json.Unmarshal([]byte(testWorkflows[0]), &wire); err != nil {
		t.Fatal(err)
	}
	def, err := wire.definition(wire.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.Put(t.Context(), def, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	stop := enginetest.Start(t, w.engine)
	w.server = httptest.NewServer(New(w.engine, Options{Log: logger(w.log)}))
	t.Cleanup(w.server.Close)
	return stoppable{w, stop}
}
