package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// countingStore counts reads of sessions and of inboxes, and, when told to, fails those of descendants.
type countingStore struct {
	engine.Store
	reads   atomic.Int64
	inboxes atomic.Int64
	away    atomic.Bool
}

func (s *countingStore) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]engine.Request, error) {
	s.inboxes.Add(1)
	return s.Store.Requests(ctx, after)
}

func (s *countingStore) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	s.reads.Add(1)
	return s.Store.Session(ctx, id)
}

func (s *countingStore) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	s.reads.Add(1)
	if s.away.Load() {
		return nil, fmt.Errorf("read: %w", engine.ErrUnavailable)
	}
	return s.Store.Descendants(ctx, q)
}

// familyWorkflows are `top`, which asks n questions through a map and has a subflow `mid`,
// whose own subflow `low` asks one: two levels below the top.
func familyWorkflows(t *testing.T, ctx context.Context, e *engine.Engine) {
	t.Helper()
	next := func(from, to string) engine.Path { return engine.Path{Kind: engine.Next, Source: from, Target: to} }
	for _, w := range []*engine.Workflow{
		{ID: "ask", Steps: []engine.Step{{ID: "root", Function: "ask_name"}}},
		{ID: "low", Steps: []engine.Step{{ID: "root"}, {ID: "deep", Function: "ask_name"}}, Paths: []engine.Path{next("root", "deep")}},
		{ID: "mid", Steps: []engine.Step{{ID: "root", Function: "sessions", Input: `{"workflow": "low", "n": 1}`}}},
		{ID: "top", Steps: []engine.Step{{ID: "root"}, {ID: "m", Function: "sessions", Input: `{"workflow": "ask", "n": 600}`},
			{ID: "s", Function: "sessions", Input: `{"workflow": "mid", "n": 1}`}}, Paths: []engine.Path{next("root", "m"), next("root", "s")}},
	} {
		if _, err := e.PutWorkflow(ctx, w, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// runSessions starts n sessions of a workflow and gives how many there were.
func runSessions(ctx context.Context, in struct {
	Workflow string `json:"workflow"`
	N        int    `json:"n"`
}) (map[string]int, error) {
	if engine.CallOf(ctx).Body != nil {
		return map[string]int{"n": in.N}, nil
	}
	q := &function.RunSessions{Concurrency: in.N}
	for range in.N {
		q.Sessions = append(q.Sessions, function.ChildSession{Workflow: in.Workflow})
	}
	return nil, q
}

// TestFamilyBesideMany: a nested session sees and answers its own question beside 600 others
// of its root, in a number of reads that does not grow with them; a list that is cut says so.
func TestFamilyBesideMany(t *testing.T) {
	opened := &countingStore{Store: memory.New(memory.Options{})}
	registry := engine.NewRegistry()
	engine.Register(registry, "ask_name", askName)
	engine.Register(registry, "sessions", runSessions)
	e := engine.New(opened, registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
	defer stop()
	enginetest.Start(t, e)
	familyWorkflows(t, ctx, e)
	if _, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "top", ID: "t"}); err != nil {
		t.Fatal(err)
	}
	opened.reads.Store(0)
	top, err := e.Session(ctx, "t")
	if err != nil || top.Status != engine.StatusAwaitingInput || len(top.Awaiting) != 500 || !top.AwaitingMore {
		t.Fatalf("%s, %d questions, more %t, %v; want 500 and a word that there are more", top.Status, len(top.Awaiting), top.AwaitingMore, err)
	}
	if n := opened.reads.Load(); n > 4 {
		t.Errorf("%d reads for one view of 600 children", n)
	}
	mid, err := e.Session(ctx, "t/s/1/0")
	if err != nil || mid.Status != engine.StatusAwaitingInput || len(mid.Awaiting) != 1 || mid.AwaitingMore || mid.Awaiting[0].Session != "t/s/1/0/root/1/0" {
		t.Fatalf("%+v, %v; want its own question", mid, err)
	}
	opened.away.Store(true)
	if _, err := e.Answer(ctx, engine.AnswerRequest{Session: "t/s/1/0", Response: json.RawMessage(`"Ada"`)}); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("a store that is away says %v, want that it may be asked again", err)
	}
	opened.away.Store(false)
	if _, err := e.Answer(ctx, engine.AnswerRequest{Session: "t", Step: "deep", Response: json.RawMessage(`"Ada"`)}); err != nil {
		t.Errorf("answer by its step, beside 600 others: %v", err)
	}
	s, err := e.Wait(ctx, "t/s/1/0")
	if err != nil || s.Status != engine.StatusComplete {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAnsweredBelow: a session's questions are listed with its ancestors', and whether they are
// answered already, or have lost their step, with them.
func TestAnsweredBelow(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("topchild", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "e", Function: "echo", Input: "{}"}}, "root>e")
		r.workflow("top", []engine.Step{{ID: "root", Function: "children", Input: `{"items": [1, 2], "workflow": true}`}})
		r.run()
		r.start("top", "T")
		r.until("T/root/1/1", engine.StatusAwaitingInput)
		r.until("T", engine.StatusAwaitingInput)
		if err := r.act("T", engine.RequestPause); err != nil {
			r.Fatal(err)
		}
		r.until("T/root/1/0", engine.StatusPaused)
		if err := r.answer("T/root/1/0", "root", `"Ada"`); err != nil {
			r.Fatal(err)
		}
		s, err := r.outside.Session(r.ctx, "T")
		if err != nil || len(s.Awaiting) != 2 {
			r.Fatalf("%+v, %v; want two questions", s, err)
		}
		for _, q := range s.Awaiting {
			if want := q.Session == "T/root/1/0"; q.Answered != want {
				r.Errorf("the question of %s: answered %t, want %t", q.Session, q.Answered, want)
			}
		}
		r.workflow("topchild", []engine.Step{{ID: "e", Function: "echo", Input: "{}"}})
		time.Sleep(2 * time.Second) // views use a definition for so long
		if s, err = r.outside.Session(r.ctx, "T"); err != nil || len(s.Awaiting) != 2 || !s.Awaiting[0].Gone || !s.Awaiting[1].Gone {
			r.Errorf("%+v, %v; want two questions whose step is gone", s.Awaiting, err)
		}
	})
}

// TestAnswerReadsNoInbox: an answer is shown as accepted by what its delivery has seen. The engine
// has stopped, so that the answer is still in the inbox when the view is made.
func TestAnswerReadsNoInbox(t *testing.T) {
	opened := &countingStore{Store: memory.New(memory.Options{})}
	registry := engine.NewRegistry()
	engine.Register(registry, "ask_name", askName)
	e := engine.New(opened, registry, engine.Options{})
	ctx, done := context.WithTimeout(t.Context(), 60*time.Second)
	defer done()
	stop := enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "ask", Steps: []engine.Step{{ID: "root", Function: "ask_name"}}}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "ask", ID: "a"}); err != nil {
		t.Fatal(err)
	}
	stop() // nothing takes the answer out of the inbox
	opened.inboxes.Store(0)
	s, err := e.Answer(ctx, engine.AnswerRequest{Session: "a", Response: json.RawMessage(`"Ann"`)})
	if err != nil || len(s.Awaiting) != 1 || !s.Awaiting[0].Answered {
		t.Fatalf("%+v, %v; want one question, answered", s, err)
	}
	if n := opened.inboxes.Load(); n != 0 {
		t.Errorf("%d reads of the inbox, want none", n)
	}
	if s, err = e.Session(ctx, "a"); err != nil || !s.Awaiting[0].Answered {
		t.Errorf("%+v, %v; want the question shown as answered", s, err)
	}
}
