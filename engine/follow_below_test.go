package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// TestSubscribeShowsQuestionsBelow: whoever follows a session learns that a child session
// asks, and that it no longer does.
func TestSubscribeShowsQuestionsBelow(t *testing.T) {
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	enginetest.Start(t, e)
	for _, w := range []*engine.Workflow{
		{ID: "asks", Steps: []engine.Step{{ID: "root", Function: "request", Input: `{"prompt": "Who?"}`}}},
		{ID: "main", Steps: []engine.Step{{ID: "root", Function: "subflow", Input: `{"workflow": "asks"}`},
			{ID: "more", Function: "request", Input: `{"prompt": "More?"}`}},
			Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "more"}}},
	} {
		if _, err := e.Put(ctx, w, engine.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := e.Start(ctx, engine.StartRequest{Workflow: "main", ID: "m"})
	if err != nil {
		t.Fatal(err)
	}
	events, err := e.Subscribe(ctx, s.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	asked := awaitQuestion(t, events, "Who?")
	if asked.Session != "m/root/1/0" {
		t.Errorf("the question is of session %q", asked.Session)
	}
	late, err := e.Subscribe(ctx, s.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	if first := (<-late).Data.(*engine.Session); len(first.Awaiting) != 1 || first.Status != engine.StatusAwaitingInput {
		t.Errorf("a later snapshot is %s and shows %+v", first.Status, first.Awaiting)
	}
	if _, err := e.Answer(ctx, engine.AnswerRequest{Session: "m", Response: []byte(`"Ada"`)}); err != nil {
		t.Fatal(err)
	}
	if asked = awaitQuestion(t, events, "More?"); asked.Session != "" {
		t.Errorf("its own question is of session %q", asked.Session)
	}
}

// awaitQuestion reads events until one shows a question with the prompt as the only one.
func awaitQuestion(t *testing.T, events <-chan engine.Event, prompt string) engine.Question {
	t.Helper()
	for ev := range events {
		var open []engine.Question
		switch data := ev.Data.(type) {
		case *engine.Session:
			open = data.Awaiting
		case engine.StatusEvent:
			open = data.Awaiting
		}
		if len(open) == 1 && open[0].Prompt == prompt {
			return open[0]
		}
	}
	t.Fatalf("nobody was told of the question %q", prompt)
	return engine.Question{}
}
