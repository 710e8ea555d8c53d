package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A session that asks survives the end of its program: the store is a file, and whoever opens
// it next goes on where the session stood.
func Example() {
	folder, err := os.MkdirTemp("", "stepgraph")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "store.db")

	run(file, func(ctx context.Context, e *engine.Engine) error {
		_, err := e.PutWorkflow(ctx, &graph.Workflow{ID: "hello",
			Steps: []graph.Step{{ID: "root", Function: "ask"}, {ID: "greet", Function: "greet", Input: `{"name": "@{SESSION_ID}.root.response"}`}},
			Paths: []graph.Path{{Kind: graph.Next, Source: "root", Target: "greet"}}}, "")
		if err != nil {
			return err
		}
		s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "hello", ID: "ada"})
		if err == nil {
			fmt.Println(s.Status, s.Awaiting[0].Prompt)
		}
		return err
	})
	run(file, func(ctx context.Context, e *engine.Engine) error { // another day, another process
		if _, err := e.Answer(ctx, engine.AnswerRequest{Session: "ada", Response: json.RawMessage(`"Ada"`)}); err != nil {
			return err
		}
		s, err := e.Wait(ctx, "ada")
		if err == nil {
			fmt.Println(s.Status, string(s.Result))
		}
		return err
	})
	// Output:
	// awaiting_input What is your name?
	// complete "Hello, Ada!"
}

// run opens the file, runs an engine on it, and closes it again.
func run(file string, do func(context.Context, *engine.Engine) error) {
	ctx, stop := context.WithCancel(context.Background())
	opened, err := sqlite.Open(ctx, file, sqlite.Options{}) // makes the tables
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	registry := function.NewRegistry()
	function.Register(registry, "ask", func(context.Context, struct{}) (any, error) {
		return nil, &function.AwaitInput{Prompt: "What is your name?"}
	})
	function.Register(registry, "greet", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Hello, " + in.Name + "!", nil
	})
	e := engine.New(opened, registry, engine.Options{})
	stopped := make(chan error)
	go func() { stopped <- e.Run(ctx) }()
	if err := do(ctx, e); err != nil {
		log.Fatal(err)
	}
	stop()
	<-stopped
}
