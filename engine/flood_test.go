package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A flood is n requests sent to one session at the same moment.
type flood struct {
	mu       sync.Mutex
	accepted []string // ids of requests, or of answers' requests
	refused  int
	others   []error
}

// send sends them and waits until each has its answer.
func (f *flood) send(n int, one func(i int) (string, error)) (took time.Duration) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			id, err := one(i)
			f.mu.Lock()
			defer f.mu.Unlock()
			switch {
			case err == nil:
				f.accepted = append(f.accepted, id)
			case errors.Is(err, engine.ErrAlreadyAnswered), errors.Is(err, engine.ErrNoOpenQuestion), errors.Is(err, engine.ErrSignalsFull):
				f.refused++
			default:
				f.others = append(f.others, err)
			}
		})
	}
	began := time.Now()
	close(begin)
	all.Wait()
	return time.Since(began)
}

func floodWorkflows(n int) []*engine.Workflow {
	chat := &engine.Workflow{ID: "chat", Settings: engine.Settings{MaxSteps: 1000 * n}, Steps: []engine.Step{{ID: "root", Function: "ask_name"}, {ID: "reply", Function: "say", Input: `{"text": "@{SESSION_ID}.root.response"}`}},
		Paths: []engine.Path{next("root", "reply"), {Kind: engine.Next, Source: "reply", Target: "root", Back: true}}}
	paid := &engine.Workflow{ID: "paid", Settings: engine.Settings{MaxSteps: 1000 * n}, Steps: []engine.Step{{ID: "root", Function: "sleep", Input: `{"signal": "paid"}`}, {ID: "reply", Function: "say", Input: `{"text": "thanks"}`}},
		Paths: []engine.Path{next("root", "reply"), {Kind: engine.Next, Source: "reply", Target: "root", Back: true}}}
	form := &engine.Workflow{ID: "form", Settings: engine.Settings{MaxSteps: 1000 * n}, Steps: []engine.Step{{ID: "root"}, {ID: "end", Function: "say", Join: engine.JoinAll, Input: `{"text": "all"}`}}}
	for i := range n {
		id := fmt.Sprint("q", i)
		form.Steps = append(form.Steps, engine.Step{ID: id, Function: "ask_name"})
		form.Paths = append(form.Paths, next("root", id), next(id, "end"))
	}
	return []*engine.Workflow{chat, paid, form}
}

// TestFlood: 1,000 requests to one session at the same moment. Each is refused visibly or takes
// effect, no session is stuck, and they share checkpoints.
func TestFlood(t *testing.T) {
	for name, open := range map[string]func() engine.Store{
		"memory": func() engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func() engine.Store {
			return opened(t)(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "flood.db"), sqlite.Options{}))
		},
	} {
		t.Run(name, func(t *testing.T) { floodSessions(t, &meteredStore{Store: open()}) })
	}
}

func floodSessions(t *testing.T, store *meteredStore) {
	n, questions := 1000, 300
	if t.Name() == "TestFlood/sqlite" {
		n = 300 // each is a commit to the disk
	}
	w := newPlay(t, store, engine.Options{})
	w.put(floodWorkflows(questions)...)
	w.run()
	answer := func(session, step string, i int) (string, error) {
		s, err := w.e.Answer(w.ctx, engine.AnswerRequest{Session: session, Step: step, Response: json.RawMessage(fmt.Sprintf(`"n%d"`, i))})
		if err != nil {
			return "", err
		}
		return s.Accepted.Request, nil
	}
	play := func(session string, n int, one func(i int) (string, error)) (f *flood, s *engine.Session, done int) {
		w.start(session, session)
		store.commits.Store(0)
		f = &flood{}
		f.send(n, one)
		s = w.wait(session)
		for _, err := range f.others {
			t.Errorf("%s: %v", session, err)
		}
		if len(f.accepted)+f.refused != n || store.commits.Load() > int64(len(f.accepted))+1 {
			t.Errorf("%s: %d accepted, %d refused, %d checkpoints", session, len(f.accepted), f.refused, store.commits.Load())
		}
		var after int64
		for {
			page, err := w.e.Executions(w.ctx, session, engine.HistoryQuery{After: after, Limit: 500})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range page {
				if x.Function == "ask_name" && x.Status == engine.StatusAnswered || x.Function == "sleep" && x.Status == engine.StatusComplete {
					done++
				}
			}
			if len(page) == 0 {
				break
			}
			after = page[len(page)-1].Seq
		}
		return f, s, done
	}

	f, s, done := play("chat", n, func(i int) (string, error) { return answer("chat", "", i) })
	if s.Status != engine.StatusAwaitingInput || done != len(f.accepted) || done == 0 {
		t.Errorf("chat: %s, %d answers accepted, %d have had an effect", s.Status, len(f.accepted), done)
	}
	f, s, done = play("form", questions, func(i int) (string, error) { return answer("form", fmt.Sprint("q", i), i) })
	if s.Status != engine.StatusComplete || done != questions || len(f.accepted) != questions {
		t.Errorf("form: %s, %d answers accepted, %d have had an effect", s.Status, len(f.accepted), done)
	}
	f, s, done = play("paid", n, func(int) (string, error) {
		_, err := w.e.Act(w.ctx, engine.Action{Session: "paid", Kind: engine.RequestSignal, Name: "paid"})
		return "", err
	})
	if s.Status != engine.StatusAwaitingInput || done != len(f.accepted) {
		t.Errorf("paid: %s, %d signals accepted, %d have had an effect", s.Status, len(f.accepted), done)
	}
}
