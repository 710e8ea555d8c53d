package callcentre_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
)

// What a department says is for the router, and only the router speaks: a caller who listens
// to the tokens for the person hears nothing else.
func TestOnlyTheRouterIsHeard(t *testing.T) {
	p := &played{}
	s := &script{t: t, at: -1, played: p, turns: turns(t, `[{"caller": "My bill?", "replies": {
		"r": [{"calls": [{"name": "consult_Rooms_d", "args": {"query": "bill"}}]}, {"text": "All is paid."}], "d": [{"text": "INTERNAL: he owes 400."}]}}]`).Turns}
	streams := models.Func(func(ctx context.Context, q models.Request) (models.Response, error) {
		answer, err := s.Generate(ctx, q)
		for _, word := range strings.SplitAfter(answer.Text, " ") {
			if word != "" && q.Token != nil {
				q.Token(word)
			}
		}
		return answer, err
	})
	e := engine.New(memory.New(memory.Options{}), registry(streams, nil), engine.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, load(t, hotel), ""); err != nil {
		t.Fatal(err)
	}
	_, events, err := e.StartAndSubscribe(ctx, engine.StartRequest{Workflow: "call", ID: "s", Inputs: []byte(`{"prompt": "My bill?"}`)})
	if err != nil {
		t.Fatal(err)
	}
	heard := map[string]string{}
	for ev := range events {
		if token, ok := ev.Data.(engine.TokenEvent); ok {
			heard[token.Audience+" "+token.Step] += token.Text
		}
		if status, ok := ev.Data.(engine.StatusEvent); ok && status.Status == engine.StatusAwaitingInput {
			break
		}
	}
	if len(heard) != 2 || heard["person r"] != "All is paid." || heard["internal d"] != "INTERNAL: he owes 400." {
		t.Errorf("heard %q", heard)
	}
}
