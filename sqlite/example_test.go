package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stepgraph/stepgraph/engine"
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
		_, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "hello",
			Steps: []engine.Step{{ID: "root", Function: "ask"}, {ID: "greet", Function: "greet", Input: `{"name": "@{SESSION_ID}.root.response"}`}},
			Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "greet"}}}, "")
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
	store, err := sqlite.Open(ctx, file, sqlite.Options{}) // makes the tables
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	registry := engine.NewRegistry()
	engine.Register(registry, "ask", func(context.Context, struct{}) (any, error) {
		return nil, &engine.AwaitInput{Prompt: "What is your name?"}
	})
	engine.Register(registry, "greet", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Hello, " + in.Name + "!", nil
	})
	e := engine.New(store, registry, engine.Options{})
	stopped := make(chan error)
	go func() { stopped <- e.Run(ctx) }()
	if err := do(ctx, e); err != nil {
		log.Fatal(err)
	}
	stop()
	<-stopped
}
