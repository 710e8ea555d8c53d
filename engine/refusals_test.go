package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestRefusalsAreLoggedOnce: two sessions meet the same closed door, the log says so once.
func TestRefusalsAreLoggedOnce(t *testing.T) {
	registry := engine.NewRegistry()
	engine.Register(registry, "off", func(context.Context, struct{}) (any, error) { return nil, nil },
		func(s *engine.Spec) { s.Disabled = "it is off, start with --allow-it" })
	var said bytes.Buffer
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{Log: slog.New(slog.NewTextHandler(&said, nil))})
	ctx := t.Context()
	stopEngine := enginetest.Start(t, e)
	if _, err := e.Put(ctx, &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "off"}}}, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w"})
		if err != nil || s.Status != engine.StatusError {
			t.Fatal(s, err)
		}
	}
	stopEngine()
	if n := strings.Count(said.String(), `msg="step refused by policy"`); n != 1 || !strings.Contains(said.String(), "start with --allow-it") {
		t.Errorf("said %d times:\n%s", n, said.String())
	}
}
