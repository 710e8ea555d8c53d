package faultlane

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/shard"
	"github.com/stepgraph/stepgraph/sqlite"
)

// databases plays one engine on two databases: a file, and a Neo4j that has the workflow of effects.
// The Neo4j is cut off (in the long lane also killed) and comes back, and its connections die, while sessions
// run in both. Sessions of the other database begin and end while it is gone.
func databases(t *testing.T, server *neo4jserver.Server) {
	began, seed := time.Now(), firstSeed(t)
	s := newStage(t, seed)
	file := filepath.Join(t.TempDir(), "stepgraph.db")
	p := neo4jtest.NewProxy(t, server.URI)
	e := s.fleet.add("", p)
	e.config = s.fleet.configure("databases", map[string]any{
		"functions": map[string]string{"side.*": s.ledger.server.URL},
		"databases": map[string]any{
			"near": map[string]any{"store": "sqlite:" + file, "default": true},
			"far":  map[string]any{"store": p.URI(), "workflows": []string{workflowID}},
		},
	})
	s.begin(t.Context())
	s.flows = flowsOf("children", "rounds", "waits")
	w := newWire(s.fleet, s.to, s.rng)
	putFlows(t, w, s.flows)
	n := &nemesis{rng: s.rng, pulse: s.pulse, fleet: s.fleet, server: server, did: map[string]int{}}
	n.storeGone = func(ctx context.Context) error {
		c := &client{name: "meanwhile", wire: w, to: s.to, rng: rand.New(rand.NewPCG(seed, 1)), calm: patience}
		if missing := unavailable(ctx, t, e, "far"); !missing {
			t.Error("/readyz does not name the database that is gone")
		}
		for _, f := range s.flows {
			if err := c.flow(ctx, f); err != nil {
				return err
			}
		}
		return nil
	}
	played := plan{faultAway: 1, faultSilence: 1, faultKill: 1}
	if wanted(t) > 0 {
		played = plan{faultAway: 6, faultStoreKill: 1, faultSilence: 4, faultKill: 8, faultStall: 4, faultCut: 4, faultCommit: 6}
	}
	s.work(t.Context(), 8, func(ctx context.Context) error { return n.run(ctx, played) })
	o := s.quiet(t.Context(), func(ctx context.Context) (engine.Store, error) {
		return shard.Open(ctx, shard.Options{Default: "near", RequireAll: true, Databases: []shard.Database{
			{Name: "near", Open: func(ctx context.Context) (engine.Store, error) { return sqlite.Open(ctx, file, sqlite.Options{}) }},
			{Name: "far", Workflows: []string{workflowID}, Open: func(ctx context.Context) (engine.Store, error) { return openServer(ctx, server) }},
		}})
	})
	found := o.judge(t.Context())
	report{Round: "databases", Seed: seed, Faults: n.did, Engines: s.fleet.started, tally: s.to.tally,
		Executions: o.executions, Effects: len(s.ledger.keys()), Calls: o.calls, Repeated: o.repeated,
		Parked: s.fleet.logged("lease lost"), Lost: o.lost, Violations: len(found)}.publish(t, began)
	for _, v := range found[:min(len(found), 20)] {
		t.Errorf("seed %d: %s", seed, v)
	}
	if o.calls == 0 {
		t.Error("no effect was called: the round shows nothing")
	}
}

// unavailable waits until an engine's /readyz names a database as away, and the engine as ready.
func unavailable(ctx context.Context, t *testing.T, e *process, database string) bool {
	t.Helper()
	return until(ctx, patience, func() bool {
		response, err := http.Get(e.address + "/readyz")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		var said struct {
			Status      string
			Unavailable []string
		}
		return json.NewDecoder(response.Body).Decode(&said) == nil && said.Status == "ready" && len(said.Unavailable) == 1 && said.Unavailable[0] == database
	})
}
