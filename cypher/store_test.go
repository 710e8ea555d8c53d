package cypher_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest"
)

func TestStore(t *testing.T) {
	store := open(t)
	storetest.Run(t, func(*testing.T) engine.Store { return store })
}

func TestStoreAgainstModel(t *testing.T) {
	store := open(t)
	storetest.Model(t, func(*testing.T) engine.Store { return store })
}

func TestStoreByHand(t *testing.T) {
	store, p := open(t), newPerson(t)
	storetest.RunByHand(t, func(*testing.T) (engine.Store, storetest.Hand) { return store, hand{p} })
}

// A closed store says so, and does not invite to try again.
func TestClosed(t *testing.T) {
	store := open(t)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := store.Session(t.Context(), "any")
	if err == nil || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownOutcome) || errors.Is(err, engine.ErrSessionNotFound) {
		t.Errorf("reading from a closed store: error %v, want one that is final", err)
	}
	if _, err = store.Create(t.Context(), []engine.NewSession{{ID: unique("session")}}); errors.Is(err, engine.ErrUnknownOutcome) {
		t.Errorf("writing to a closed store: error %v, want one that is final", err)
	}
}

// A hand types the statements of the suite's person.
type hand struct{ person *person }

func (h hand) do(ctx context.Context, text string, values map[string]any) error {
	_, err := neo4j.ExecuteQuery(ctx, h.person.driver, text, values, neo4j.EagerResultTransformer)
	return err
}

func (h hand) Step(ctx context.Context, properties map[string]any) error {
	return h.do(ctx, "CREATE (s:STEP) SET s = $properties", map[string]any{"properties": properties})
}

func (h hand) Path(ctx context.Context, kind engine.PathKind, source, target string, properties map[string]any) error {
	statement := map[engine.PathKind]string{
		engine.Next:     "MATCH (a:STEP {id: $source}), (b:STEP {id: $target}) CREATE (a)-[p:NEXT]->(b) SET p = $properties",
		engine.Tool:     "MATCH (a:STEP {id: $source}), (b:STEP {id: $target}) CREATE (a)-[p:TOOL]->(b) SET p = $properties",
		engine.Contains: "MATCH (a:STEP {id: $source}), (b:STEP {id: $target}) CREATE (a)-[p:CONTAINS]->(b) SET p = $properties",
	}[kind]
	if statement == "" {
		return fmt.Errorf("no path of kind %q", kind)
	}
	if properties == nil {
		properties = map[string]any{}
	}
	return h.do(ctx, statement, map[string]any{"source": source, "target": target, "properties": properties})
}

func (h hand) Workflow(ctx context.Context, properties map[string]any) error {
	return h.do(ctx, "CREATE (w:WORKFLOW) SET w = $properties", map[string]any{"properties": properties})
}

func (h hand) Session(ctx context.Context, properties map[string]any) error {
	return h.do(ctx, "CREATE (s:SESSION) SET s = $properties", map[string]any{"properties": properties})
}

func (h hand) State(ctx context.Context, session, state string) error {
	return h.do(ctx, "MATCH (s:SESSION {id: $session}) SET s.state = $state", map[string]any{"session": session, "state": state})
}
