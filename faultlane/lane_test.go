package faultlane

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/sqlite"
)

// wanted is how many faults the long lane plays; 0 is the short one.
func wanted(t *testing.T) int {
	t.Helper()
	text := os.Getenv("STEPGRAPH_FAULTS")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("STEPGRAPH_FAULTS is %q, want how many faults to play", text)
	}
	return n
}

// firstSeed is the seed of the first round; each further round has the next one.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("STEPGRAPH_FAULTS_SEED")
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("STEPGRAPH_FAULTS_SEED is %q, want a whole number", text)
	}
	return seed
}

// TestSQLite kills the engine that has an embedded store.
func TestSQLite(t *testing.T) {
	t.Parallel()
	short := plan{faultKill: 5, faultTerm: 1}
	long := plan{faultKill: 40, faultTerm: 5, faultStop: 3, faultFreeze: 2}
	lane(t, "sqlite", wanted(t)/2, short, long, func(t *testing.T, r round) {
		file := filepath.Join(t.TempDir(), "stepgraph.db")
		r.engines = func(f *fleet) { f.add("sqlite:"+file, nil) }
		r.open = func(ctx context.Context) (engine.Store, error) { return sqlite.Open(ctx, file, sqlite.Options{}) }
		r.play(t)
	})
}

// TestNeo4j has two or three engines on one Neo4j, and breaks all of it.
func TestNeo4j(t *testing.T) {
	t.Parallel()
	server := neo4jtest.Own(t, neo4jserver.Options{})
	t.Run("zombie", func(t *testing.T) { zombie(t, server) })
	t.Run("versions", func(t *testing.T) {
		empty(t, server)
		versions(t, server)
	})
	t.Run("databases", func(t *testing.T) {
		empty(t, server)
		databases(t, server)
	})
	short := plan{faultKill: 1, faultTerm: 1, faultStop: 1, faultCommit: 2, faultSilence: 1, faultStoreKill: 1}
	long := plan{faultKill: 14, faultTerm: 3, faultStop: 5, faultFreeze: 3, faultCommit: 12, faultCut: 6, faultStall: 5, faultSilence: 4, faultStoreKill: 2}
	lane(t, "neo4j", wanted(t)/2, short, long, func(t *testing.T, r round) {
		empty(t, server)
		r.server = server
		r.engines = func(f *fleet) {
			for range 2 + r.seed%2 {
				p := neo4jtest.NewProxy(t, server.URI)
				f.add(p.URI(), p)
			}
		}
		r.open = func(ctx context.Context) (engine.Store, error) { return openServer(ctx, server) }
		r.play(t)
	})
}

// lane plays one short round, or as many long ones as make so many faults.
func lane(t *testing.T, name string, faults int, short, long plan, play func(*testing.T, round)) {
	seed := firstSeed(t)
	if faults == 0 {
		play(t, round{name: name, seed: seed, clients: 8, plan: short, flows: playedFlows()})
		return
	}
	for done := 0; done < faults; seed++ {
		r := round{name: name, seed: seed, clients: 4 + rand.New(rand.NewPCG(seed, 7)).IntN(13), plan: plan{}, flows: playedFlows()}
		for fault, n := range long {
			r.plan[fault] = n
			done += n
		}
		if !t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) { play(t, r) }) {
			return
		}
	}
}

func openServer(ctx context.Context, server *neo4jserver.Server) (engine.Store, error) {
	return cypher.Open(ctx, cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})
}

// empty takes everything but the schema out of the server, which a test has to itself.
func empty(t *testing.T, server *neo4jserver.Server) {
	t.Helper()
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close(context.Background())
	session := driver.NewSession(t.Context(), sessionConfig(server))
	defer session.Close(context.Background())
	result, err := session.Run(t.Context(), "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS", nil)
	if err == nil {
		_, err = result.Consume(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}
