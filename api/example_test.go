package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// The API of an embedded engine, below a prefix of a server that does other things too.
func ExampleNew() {
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})

	mux := http.NewServeMux()
	mux.Handle("/flows/", http.StripPrefix("/flows", api.New(e, api.Options{Token: "secret"})))
	server := httptest.NewServer(mux)
	defer server.Close()

	body := `{"steps": [{"id": "root", "function": "reply", "input": {"message": "Hello"}}], "paths": []}`
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPut, server.URL+"/flows/api/v1/workflows/hello", strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer secret")
	answer, err := server.Client().Do(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(answer.Status, "\n", string(text))
	// Output:
	// 201 Created
	// {"workflow":"hello","new":true,"steps":{"added":["root"],"changed":[],"removed":[]},"paths":{"added":[],"changed":[],"removed":[]}}
}
