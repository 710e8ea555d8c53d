package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/functions/graph"
	"github.com/stepgraph/stepgraph/functions/isolation"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/natsbus"
)

// A localEngine is an engine of this process, on a store that it opened. Commands call it through
// its API, as they call a server, so that they print the same for both.
type localEngine struct {
	client    *client.Client
	engine    *engine.Engine
	store     engine.Store
	settings  settings
	catalog   *models.Catalog
	recorder  *models.Recorder
	resources *resources
	bus       *natsbus.Bus // nil for none
	stop      context.CancelCauseFunc
	stopped   chan error // nil while it does not run
}

// localOptions say what an engine of this process is for.
type localOptions struct {
	settings settings
	serving  string // address under which it serves; "" for the length of a command
	record   string // file for the replies of models
}

// openLocal opens store and engine; nothing runs yet.
func (h *host) openLocal(ctx context.Context, o localOptions) (*localEngine, error) {
	own := &localEngine{settings: o.settings}
	if o.record != "" {
		own.recorder = models.NewRecorder(o.record)
	}
	var err error
	if own.resources, err = h.openResources(o.settings, o.settings.store); err != nil {
		return nil, err
	}
	own.resources.recorder, own.resources.querier = own.recorder, own.querier
	if h.runsPrograms(o.settings) && o.settings.isolate != isolation.Off {
		if err := own.resources.vault.MakeKey(); err != nil {
			return nil, fmt.Errorf("profiles, variables and secrets: %w", err)
		}
	}
	registry, catalog, err := h.registry(o.settings, own.resources)
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
	options := engine.Options{Log: h.log, LeaseFor: h.lease, PollEvery: h.poll, Variables: own.resources.variables,
		Retention: retention.Options{Keep: h.keep, Archive: h.archive}}
	h.limits.applyTo(&options)
	if own.bus, err = h.nats.open(h.log); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if own.bus != nil { // a nil *Bus would be a Relay that is not nil
		options.Relay = own.bus
	}
	own.store, own.engine = store, engine.New(store, registry, options)
	own.client = client.InProcess(api.New(own.engine, api.Options{Log: h.log, Vault: own.resources.vault, KeepAudit: true, Caller: localCaller()}), own)
	return own, nil
}

// run starts the processor. The engine outlives ctx: Close ends it, so that a command
// that is interrupted can still report how far it came.
func (o *localEngine) run(ctx context.Context) {
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	o.stop = stop
	o.stopped = make(chan error, 1)
	go func() { o.stopped <- o.engine.Run(life) }()
}

var errCommandEnded = errors.New("the command has ended")

// Close stops the processor, gives leases back and closes the store.
func (o *localEngine) Close() error {
	var faults []error
	if o.stopped != nil {
		o.stop(errCommandEnded)
		if err := <-o.stopped; err != nil && !errors.Is(err, errCommandEnded) && !errors.Is(err, context.Canceled) {
			faults = append(faults, err)
		}
	}
	o.client.Leave()
	if o.recorder != nil {
		faults = append(faults, o.recorder.Flush())
	}
	if o.bus != nil {
		faults = append(faults, o.bus.Close())
	}
	return errors.Join(append(faults, o.resources.servers.Close(), o.store.Close())...)
}

// Rest implements client.Engine.
func (o *localEngine) Rest(ctx context.Context, id string) (bool, error) {
	if o.stopped == nil {
		return false, nil
	}
	_, err := o.engine.Wait(ctx, id)
	return err == nil, err
}

// Workflow reads a workflow as the store has it.
func (o *localEngine) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	return o.engine.Workflow(ctx, id)
}

// Put stores a workflow, however large it is.
func (o *localEngine) Put(ctx context.Context, w *engine.Workflow, options engine.PutOptions) (*engine.Difference, error) {
	d, err := o.engine.Put(ctx, w, options)
	if err == nil && !options.DryRun {
		err = o.recordPut(ctx, d)
	}
	return d, err
}

// Where names the store for people.
func (o *localEngine) Where() string { return o.store.Describe() }

// querier gives the store of an engine where it understands Cypher. Steps ask it, which run
// only once the engine stands.
func (o *localEngine) querier() graph.Querier {
	if q, ok := o.store.(graph.Querier); ok {
		return q
	}
	if _, several := o.store.(store.Divided); several {
		return multiDatabaseQuerier{}
	}
	return nil
}

// A multiDatabaseQuerier refuses graph.query where there are several databases: its result would be that
// of one of them, and look like that of all.
type multiDatabaseQuerier struct{}

// ReadQuery implements graph.Querier.
func (multiDatabaseQuerier) ReadQuery(context.Context, string, map[string]any, int) ([]map[string]any, error) {
	return nil, &function.CallError{Kind: function.KindDisabled, Err: engine.ErrNotOnThisStore,
		Message: "graph.query reads one database, and this server has several; query the database directly"}
}

// recordPut writes the entry of a workflow that this process stored without the API, which
// bounds the size of bodies.
func (o *localEngine) recordPut(ctx context.Context, d *engine.Difference) error {
	return o.store.RecordAudit(ctx, []engine.AuditEntry{{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now().UTC().Truncate(time.Microsecond),
		Who: localCaller(), Action: "putWorkflow", Workflow: d.Workflow, Count: 1, Status: 200}})
}
