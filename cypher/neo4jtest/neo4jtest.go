// Package neo4jtest provides a real Neo4j for tests. A test that needs one never
// skips: without a server it fails and says what to install. The package imports
// testing, so only tests may import it.
//
// Tests of several packages share the server that $NEO4J_URI names ("make
// test" sets it for all of them), and Neo4j Community has one database for
// all. A test therefore uses ids of its own and never counts or deletes what
// it has not made; one that must own the database asks for Own.
package neo4jtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
)

// shared is the one server of this test process.
var shared struct {
	once   sync.Once
	server *neo4jserver.Server
	err    error
}

// URI gives the server that this test process shares: what $NEO4J_URI names,
// else one that is started by the first test that asks. The test fails when
// there is none. A package that calls it should have Main as its TestMain.
func URI(tb testing.TB) neo4jserver.Server {
	tb.Helper()
	shared.once.Do(func() {
		// The log outlives this test, so it cannot be the test's own.
		log := slog.New(slog.NewTextHandler(os.Stderr, nil))
		// A server that starts beside compilers and other tests takes longer than the default allows.
		shared.server, shared.err = neo4jserver.Start(context.Background(), neo4jserver.Options{Log: log, StartWithin: 5 * time.Minute})
	})
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return *shared.server
}

// Own starts a server for this test alone, whatever $NEO4J_URI says, and stops
// it when the test ends. The test may kill and restart it. It takes about ten
// seconds; an Options.Kind of its own is respected.
func Own(tb testing.TB, options neo4jserver.Options) *neo4jserver.Server {
	tb.Helper()
	if options.Kind == "" {
		options.Kind = neo4jserver.Own
	}
	if options.Log == nil {
		options.Log = slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	server, err := neo4jserver.Start(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return server
}

// Main runs the tests, stops the shared server if one was started, and exits:
//
//	func TestMain(m *testing.M) { neo4jtest.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Stop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
