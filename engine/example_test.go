package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// greet is a step function: a plain Go function of typed input and output.
func greet(ctx context.Context, in struct {
	Name string `json:"name"`
}) (struct {
	Text string `json:"text"`
}, error) {
	var out struct {
		Text string `json:"text"`
	}
	out.Text = "Hello " + in.Name
	engine.CallOf(ctx).Say(out.Text)
	return out, nil
}

// askName pauses its session until somebody answers.
func askName(context.Context, struct{}) (struct{}, error) {
	return struct{}{}, &engine.AwaitInput{Prompt: "What is your name?"}
}

// A program of its own: functions, a workflow as a Go value, a session that asks and
// goes on when it is answered.
func Example() {
	registry := engine.NewRegistry()
	engine.Register(registry, "ask_name", askName)
	engine.Register(registry, "greet", greet)

	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() { stopped <- e.Run(ctx) }()

	_, err := e.PutWorkflow(ctx, &engine.Workflow{
		ID: "hello",
		Steps: []engine.Step{
			{ID: "root", Function: "ask_name"},
			{ID: "greet", Function: "greet", Input: `{"name": "@{SESSION_ID}.root.response"}`},
		},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "greet"}},
	}, "")
	if err != nil {
		log.Fatal(err)
	}

	s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "hello", ID: "ada-1"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Status, s.Awaiting[0].Prompt)

	if _, err = e.Answer(ctx, engine.AnswerRequest{Session: "ada-1", Response: json.RawMessage(`"Ada"`)}); err != nil {
		log.Fatal(err)
	}
	if s, err = e.Wait(ctx, "ada-1"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Status, s.Messages[len(s.Messages)-1].Content)

	stop()
	<-stopped
	// Output:
	// awaiting_input What is your name?
	// complete Hello Ada
}

// A condition explains itself clause by clause.
func ExampleEvalCondition() {
	state, err := engine.ParseState("s", []byte(`{"data": {"outputs": {"check": [{"ok": true, "score": 0}]}}}`))
	if err != nil {
		log.Fatal(err)
	}
	verdict := engine.EvalCondition(state, engine.ConditionQuery{Condition: `[{"true": "@{SESSION_ID}.check.ok"}, "@{SESSION_ID}.check.score"]`})
	fmt.Println("open:", verdict.Result)
	for _, c := range verdict.Clauses {
		fmt.Println(c.Path, string(c.Value), c.Result)
	}
	// Output:
	// open: false
	// [0].true true true
	// [1] 0 false
}
