package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/functions/isolation"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/natsbus"
)

// An ownEngine is an engine of this process, on a store that it opened. It is asked
// through its API all the same, so that a command prints the same whichever engine it
// has found.
type ownEngine struct {
	*client.Client
	engine   *engine.Engine
	settings settings
	catalog  *models.Catalog
	recorder *models.Recorder
	outside  *outside
	bus      *natsbus.Bus // nil for none
	stop     context.CancelCauseFunc
	stopped  chan error // nil while it does not run
}

// ownOptions say what an engine of this process is for.
type ownOptions struct {
	settings settings
	serving  string // address under which it serves; "" for the length of a command
	record   string // file for the replies of models
}

// openOwn opens store and engine; nothing runs yet.
func (h *host) openOwn(ctx context.Context, o ownOptions) (*ownEngine, error) {
	own := &ownEngine{settings: o.settings}
	if o.record != "" {
		own.recorder = models.NewRecorder(o.record)
	}
	var err error
	if own.outside, err = h.openOutside(o.settings, o.settings.store); err != nil {
		return nil, err
	}
	own.outside.recorder, own.outside.querier = own.recorder, own.querier
	if h.runsPrograms(o.settings) && o.settings.isolate != isolation.Off {
		if err := own.outside.vault.MakeKey(); err != nil {
			return nil, fmt.Errorf("profiles, variables and secrets: %w", err)
		}
	}
	registry, catalog, err := h.registry(o.settings, own.outside)
	if err != nil {
		return nil, err
	}
	own.catalog = catalog
	if err := h.limits.check(registry); err != nil {
		return nil, err
	}
	store, err := h.openStore(ctx, o.settings.store, o.serving)
	if err != nil {
		return nil, err
	}
	if _, err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("store %s: %w", store.Describe(), err), store.Close())
	}
	options := engine.Options{Log: h.log, LeaseFor: h.lease, PollEvery: h.poll, Variables: own.outside.variables,
		Retention: retention.Options{Keep: h.keep, Archive: h.archive}}
	h.limits.apply(&options)
	if own.bus, err = h.openNATS(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if own.bus != nil { // a nil *Bus would be a Relay that is not nil
		options.Relay = own.bus
	}
	own.engine = engine.New(store, registry, options)
	own.Client = client.InProcess(api.New(own.engine, api.Options{Log: h.log, Vault: own.outside.vault, KeepAudit: true, Caller: localCaller()}))
	return own, nil
}

// run starts the processor. The engine outlives ctx: Close ends it, so that a command
// that is told to stop can still say how far it came.
func (o *ownEngine) run(ctx context.Context) {
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	o.stop = stop
	o.stopped = make(chan error, 1)
	go func() { o.stopped <- o.engine.Run(life) }()
}

var errCommandEnded = errors.New("the command has ended")

// Close stops the processor, gives leases back and closes the store.
func (o *ownEngine) Close() error {
	var faults []error
	if o.stopped != nil {
		o.stop(errCommandEnded)
		if err := <-o.stopped; err != nil && !errors.Is(err, errCommandEnded) && !errors.Is(err, context.Canceled) {
			faults = append(faults, err)
		}
	}
	o.Leave()
	if o.recorder != nil {
		faults = append(faults, o.recorder.Flush())
	}
	if o.bus != nil {
		faults = append(faults, o.bus.Close())
	}
	return errors.Join(append(faults, o.outside.servers.Close(), o.engine.Store().Close())...)
}

// Start starts a session and waits until it rests.
func (o *ownEngine) Start(ctx context.Context, q engine.StartRequest, _ time.Duration) (*api.Session, error) {
	return o.rested(ctx)(o.Client.Start(ctx, q, 0))
}

// Answer answers and waits until the session rests again.
func (o *ownEngine) Answer(ctx context.Context, q engine.AnswerRequest, _ time.Duration) (*api.Session, error) {
	return o.rested(ctx)(o.Client.Answer(ctx, q, 0))
}

// Act steers and waits until the session rests again.
func (o *ownEngine) Act(ctx context.Context, action engine.Action, _ time.Duration) (*api.Session, error) {
	return o.rested(ctx)(o.Client.Act(ctx, action, 0))
}

// Fork starts the new session and waits until it rests.
func (o *ownEngine) Fork(ctx context.Context, q engine.ForkRequest, _ time.Duration) (*api.Session, error) {
	return o.rested(ctx)(o.Client.Fork(ctx, q, 0))
}

// EditState edits and waits until the session rests again.
func (o *ownEngine) EditState(ctx context.Context, id string, version int64, text []byte) (*api.Session, error) {
	return o.rested(ctx)(o.Client.EditState(ctx, id, version, text))
}

// rested waits for the session that a call gave, while the processor runs: nothing else
// would move it on.
func (o *ownEngine) rested(ctx context.Context) func(*api.Session, error) (*api.Session, error) {
	return func(s *api.Session, err error) (*api.Session, error) {
		if err != nil || o.stopped == nil {
			return s, err
		}
		waited, err := o.Wait(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		waited.Accepted = s.Accepted
		return waited, nil
	}
}

// Wait returns a session once it rests. The engine tells at once, so nothing is polled.
func (o *ownEngine) Wait(ctx context.Context, id string) (*api.Session, error) {
	if _, err := o.engine.Wait(ctx, id); err != nil {
		return nil, err
	}
	return o.Session(ctx, id)
}

// Workflow reads a workflow as the store has it.
func (o *ownEngine) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	return o.engine.Workflow(ctx, id)
}

// Put stores a workflow, however large it is.
func (o *ownEngine) Put(ctx context.Context, w *engine.Workflow, options engine.PutOptions) (*engine.Difference, error) {
	d, err := o.engine.Put(ctx, w, options)
	if err == nil && !options.DryRun {
		err = o.recordPut(ctx, d)
	}
	return d, err
}

// Where names the store for people.
func (o *ownEngine) Where() string { return o.engine.Store().Describe() }
