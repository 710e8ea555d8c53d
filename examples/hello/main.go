// Command hello embeds the engine: a function of its own, a workflow file, one session on
// SQLite that asks and is answered.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/sqlite"
)

//go:embed hello.yaml
var files embed.FS

type person struct {
	Name string `json:"name"`
}

// ask pauses the session until a person answers.
func ask(context.Context, struct{}) (any, error) {
	return nil, &engine.AwaitInput{Prompt: "What is your name?"}
}

// greet is called with the answer, see hello.yaml.
func greet(_ context.Context, p person) (string, error) { return "Hello, " + p.Name + "!", nil }

func main() {
	ctx := context.Background()
	store := must(sqlite.Open(ctx, filepath.Join(os.TempDir(), "hello.db"), sqlite.Options{}))
	defer store.Close()
	registry := engine.NewRegistry()
	engine.Register(registry, "ask", ask)
	engine.Register(registry, "greet", greet)
	e := engine.New(store, registry, engine.Options{})
	go e.Run(ctx)
	must(e.PutWorkflow(ctx, must(formats.LoadFS(files))[0], ""))
	s := must(e.StartAndWait(ctx, engine.StartRequest{Workflow: "hello"}))
	fmt.Println(s.Awaiting[0].Prompt)
	must(e.Answer(ctx, engine.AnswerRequest{Session: s.ID, Response: json.RawMessage(`"Ada"`)}))
	s = must(e.Wait(ctx, s.ID))
	fmt.Println(s.Status, string(s.Result))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
