package cypher_test

import (
	"context"
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

func TestStoreByHand(t *testing.T) {
	store, p := open(t), newPerson(t)
	storetest.RunByHand(t, func(*testing.T) (engine.Store, storetest.Hand) { return store, hand{p} })
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
