package engine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/stepgraph/stepgraph/engine/retention"
)

// Options configure an Engine. The zero value works.
type Options struct {
	Log *slog.Logger // slog.Default by default

	Name        string         // the engine in lease_owner; host and process id by default
	LeaseFor    time.Duration  // 15 s: how long a dead engine blocks a session
	PollEvery   time.Duration  // 1 s: how often due work is looked for when nobody woke the engine
	InboxEvery  time.Duration  // 250 ms: how often holders that wait for effects look for new requests
	ReadEvery   time.Duration  // 500 ms: age at which a session that goes on reads its definition again
	MaxSessions int            // 1,000: sessions that run at once; more stay due
	MaxWaiting  int            // 4,000: sessions held beside them that only wait for a slot of a function
	MaxLate     time.Duration  // 1 min: while due work waits for longer, starts without a place are refused with ErrOverloaded
	StepsAtOnce int            // 32: effects of one session at once
	Effects     int            // 256: effects of this engine at once
	CallsAtOnce int            // 32: calls of one function at once, where its Spec has no limit
	CallsOf     map[string]int // calls of single functions at once, by name or alias; goes before Spec.Limit
	CallTimeout time.Duration  // 5 min: one attempt of a call, where neither step nor Spec says
	MaxSteps    int            // 1,000: visits of a session between two pauses
	MaxChildren int            // 10,000: sessions below one root session, counted over all depths
	MaxInput    int            // 4 MB: the input of a step with its references resolved
	Writers     int            // commits under way at once; number of cores
	MaxOutput   int            // 1 MB
	MaxState    int            // 4 MB
	MaxInputs   int            // 1 MB
	MaxPrompt   int            // 100 KB
	StopGrace   time.Duration  // 5 s: how long Run lets calls finish when it is told to stop
	NewID       func() string  // UUID v7
	// Variables gives the values that references read as @{SESSION_ID}.vars.NAME, where no
	// step or value of the session is called vars; nil for none. It is asked often, so it
	// is quick.
	Variables func() map[string]json.RawMessage
	// Retention says how long sessions stay after they have ended; for ever by default.
	Retention retention.Options
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	number := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Name == "" {
		o.Name = processName()
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	set(&o.LeaseFor, 15*time.Second)
	set(&o.PollEvery, time.Second)
	set(&o.InboxEvery, 250*time.Millisecond)
	set(&o.ReadEvery, 500*time.Millisecond)
	set(&o.CallTimeout, 5*time.Minute)
	set(&o.StopGrace, 5*time.Second)
	number(&o.MaxSessions, 1000)
	number(&o.MaxWaiting, 4000)
	set(&o.MaxLate, time.Minute)
	number(&o.StepsAtOnce, 32)
	number(&o.Effects, 256)
	number(&o.CallsAtOnce, 32)
	number(&o.MaxSteps, 1000)
	number(&o.MaxChildren, 10_000)
	number(&o.MaxInput, 4<<20)
	number(&o.Writers, max(2, runtime.NumCPU()))
	number(&o.MaxOutput, 1<<20)
	number(&o.MaxState, 4<<20)
	number(&o.MaxInputs, 1<<20)
	number(&o.MaxPrompt, 100<<10)
	return o
}

// An Engine starts sessions, takes answers and moves sessions on. Its methods may be
// called at any time, also while Run does not run: then requests are durable and wait
// for an engine that does. Any number of engines may share one store.
type Engine struct {
	store    Store
	registry *Registry
	o        Options
	id       string // of this engine among those on the store

	definitions *definitionReader
	committer   *committer
	events      *eventBus
	slots       *slots
	descent     descent
	refusals    refusals

	wake      chan struct{} // due work may be there
	batchWake chan struct{} // a batch may be due
	timer     *dueTimer

	mu       sync.Mutex
	runners  map[string]*runner // sessions this engine holds, by id
	places   places
	left     map[string]time.Time // sessions left to other engines, and until when, see peers.go
	polled   pulse
	running  bool
	stopping bool
	work     sync.WaitGroup // runners under way
	life     context.Context
	end      context.CancelCauseFunc
}

// New returns an engine on a store. Nothing happens before Run.
func New(store Store, registry *Registry, o Options) *Engine {
	o = o.withDefaults()
	e := &Engine{
		store: store, registry: registry, o: o,
		events: newEventBus(), slots: newSlots(o, registry), places: newPlaces(o),
		wake: make(chan struct{}, 1), batchWake: make(chan struct{}, 1),
		timer:   newDueTimer(),
		life:    context.Background(),
		runners: map[string]*runner{}, left: map[string]time.Time{}, id: o.NewID(),
	}
	e.definitions = newDefinitionReader(store)
	e.committer = newCommitter(store, o)
	return e
}

// errStopped is the cause with which Run ends what it started.
var errStopped = errors.New("engine stopped")

// Registry returns the functions the engine knows.
func (e *Engine) Registry() *Registry { return e.registry }

// Store returns the store the engine runs on.
func (e *Engine) Store() Store { return e.store }

// Retention finds, shows and removes sessions that ended long enough ago.
func (e *Engine) Retention() *retention.Service {
	return &retention.Service{Store: e.store, Options: e.o.Retention, Owner: e.id, Log: e.o.Log}
}

// newID returns a UUID v7: ids sort by the time they were made.
func newID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString()
	}
	return id.String()
}
