package faultlane

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// insideLease is a lease that is short enough to die of often.
const insideLease = 300 * time.Millisecond

// An inside is a fleet in this process: two engines on one store in memory, each behind
// HTTP, with a store of its own that can be frozen or cut off. It is how a broken store is
// put under the same clients and the same oracle as the real ones.
type inside struct {
	t      *testing.T
	store  engine.Store // broken or not
	ledger *ledger

	mu      sync.Mutex
	engines []*insider
}

// An insider is one engine that can die like a process.
type insider struct {
	store  *faults.Store
	frozen *gate
	server *httptest.Server
	stop   context.CancelFunc
	ended  chan error
}

func newInside(t *testing.T, store engine.Store, l *ledger) *inside {
	in := &inside{t: t, store: store, ledger: l}
	for range 2 {
		in.engines = append(in.engines, in.start())
	}
	t.Cleanup(in.stop)
	return in
}

func (in *inside) start() *insider {
	i := &insider{frozen: newGate(), ended: make(chan error, 1)}
	i.store = faults.Wrap(in.store, faults.Plan{Before: func(faults.Call) { i.frozen.pass() }})
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	remote, err := functions.Remote("side.*", in.ledger.server.URL, functions.RemoteOptions{})
	if err != nil {
		in.t.Fatal(err)
	}
	registry.Add(remote)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	e := engine.New(i.store, registry, engine.Options{Log: quiet, LeaseFor: insideLease, PollEvery: 50 * time.Millisecond, StopGrace: time.Second})
	i.server = httptest.NewServer(api.New(e, api.Options{Log: quiet, Loopback: true}))
	var life context.Context
	life, i.stop = context.WithCancel(context.Background())
	go func() { i.ended <- e.Run(life) }()
	return i
}

func (in *inside) addresses() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	var all []string
	for _, i := range in.engines {
		all = append(all, i.server.URL)
	}
	return all
}

// kill ends an engine between two calls of its store and starts another one.
func (in *inside) kill(n int) {
	fresh := in.start()
	in.mu.Lock()
	old := in.engines[n]
	in.engines[n] = fresh
	in.mu.Unlock()
	old.store.Die()
	in.end(old)
}

// freeze keeps an engine from its store for a time that is longer than its leases last.
func (in *inside) freeze(ctx context.Context, n int, long time.Duration) {
	in.engines[n].frozen.shut()
	last(ctx, long)
	in.engines[n].frozen.open()
}

// leases is a time of one and a half leases, or of one to ten.
func leases(rng *rand.Rand, lease time.Duration, long bool) time.Duration {
	if !long {
		return lease + lease/2
	}
	return lease + lease/10 + time.Duration(rng.Int64N(int64(9*lease)))
}

func (in *inside) end(i *insider) {
	i.stop()
	i.server.CloseClientConnections()
	i.server.Close()
	select {
	case <-i.ended:
	case <-time.After(patience):
		in.t.Error("an engine does not stop")
	}
}

func (in *inside) stop() {
	for _, i := range in.engines {
		in.end(i)
	}
}

// torment kills and freezes engines in turn, until it is enough.
func (in *inside) torment(ctx context.Context, p *pulse, rng *rand.Rand, times int, long bool, enough func() bool) {
	for i := 0; i < times && !enough(); i++ {
		p.more(ctx, 1+rng.IntN(20), 2*insideLease)
		if i%2 == 0 {
			in.freeze(ctx, rng.IntN(2), leases(rng, insideLease, long))
		} else {
			in.kill(rng.IntN(2))
		}
	}
}

// A gate lets calls pass while it is open.
type gate struct {
	mu  sync.RWMutex
	way chan struct{}
}

func newGate() *gate {
	g := &gate{way: make(chan struct{})}
	close(g.way)
	return g
}

func (g *gate) pass() {
	g.mu.RLock()
	way := g.way
	g.mu.RUnlock()
	<-way
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.way = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.way)
}

// playInside plays clients on a store that breakIt may have broken, and returns what the
// oracle finds in the store itself. What does not come to rest within calm is broken.
func playInside(t *testing.T, seed uint64, torments int, calm time.Duration, breakIt func(engine.Store) engine.Store, flows ...*flow) []string {
	t.Helper()
	o := insidePlay{seed: seed, torments: torments, calm: calm, store: memory.New(memory.Options{}), breakIt: breakIt, clients: 6, flows: flows}.play(t)
	return o.judge(t.Context())
}

// An insidePlay is a round in this process.
type insidePlay struct {
	seed     uint64
	torments int
	calm     time.Duration
	clients  int
	store    engine.Store
	breakIt  func(engine.Store) engine.Store
	flows    []*flow
}

func (r insidePlay) play(t *testing.T) *oracle {
	t.Helper()
	seed, whole, calm := r.seed, r.store, r.calm
	pulse := newPulse()
	l := newLedger(t, seed, pulse)
	to := newPromises(pulse)
	rng := rand.New(rand.NewPCG(seed, 0))
	in := newInside(t, r.breakIt(whole), l)
	putWorkflow(t, newWire(in, to, rng))
	putFlows(t, newWire(in, to, rng), r.flows)
	done := make(chan struct{})
	var all sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 5*calm)
	defer cancel()
	for i := range r.clients {
		rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(i)))
		c := &client{name: string(rune('a' + i)), wire: newWire(in, to, rng), to: to, rng: rng, calm: calm, flows: r.flows}
		all.Go(func() {
			c.play(ctx, func() bool {
				select {
				case <-done:
					return false
				default:
					return !to.broken()
				}
			})
			c.wire.http.CloseIdleConnections()
		})
	}
	in.torment(ctx, pulse, rng, r.torments, len(r.flows) > 0, to.broken)
	close(done)
	all.Wait()
	until(ctx, calm, func() bool {
		due, err := whole.NextDue(ctx)
		return err == nil && due.IsZero()
	})
	for _, i := range in.engines {
		i.store.Die()
	}
	return &oracle{store: whole, to: to, ledger: l, flows: r.flows}
}
