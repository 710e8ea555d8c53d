package docs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
)

// TestMain runs the tests in the folder of the pages.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../docs"); err != nil {
		panic(err)
	}
	neo4jtest.Main(m)
}

// A world is an engine at work on the real database, one workflow that a person typed
// there, and that person. The database is shared: every id carries the world's name.
type world struct {
	t        *testing.T
	driver   neo4j.DriverWithContext
	store    *fenced
	engine   *engine.Engine
	workflow string
	calls    func(step string) // told of each call of the function "work"
}

// workflow is what the person typed: a question, an answer that goes one of two ways, and
// two steps for the roads that end badly.
const workflow = `
CREATE (root:STEP {workflow: $w, id: 'root'}),
  (ask:STEP {workflow: $w, id: 'ask', function: 'ask', input: '{"prompt": "What is your name?"}'}),
  (greet:STEP {workflow: $w, id: 'greet', function: 'say', input: '{"text": "Hello @{SESSION_ID}.ask.response"}'}),
  (work:STEP {workflow: $w, id: 'work', function: 'work', input: '{"text": "@{SESSION_ID}.greet.text!"}'}),
  (bye:STEP {workflow: $w, id: 'bye', function: 'say', input: '{"text": "Bye"}'}),
  (boom:STEP {workflow: $w, id: 'boom', function: 'fail', input: '{"text": "no luck"}'}),
  (lacks:STEP {workflow: $w, id: 'lacks', function: 'say', input: '{"text": "@{SESSION_ID}.nowhere.text"}'}),
  (root)-[:NEXT]->(ask),
  (ask)-[:NEXT {condition: '@{SESSION_ID}.ask.response', label: 'named', priority: 1}]->(greet),
  (ask)-[:NEXT {condition: '{"false": "@{SESSION_ID}.ask.response"}', priority: 2}]->(bye),
  (greet)-[:NEXT]->(work)`

func newWorld(t *testing.T) *world {
	t.Helper()
	server := neo4jtest.URI(t)
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	store, err := cypher.Open(t.Context(), cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, driver: driver, workflow: fmt.Sprintf("docs-%x", time.Now().UnixNano()), calls: func(string) {}}
	t.Cleanup(func() {
		_ = driver.Close(context.Background())
		_ = store.Close()
	})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.store = &fenced{Store: store, workflow: w.workflow}
	w.engine = engine.New(w.store, w.functions(), engine.Options{Log: slog.New(slog.DiscardHandler)})
	w.cypher(workflow, map[string]any{"w": w.workflow})
	w.run()
	return w
}

// run lets the engine work until the test ends, and then removes what it has made.
func (w *world) run() {
	w.t.Cleanup(w.remove)
	enginetest.Start(w.t, w.engine)
}

func (w *world) remove() {
	ctx := context.Background()
	for _, id := range w.store.sessions() {
		for done := false; !done; {
			var err error
			if done, err = w.store.DeleteSession(ctx, id); err != nil {
				break
			}
		}
	}
	_, _ = w.store.EditWorkflow(ctx, store.Edit{Workflow: w.workflow, Delete: true})
}

type text struct {
	Text string `json:"text"`
}

// functions are all that the workflow calls.
func (w *world) functions() *engine.Registry {
	r := engine.NewRegistry()
	say := func(_ context.Context, in text) (text, error) { return in, nil }
	engine.Register(r, "say", say)
	engine.Register(r, "ask", func(_ context.Context, in struct {
		Prompt string `json:"prompt"`
	}) (text, error) {
		return text{}, &engine.AwaitInput{Prompt: in.Prompt}
	})
	engine.Register(r, "fail", func(_ context.Context, in text) (text, error) { return text{}, errors.New(in.Text) })
	engine.Register(r, "work", func(_ context.Context, in text) (text, error) {
		w.calls("work")
		return in, nil
	}, func(s *engine.Spec) { s.Effects = true })
	return r
}

// start starts a session and waits until it rests.
func (w *world) start(entry string) *engine.Session {
	w.t.Helper()
	s, err := w.engine.StartAndWait(w.patience(), engine.StartRequest{Workflow: w.workflow, Entry: entry, ID: w.workflow + "-" + entry + fmt.Sprint(len(w.store.sessions()))})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// answer answers the open question and waits until the session rests again.
func (w *world) answer(id, response string) *engine.Session {
	w.t.Helper()
	body, _ := json.Marshal(response)
	if _, err := w.engine.Answer(w.patience(), engine.AnswerRequest{Session: id, Response: body, By: "ada"}); err != nil {
		w.t.Fatal(err)
	}
	return w.wait(id)
}

// act steers a session and waits until it rests again.
func (w *world) act(a engine.Action) *engine.Session {
	w.t.Helper()
	if _, err := w.engine.Act(w.patience(), a); err != nil {
		w.t.Fatal(err)
	}
	return w.wait(a.Session)
}

func (w *world) wait(id string) *engine.Session {
	w.t.Helper()
	s, err := w.engine.Wait(w.patience(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// patience bounds one wait.
func (w *world) patience() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(cancel)
	return ctx
}

// cypher types a statement and returns its rows.
func (w *world) cypher(statement string, values map[string]any) []map[string]any {
	w.t.Helper()
	result, err := neo4j.ExecuteQuery(w.t.Context(), w.driver, statement, values, neo4j.EagerResultTransformer)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, statement)
	}
	rows := make([]map[string]any, len(result.Records))
	for i, r := range result.Records {
		rows[i] = r.AsMap()
	}
	return rows
}

// pastes runs a saved query with its own parameters, some of them changed.
func (w *world) pastes(name string, values map[string]any) []map[string]any {
	w.t.Helper()
	q := load(w.t, name)
	given := map[string]any{}
	for _, p := range q.params {
		given[p.name] = w.cypher("RETURN "+p.value+" AS value", nil)[0]["value"]
	}
	if _, ok := given["workflow"]; ok {
		given["workflow"] = w.workflow
	}
	for name, v := range values {
		if _, ok := given[name]; !ok {
			w.t.Fatalf("%s has no parameter %s", q.name, name)
		}
		given[name] = v
	}
	return w.cypher(q.text, given)
}

// fenced is the store as an engine sees it that shares the database with engines of other
// tests: it takes up no session but those it made or was told of.
type fenced struct {
	engine.Store
	workflow string

	mu  sync.Mutex
	own []string
}

func (f *fenced) sessions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.own...)
}

func (f *fenced) add(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.own = append(f.own, id)
}

func (f *fenced) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	for _, s := range sessions {
		f.add(s.ID)
	}
	return f.Store.Create(ctx, sessions)
}

func (f *fenced) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	now, err := f.Now(ctx)
	if err != nil {
		return nil, err
	}
	records, err := f.SessionsByID(ctx, f.sessions())
	if err != nil {
		return nil, err
	}
	var due []string
	for _, s := range records {
		if !s.DueAt.IsZero() && !s.DueAt.After(now) && len(due) < o.Limit && (o.Among == nil || slices.Contains(o.Among, s.ID)) {
			due = append(due, s.ID)
		}
	}
	if len(due) == 0 {
		return nil, nil
	}
	return f.ClaimByID(ctx, due, o)
}

func (f *fenced) PendingWorkflows(context.Context) ([]string, error) {
	return []string{f.workflow}, nil
}

// ClaimBatch takes none: it cannot tell the batches of other tests from ours.
func (f *fenced) ClaimBatch(context.Context, store.Lease) (*engine.Batch, error) { return nil, nil }
