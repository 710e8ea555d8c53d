package cypher_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// throughProxy opens a store whose connections the test can break. attempts is how often
// the store itself tries.
func throughProxy(t *testing.T, attempts int) (*cypher.Store, *neo4jtest.Proxy) {
	t.Helper()
	server := neo4jtest.URI(t)
	p := neo4jtest.NewProxy(t, server.URI)
	return openAt(t, cypher.Options{URI: p.URI(), Username: server.Username, Password: server.Password,
		Database: server.Database, Attempts: attempts}), p
}

// checkpoints makes one that is a single statement and one that is a transaction of several.
var checkpoints = map[string]func(*store.Checkpoint){
	"one statement": func(*store.Checkpoint) {},
	"a transaction": func(c *store.Checkpoint) { c.Blobs = []store.Blob{{Hash: "h", Text: []byte("large")}} },
}

func TestCommitWithoutAnswer(t *testing.T) {
	for name, shape := range checkpoints {
		for where, want := range map[neo4jtest.Cut]store.CommitOutcome{neo4jtest.BeforeCommit: store.Committed, neo4jtest.AfterCommit: store.Again} {
			t.Run(name+map[neo4jtest.Cut]string{neo4jtest.BeforeCommit: ", cut before it arrived", neo4jtest.AfterCommit: ", cut after it was written"}[where], func(t *testing.T) {
				opened, p := throughProxy(t, 1)
				record, l := session(t, opened, unique("workflow"))
				c := firstCheckpoint(record.ID, l)
				shape(&c)

				// A pull that only looks must not be what is cut: the next commit is.
				p.CutNext(where)
				_, err := opened.Commit(t.Context(), []store.Checkpoint{c})
				if !errors.Is(err, store.ErrUnknownOutcome) {
					t.Fatalf("error %v, want one that is %q", err, store.ErrUnknownOutcome)
				}
				if errors.Is(err, store.ErrUnavailable) {
					t.Fatalf("error %v says that nothing was written", err)
				}
				results, err := opened.Commit(t.Context(), []store.Checkpoint{c})
				if err != nil {
					t.Fatal(err)
				}
				if results[0].Outcome != want {
					t.Errorf("outcome of the second sending %v, want %v", results[0].Outcome, want)
				}
				wantOnce(t, opened, record.ID)
			})
		}
	}
}

// The store settles an unknown outcome by itself where it may try more than once.
func TestCommitSettlesItself(t *testing.T) {
	opened, p := throughProxy(t, 5)
	record, l := session(t, opened, unique("workflow"))
	p.CutNext(neo4jtest.AfterCommit)
	results, err := opened.Commit(t.Context(), []store.Checkpoint{firstCheckpoint(record.ID, l)})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Outcome != store.Again || p.Pending() {
		t.Errorf("outcome %v (cut pending: %v), want %v", results[0].Outcome, p.Pending(), store.Again)
	}
	wantOnce(t, opened, record.ID)
}

func firstCheckpoint(id string, l *store.Lease) store.Checkpoint {
	return store.Checkpoint{
		Session: id, Lease: l.Token, LeaseFor: time.Minute, Transition: unique("transition"), Status: store.StatusActive,
		State: []byte(`{"workflow":{"a":{"status":"complete"}}}`), Counters: []byte(`{"seq":1}`),
		Records: store.Records{Executions: []store.Execution{{Seq: 1, Workflow: "w", Step: "a", Visit: 1, Attempt: 1, Status: store.StatusComplete}},
			Messages: []function.Message{{N: 1, Role: "assistant", Content: "hello"}}},
	}
}

// wantOnce checks that the first checkpoint of a session is there once.
func wantOnce(t *testing.T, opened *cypher.Store, id string) {
	t.Helper()
	record, err := opened.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	executions, err := opened.Executions(t.Context(), id, store.HistoryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := opened.Messages(t.Context(), id, store.HistoryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if record.Version != 1 || len(executions) != 1 || len(messages) != 1 {
		t.Errorf("version %d, %d executions, %d messages; want 1 of each", record.Version, len(executions), len(messages))
	}
}

func TestCreateWithoutAnswer(t *testing.T) {
	opened, p := throughProxy(t, 5)
	l, id := lease(), unique("session")
	p.CutNext(neo4jtest.AfterCommit)
	made, err := opened.Create(t.Context(), []store.NewSession{{ID: id, Workflow: "w", Key: unique("key"), BodyHash: "h", Claim: l}})
	if err != nil {
		t.Fatal(err)
	}
	if made[0].Err != nil || made[0].Exists || made[0].Session.ID != id || made[0].Session.Lease != l.Token || p.Pending() {
		t.Errorf("created %+v (cut pending: %v), want the session as new, leased", made[0], p.Pending())
	}
}

func TestClaimWithoutAnswer(t *testing.T) {
	opened, p := throughProxy(t, 5)
	id := unique("session")
	if _, err := opened.Create(t.Context(), []store.NewSession{{ID: id, Workflow: "w"}}); err != nil {
		t.Fatal(err)
	}
	p.CutNext(neo4jtest.AfterCommit)
	claimed, err := opened.ClaimByID(t.Context(), []string{id}, store.ClaimOptions{Owner: "test", For: time.Minute, Token: func() string { return unique("token") }})
	if err != nil {
		t.Fatal(err)
	}
	if len(claimed) != 1 || claimed[0].Session.Claims != 1 || p.Pending() {
		t.Errorf("claimed %+v (cut pending: %v), want the session, claimed once", claimed, p.Pending())
	}
}

func TestDeliverWithoutAnswer(t *testing.T) {
	opened, p := throughProxy(t, 5)
	id, key, l := unique("session"), unique("key"), lease()
	if _, err := opened.Create(t.Context(), []store.NewSession{{ID: id, Workflow: "w"}}); err != nil {
		t.Fatal(err)
	}
	p.CutNext(neo4jtest.AfterCommit)
	delivered, err := opened.Deliver(t.Context(), []store.Delivery{{Session: id, Key: key, Claim: l,
		Decide: func(view store.InboxView) (*store.Request, error) {
			if view.Same != nil {
				return nil, nil
			}
			return &store.Request{Kind: store.RequestSignal, Body: []byte(`{"name":"go"}`)}, nil
		}}})
	if err != nil {
		t.Fatal(err)
	}
	d := delivered[0]
	if d.Err != nil || d.Claimed == nil || len(d.Claimed.Requests) != 1 || d.Session.Inbox != 1 || p.Pending() {
		t.Errorf("delivered %+v (cut pending: %v), want one request and the lease that came with it", d, p.Pending())
	}
}
