package cypher_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/store"
)

func TestMain(m *testing.M) { neo4jtest.Main(m) }

// open opens a store on the shared server, migrated.
func open(t testing.TB) *cypher.Store {
	t.Helper()
	server := neo4jtest.URI(t)
	return openAt(t, cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})
}

func openAt(t testing.TB, o cypher.Options) *cypher.Store {
	t.Helper()
	opened, err := cypher.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := opened.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return opened
}

// A person works on the graph directly, as in Neo4j Browser.
type person struct {
	t      testing.TB
	driver neo4j.DriverWithContext
}

func newPerson(t testing.TB) *person {
	t.Helper()
	server := neo4jtest.URI(t)
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = driver.Close(context.Background()) })
	// The driver sets itself up with its first connection, and not for several at once.
	if err := driver.VerifyConnectivity(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &person{t, driver}
}

// types sends one statement and returns its rows.
func (p *person) types(text string, values map[string]any) []*neo4j.Record {
	p.t.Helper()
	// Not the test's own context: cleaning up comes after its end.
	result, err := neo4j.ExecuteQuery(context.Background(), p.driver, text, values, neo4j.EagerResultTransformer)
	if err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	return result.Records
}

var counter atomic.Int64

// unique makes a name that no other test and no earlier round has used.
func unique(what string) string {
	return fmt.Sprintf("%s-%x-%d", what, time.Now().UnixNano(), counter.Add(1))
}

// lease makes a lease with a token of its own.
func lease() *store.Lease {
	return &store.Lease{Token: unique("token"), Owner: "test", For: time.Minute}
}

// session creates a session that is leased to the test.
func session(t testing.TB, opened store.Store, workflow string) (store.SessionRecord, *store.Lease) {
	t.Helper()
	l := lease()
	made, err := opened.Create(t.Context(), []store.NewSession{{
		ID: unique("session"), Workflow: workflow, State: []byte(`{"workflow":{}}`), Counters: []byte(`{}`), Status: store.StatusActive, Claim: l,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if made[0].Err != nil {
		t.Fatal(made[0].Err)
	}
	return made[0].Session, l
}
