package cypher_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/store"
)

// TestSilentConnections: connections that died without a word cost one call's deadline, all
// of them together. By the driver's own means each costs two minutes.
func TestSilentConnections(t *testing.T) {
	server := neo4jtest.URI(t)
	p := neo4jtest.NewProxy(t, server.URI)
	opened := openAt(t, cypher.Options{URI: p.URI(), Username: server.Username, Password: server.Password,
		Database: server.Database, CallTimeout: 2 * time.Second})
	var all sync.WaitGroup
	for range 9 { // that many connections are in the pool then
		all.Go(func() {
			if err := opened.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	p.Silence()
	begun := time.Now()
	err := opened.Ping(t.Context())
	if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, store.ErrStoreSlow) {
		t.Fatalf("error %v, want one that says that the server was silent and may be asked again", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a call of 2 s took %s", took)
	}
	for range 9 {
		if err := opened.Ping(t.Context()); err != nil {
			t.Fatalf("after the first call was met with silence: %v", err)
		}
	}
}
