package faultlane

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/engine"
)

// A round is one store, a fleet on it, clients, and a nemesis with a plan.
type round struct {
	name    string
	seed    uint64
	clients int
	plan    plan
	flows   []*flow                                         // played beside the workflow faults
	archive string                                          // folder for sessions that are removed meanwhile; "" to remove none
	server  *neo4jserver.Server                             // nil on an embedded store
	engines func(f *fleet)                                  // adds the fleet's places
	open    func(ctx context.Context) (engine.Store, error) // opens the store for the oracle
}

// A stage is what a round plays on.
type stage struct {
	t      *testing.T
	rng    *rand.Rand
	pulse  *pulse
	ledger *ledger
	fleet  *fleet
	to     *promises
	flows  []*flow
}

func newStage(t *testing.T, seed uint64) *stage {
	p := newPulse()
	l := newLedger(t, seed, p)
	return &stage{t: t, rng: rand.New(rand.NewPCG(seed, 0)), pulse: p, ledger: l, fleet: newFleet(t, l.server.URL), to: newPromises(p)}
}

// play plays a round to its end and reports it; every violation fails the test.
func (r round) play(t *testing.T) {
	t.Helper()
	began := time.Now()
	s := newStage(t, r.seed)
	r.engines(s.fleet)
	s.begin(t.Context())
	s.flows = r.flows
	putFlows(t, newWire(s.fleet, s.to, s.rng), s.flows)
	n := &nemesis{rng: s.rng, pulse: s.pulse, fleet: s.fleet, server: r.server, did: map[string]int{}}
	s.to.removal = r.archive != ""
	s.work(t.Context(), r.clients, func(ctx context.Context) error {
		if r.archive == "" {
			return n.run(ctx, r.plan)
		}
		removing, stop := context.WithCancel(ctx)
		var remover sync.WaitGroup
		var removed atomic.Bool
		remover.Go(func() { s.remove(removing, r.archive, &removed) })
		defer remover.Wait()
		defer stop()
		last(ctx, removedAfter) // so that faults meet sessions that may go
		err := n.run(ctx, r.plan)
		until(ctx, patience, removed.Load) // the clients go on meanwhile
		return err
	})
	o := s.quiet(t.Context(), r.open)
	o.archive = r.archive
	found := o.judge(t.Context())
	report{Round: r.name, Seed: r.seed, Faults: n.did, Engines: s.fleet.started, tally: s.to.tally,
		Executions: o.executions, Effects: len(s.ledger.keys()), Calls: o.calls, Repeated: o.repeated,
		Parked: s.fleet.logged("lease lost"), Lost: o.lost, Removed: o.removed, Violations: len(found)}.publish(t, began)
	if r.archive != "" && o.removed == 0 {
		t.Error("no session was removed: the round shows nothing")
	}
	for i, v := range found {
		if i == 20 {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Errorf("seed %d: %s", r.seed, v)
	}
}

// begin starts all engines and stores the workflow.
func (s *stage) begin(ctx context.Context) {
	s.t.Helper()
	for _, e := range s.fleet.engines {
		if err := s.fleet.start(e); err != nil {
			s.t.Fatal(err)
		}
		if err := s.fleet.ready(ctx, e); err != nil {
			s.t.Fatal(err)
		}
	}
	putWorkflow(s.t, newWire(s.fleet, s.to, s.rng))
}

func putWorkflow(t *testing.T, w *wire) {
	t.Helper()
	got, err := w.send(t.Context(), http.MethodPut, "/api/v1/workflows/"+workflowID, "", workflowDocument())
	if err != nil || got.status >= 300 {
		t.Fatalf("put the workflow: %v %+v", err, got)
	}
	if got, err = w.send(t.Context(), http.MethodGet, "/api/v1/workflows/"+workflowID, "", nil); err != nil {
		t.Fatal(err)
	}
	var checked struct {
		Problems []struct{ Level, Message string }
	}
	if err := json.Unmarshal(got.body, &checked); err != nil || slices.ContainsFunc(checked.Problems, func(p struct{ Level, Message string }) bool { return p.Level == "error" }) {
		t.Fatalf("the workflow is wrong: %v %s", err, got.body)
	}
}

// work lets clients play while faults are done, and until their last sessions have ended.
func (s *stage) work(ctx context.Context, clients int, faults func(context.Context) error) {
	s.t.Helper()
	var over atomic.Bool
	var all sync.WaitGroup
	for i := range clients {
		rng := rand.New(rand.NewPCG(s.rng.Uint64(), uint64(i)))
		c := &client{name: fmt.Sprintf("c%d", i), wire: newWire(s.fleet, s.to, rng), to: s.to, rng: rng, calm: patience, flows: s.flows}
		all.Go(func() {
			c.play(ctx, func() bool { return !over.Load() })
			c.wire.http.CloseIdleConnections()
		})
	}
	err := faults(ctx)
	over.Store(true)
	all.Wait()
	if err != nil {
		s.t.Errorf("the nemesis: %v", err)
	}
}

// quiet stops the engines, lets one come back for as long as anything is due, and returns
// an oracle on the store.
func (s *stage) quiet(ctx context.Context, open func(context.Context) (engine.Store, error)) *oracle {
	s.t.Helper()
	s.end()
	store, err := open(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	for range 5 {
		due, err := store.NextDue(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		if due.IsZero() {
			break
		}
		s.settle(ctx, store)
	}
	return &oracle{store: store, to: s.to, ledger: s.ledger, flows: s.flows}
}

// end stops all engines cleanly: what their last calls came to is in the store then.
func (s *stage) end() {
	var all sync.WaitGroup
	for _, e := range s.fleet.engines {
		all.Go(func() { s.fleet.term(e) })
	}
	all.Wait()
}

// settle lets one engine work until nothing is due.
func (s *stage) settle(ctx context.Context, store engine.Store) {
	s.t.Helper()
	e := s.fleet.engines[0]
	if err := s.fleet.start(e); err != nil {
		s.t.Fatal(err)
	}
	defer s.fleet.term(e)
	until(ctx, patience, func() bool {
		due, err := store.NextDue(ctx)
		return err == nil && due.IsZero()
	})
}
