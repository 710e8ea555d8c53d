package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// tornStore shows half of an edit, once: the paths that are new are not there yet.
type tornStore struct {
	engine.Store
	mu   sync.Mutex
	tear bool
}

func (s *tornStore) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*engine.Workflow, error) {
	list, err := s.Store.Workflows(ctx, ids, entries)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tear {
		s.tear = false
		for _, w := range list {
			w.Paths = nil
		}
	}
	return list, err
}

// TestTornDefinition: a read that shows half of an edit is not what a session runs by.
func TestTornDefinition(t *testing.T) {
	store := &tornStore{Store: memory.New(memory.Options{})}
	registry := engine.NewRegistry()
	engine.Register(registry, "greet", greet)
	e := engine.New(store, registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	stopEngine := enginetest.Start(t, e)
	for i := range 3 {
		_, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "w",
			Steps: []engine.Step{{ID: "root"}, {ID: "greet", Function: "greet", Input: fmt.Sprintf(`{"name": "%d"}`, i)}},
			Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "greet"}}}, "")
		if err != nil {
			t.Fatal(err)
		}
		store.mu.Lock()
		store.tear = true
		store.mu.Unlock()
		s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w"})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Messages) != 1 || s.Messages[0].Content != fmt.Sprintf("Hello %d", i) {
			t.Errorf("edit %d: said %+v", i, s.Messages)
		}
	}
	stopEngine()
}
