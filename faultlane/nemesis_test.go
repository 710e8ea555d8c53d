package faultlane

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

// A nemesis does faults, one after another, each at a moment that the seed and the
// progress of the work decide.
type nemesis struct {
	rng    *rand.Rand
	pulse  *pulse
	fleet  *fleet
	server *neo4jserver.Server // nil on an embedded store
	did    map[string]int
	// storeGone runs while a store is gone; nil for nothing where it is killed.
	storeGone func(context.Context) error
}

// Faults.
const (
	faultKill      = "kills"       // an engine is killed and started again
	faultTerm      = "clean_stops" // an engine is asked to stop and started again
	faultStop      = "stops"       // an engine is frozen past its leases
	faultFreeze    = "freezes"     // an engine is frozen for one to ten leases
	faultCut       = "cuts"        // all connections of an engine break
	faultCommit    = "commit_cuts" // a connection breaks at a commit
	faultStall     = "stalls"      // nothing passes between an engine and the store, for one to ten leases
	faultSilence   = "dead_lines"  // the connections of an engine carry nothing more, and do not close
	faultAway      = "store_gone"  // Neo4j takes no connections from an engine for a while
	faultStoreKill = "store_kills" // Neo4j is killed and started again
)

// A plan says how often each fault is to be done.
type plan map[string]int

// faults returns the plan's faults in an order that the seed decides.
func (n *nemesis) order(p plan) []string {
	var all []string
	for _, name := range []string{faultKill, faultTerm, faultStop, faultFreeze, faultCut, faultCommit, faultStall, faultSilence, faultAway, faultStoreKill} {
		for range p[name] {
			all = append(all, name)
		}
	}
	n.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// run does all faults of a plan.
func (n *nemesis) run(ctx context.Context, p plan) error {
	for i, name := range n.order(p) {
		n.pulse.more(ctx, 1+n.rng.IntN(25), 4*lease)
		last(ctx, time.Duration(n.rng.IntN(20_000))*time.Microsecond)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := n.do(ctx, name); err != nil {
			return fmt.Errorf("fault %d, %s: %w", i+1, name, err)
		}
		n.did[name]++
		if died := n.fleet.died(); died != "" {
			return fmt.Errorf("after fault %d, %s: %s", i+1, name, died)
		}
	}
	return nil
}

func (n *nemesis) do(ctx context.Context, name string) error {
	e := n.fleet.engines[n.rng.IntN(len(n.fleet.engines))]
	switch name {
	case faultKill:
		n.fleet.kill(e)
		return n.again(ctx, e)
	case faultTerm:
		n.fleet.term(e)
		return n.again(ctx, e)
	case faultStop, faultFreeze:
		if err := n.fleet.stop(e); err != nil {
			return err
		}
		long := n.pastLease()
		if name == faultFreeze {
			long = leases(n.rng, lease, true)
		}
		last(ctx, long)
		return n.fleet.cont(e)
	case faultCut:
		e.proxy.BreakAll()
		return nil
	case faultCommit:
		e.proxy.CutNext([]neo4jtest.Cut{neo4jtest.BeforeCommit, neo4jtest.AfterCommit}[n.rng.IntN(2)])
		if !until(ctx, 4*lease, func() bool { return !e.proxy.Pending() }) {
			n.did[faultCommit]-- // nothing was committed over it: no fault to boast of
		}
		e.proxy.CutNext(neo4jtest.NoCut)
		return nil
	case faultStall:
		e.proxy.Pause()
		last(ctx, leases(n.rng, lease, true))
		e.proxy.Resume()
		return nil
	case faultSilence:
		e.proxy.Silence()
		return nil
	case faultAway:
		e.proxy.Down()
		defer e.proxy.Up()
		return n.storeGone(ctx)
	case faultStoreKill:
		return n.killStore(ctx)
	}
	return fmt.Errorf("no such fault")
}

// again starts an engine again, now and then only after others had time for its sessions.
func (n *nemesis) again(ctx context.Context, e *process) error {
	if len(n.fleet.engines) > 1 && n.rng.IntN(2) == 0 {
		n.pulse.more(ctx, 1+n.rng.IntN(20), 2*lease)
	}
	if err := n.fleet.start(e); err != nil {
		return err
	}
	return n.fleet.ready(ctx, e)
}

// pastLease is longer than a lease, by less than another one.
func (n *nemesis) pastLease() time.Duration {
	return lease + lease/10 + time.Duration(n.rng.Int64N(int64(lease)))
}

func (n *nemesis) killStore(ctx context.Context) error {
	if err := n.server.Kill(); err != nil {
		return err
	}
	var err error
	if n.storeGone != nil {
		err = n.storeGone(ctx)
	}
	return errors.Join(err, n.server.Restart(ctx))
}
