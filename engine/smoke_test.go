package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

func TestSmoke(t *testing.T) {
	store := memory.New(memory.Options{})
	reg := engine.NewRegistry()
	engine.Register(reg, "echo", func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil })
	engine.Register(reg, "slow", func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil }, func(s *engine.Spec) { s.Effects = true })
	engine.Register(reg, "askme", func(_ context.Context, in map[string]any) (map[string]any, error) {
		return nil, &engine.AwaitInput{Prompt: fmt.Sprint(in["prompt"])}
	})
	e := engine.New(store, reg, engine.Options{})
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "ask", Function: "askme", Input: `{"prompt":"Name?"}`},
		{ID: "say", Function: "slow", Input: `{"message":"hi @{SESSION_ID}.ask.response"}`}, {ID: "bye", Function: "echo", Input: `{"m":"@{SESSION_ID}.say.message"}`}},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "ask"}, {Kind: engine.Next, Source: "ask", Target: "say"}, {Kind: engine.Next, Source: "say", Target: "bye"}}}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := e.PutWorkflow(ctx, w, ""); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- e.Run(ctx) }()
	time.Sleep(10 * time.Millisecond)
	s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w"})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(s)
	t.Log(string(b))
	s, err = e.Answer(ctx, engine.AnswerRequest{Session: s.ID, Response: json.RawMessage(`"Ada"`)})
	if err != nil {
		t.Fatal(err)
	}
	s, err = e.Wait(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	b, _ = json.Marshal(s)
	t.Log(string(b))
	st, v, _ := e.State(ctx, s.ID)
	t.Log(v, string(st))
	ex, _ := e.Executions(ctx, s.ID, engine.HistoryQuery{Lineage: true})
	for _, x := range ex {
		b, _ := json.Marshal(x)
		t.Log(string(b))
	}
	cancel()
	<-done
}
