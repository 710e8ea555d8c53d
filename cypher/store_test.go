package cypher_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest"
)

func TestStore(t *testing.T) {
	opened := open(t)
	storetest.Run(t, func(*testing.T) store.Store { return opened })
}

func TestStoreAgainstModel(t *testing.T) {
	opened := open(t)
	storetest.Model(t, func(*testing.T) store.Store { return opened })
}

func TestStoreByHand(t *testing.T) {
	opened, p := open(t), newPerson(t)
	storetest.RunByHand(t, func(*testing.T) (store.Store, storetest.Hand) { return opened, hand{p} })
}

// A closed store says so, and does not invite to try again.
func TestClosed(t *testing.T) {
	opened := open(t)
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := opened.Session(t.Context(), "any")
	if err == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) || errors.Is(err, store.ErrSessionNotFound) {
		t.Errorf("reading from a closed store: error %v, want one that is final", err)
	}
	if _, err = opened.Create(t.Context(), []store.NewSession{{ID: unique("session")}}); errors.Is(err, store.ErrUnknownOutcome) {
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

func (h hand) Path(ctx context.Context, kind graph.PathKind, source, target string, properties map[string]any) error {
	statement := map[graph.PathKind]string{
		graph.Next:     "MATCH (a:STEP {id: $source}), (b:STEP {id: $target}) CREATE (a)-[p:NEXT]->(b) SET p = $properties",
		graph.Tool:     "MATCH (a:STEP {id: $source}), (b:STEP {id: $target}) CREATE (a)-[p:TOOL]->(b) SET p = $properties",
		graph.Contains: "MATCH (a:STEP {id: $source}), (b:STEP {id: $target}) CREATE (a)-[p:CONTAINS]->(b) SET p = $properties",
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
