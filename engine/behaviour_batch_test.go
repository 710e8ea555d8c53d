package engine_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// batchBehaviours are what an operator relies on in batches, one after another on each store.
var batchBehaviours = []struct {
	name string
	play func(o *operator)
}{
	{"three hundred sessions of a filter are answered", filterIsAnswered},
	{"each line of a file goes to one question", linesGoToQuestions},
	{"a dry run says what would happen and changes nothing", dryRun},
	{"a dry run refuses what the batch would refuse", dryRunRefuses},
	{"only the first", onlyTheFirst},
	{"failures stop it, and are forgiven when it goes on", failuresStop},
	{"a file full of faults answers nobody", faultsStopBeforeTheFirst},
	{"the rate is kept", rateIsKept},
	{"results are the next batch's items", resultsAreItems},
	{"a key starts one batch", keyStartsOne},
	{"stopped it answers nobody more, and goes on where it was", stopAndContinue},
	{"a slow batch does not hold up another", slowBesideQuick},
	{"pause, resume and cancel", pauseResumeCancel},
	{"retry", retryMany},
	{"advance", advanceMany},
	{"move", moveMany},
	{"reask", reaskMany},
	{"signal", signalMany},
	{"delete", deleteMany},
	{"wrong requests are refused with the place", wrongBatches},
	{"killed in the middle, each is answered once", killedInTheMiddle},
	{"killed while it was written, the same key writes it", killedWhileWritten},
	{"stopped cleanly in the middle, another engine goes on at once", handedOver},
}

func TestBatchesMemory(t *testing.T) {
	t.Parallel()
	playBatches(t, func(*testing.T) engine.Store { return memory.New(memory.Options{}) })
}

func TestBatchesSQLite(t *testing.T) {
	t.Parallel()
	playBatches(t, func(t *testing.T) engine.Store {
		return opened(t)(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "batch.db"), sqlite.Options{}))
	})
}

// TestBatchesNeo4j has a server of this package's own: its engines claim whatever is due.
func TestBatchesNeo4j(t *testing.T) {
	server := serverOfEngines(t)
	store := opened(t)(cypher.Open(t.Context(), cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database}))
	playBatches(t, func(*testing.T) engine.Store { return store })
}

// opened closes a store that was opened when the test ends.
func opened(t testing.TB) func(engine.Store, error) engine.Store {
	return func(store engine.Store, err error) engine.Store {
		t.Helper()
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
}

func playBatches(t *testing.T, open func(*testing.T) engine.Store) {
	for _, b := range batchBehaviours {
		t.Run(b.name, func(t *testing.T) { b.play(newOperator(t, open(t))) })
	}
}

// An operator has many sessions of one workflow, and an engine that moves them.
type operator struct {
	testing.TB
	ctx    context.Context
	store  engine.Store
	fakes  *fakes
	engine *engine.Engine
	stop   func() // ends the engine in good order
	prefix string
}

func newOperator(t testing.TB, store engine.Store) *operator {
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := &operator{TB: t, ctx: t.Context(), store: store, fakes: newFakes(), prefix: strings.ToLower(rand.Text()[:10])}
	o.run(store, engine.Options{})
	t.Cleanup(func() { o.stop() })
	return o
}

// run starts an engine in place of the one that ran.
func (o *operator) run(store engine.Store, options engine.Options) {
	options.Log = slog.New(slog.NewTextHandler(o.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	options.PollEvery = 20 * time.Millisecond
	e := engine.New(store, o.fakes.registry(), options)
	o.engine = e
	o.stop = enginetest.Start(o, e)
}

func (o *operator) noError(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// workflow is a workflow of this operator: steps are id, function, input; paths are
// source, target, condition.
func (o *operator) workflow(name string, steps, paths [][3]string) string {
	o.Helper()
	w := engine.Workflow{ID: o.prefix + "-" + name}
	for _, s := range steps {
		w.Steps = append(w.Steps, engine.Step{ID: s[0], Function: s[1], Input: s[2]})
	}
	for _, p := range paths {
		path := engine.Path{Kind: engine.Next, Source: p[0], Target: p[1]}
		if p[2] != "" {
			path.Condition = p[2]
		}
		w.Paths = append(w.Paths, path)
	}
	_, err := o.engine.Put(o.ctx, &w, engine.PutOptions{})
	o.noError(err)
	return w.ID
}

// asking is a workflow that asks for a name and then works with it.
func (o *operator) asking() string {
	return o.workflow("ask", [][3]string{{"root", "ask", `{"prompt": "Name?"}`}, {"greet", "work", `{"name": "@{SESSION_ID}.root.response"}`}},
		[][3]string{{"root", "greet", ""}})
}

// start starts sessions of a workflow and returns their ids when they rest.
func (o *operator) start(workflow string, n int) []string {
	o.Helper()
	ids := make([]string, n)
	faults := make([]error, n)
	var all sync.WaitGroup
	room := make(chan struct{}, 50)
	for i := range n {
		ids[i] = fmt.Sprintf("%s-%s-%04d", workflow, strings.ToLower(rand.Text()[:4]), i)
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			_, faults[i] = o.engine.StartAndWait(o.ctx, engine.StartRequest{ID: ids[i], Workflow: workflow})
		})
	}
	all.Wait()
	for _, err := range faults {
		o.noError(err)
	}
	return ids
}

// begin starts a batch.
func (o *operator) begin(q engine.BatchRequest) *engine.Batch {
	o.Helper()
	b, err := o.engine.StartBatch(o.ctx, q)
	o.noError(err)
	if b.Replayed {
		o.Fatalf("batch %s was there already", b.ID)
	}
	return b
}

// patienceOfOperators bounds every wait, for a batch of some thousand sessions.
const patienceOfOperators = 60 * time.Second

// patience bounds a wait that the size of -batch-sessions may make longer.
func (o *operator) patience() time.Duration {
	return patienceOfOperators + time.Duration(*batchSessions)*20*time.Millisecond
}

// until polls until done.
func (o *operator) until(what string, done func() bool) {
	o.Helper()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	deadline := time.NewTimer(o.patience())
	defer deadline.Stop()
	for !done() {
		select {
		case <-every.C:
		case <-deadline.C:
			o.Fatalf("waited in vain until %s", what)
		}
	}
}

// over waits until a batch is complete or stopped.
func (o *operator) over(id string) *engine.Batch {
	o.Helper()
	var b *engine.Batch
	o.until("batch "+id+" is over", func() bool {
		var err error
		b, err = o.engine.Batch(o.ctx, id)
		o.noError(err)
		return b.Phase == engine.BatchComplete || b.Phase == engine.BatchStopped
	})
	return b
}

// finish starts a batch and wants it to be complete with so many done and failed.
func (o *operator) finish(q engine.BatchRequest, done, failed int64) *engine.Batch {
	o.Helper()
	b := o.over(o.begin(q).ID)
	o.counts(b, engine.BatchComplete, done, failed)
	return b
}

func (o *operator) counts(b *engine.Batch, phase string, done, failed int64) {
	o.Helper()
	if b.Phase != phase || b.Done != done || b.Failed != failed {
		o.Fatalf("batch is %s with %d done and %d failed of %d (%s), want %s, %d, %d", b.Phase, b.Done, b.Failed, b.Total, b.Message, phase, done, failed)
	}
}

// items reads all items of a batch.
func (o *operator) items(id string) []engine.BatchItem {
	o.Helper()
	var all []engine.BatchItem
	for after := int64(0); ; {
		page, err := o.engine.BatchItems(o.ctx, id, engine.ItemQuery{After: after, Limit: 500})
		o.noError(err)
		if len(page) == 0 {
			return all
		}
		all, after = append(all, page...), page[len(page)-1].N
	}
}

// rests returns a session once it rests.
func (o *operator) rests(id string) *engine.Session {
	o.Helper()
	ctx, cancel := context.WithTimeoutCause(o.ctx, patienceOfOperators, fmt.Errorf("session %s does not come to rest", id))
	defer cancel()
	s, err := o.engine.Wait(ctx, id)
	o.noError(err)
	return s
}

// status wants sessions to come to rest in a status.
func (o *operator) status(want string, ids ...string) {
	o.Helper()
	for _, id := range ids {
		if s := o.rests(id); s.Status != want {
			o.Fatalf("session %s is %s, want %s (error %+v)", id, s.Status, want, s.Error)
		}
	}
}

// answers returns the answers a session received, as texts.
func (o *operator) answers(id string) []string {
	o.Helper()
	list, err := o.engine.Requests(o.ctx, id, engine.HistoryQuery{Limit: 500})
	o.noError(err)
	var texts []string
	for _, q := range list {
		if q.Kind == engine.RequestAnswer {
			texts = append(texts, string(q.Body))
		}
	}
	return texts
}

// answeredOnce wants each session to be complete by one answer, and its work done once.
func (o *operator) answeredOnce(ids []string) {
	o.Helper()
	o.status(engine.StatusComplete, ids...)
	for _, id := range ids {
		if got := o.answers(id); len(got) != 1 {
			o.Errorf("session %s was answered with %q, want one answer", id, got)
		}
		visits := 0
		list, err := o.engine.Executions(o.ctx, id, engine.HistoryQuery{Limit: 500})
		o.noError(err)
		for _, x := range list {
			if x.Step == "greet" && x.Status == engine.StatusComplete {
				visits++
			}
		}
		if visits != 1 {
			o.Errorf("session %s greeted %d times", id, visits)
		}
	}
}

// awaiting is the filter of all open questions of a workflow.
func awaiting(workflow string) *engine.SessionQuery {
	return &engine.SessionQuery{Workflow: workflow, Awaiting: true}
}
