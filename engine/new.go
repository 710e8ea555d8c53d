package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/batch"
	"github.com/stepgraph/stepgraph/engine/internal/commit"
	"github.com/stepgraph/stepgraph/engine/internal/session"
)

// New returns an engine on a store. It does nothing until Run is called.
func New(store Store, registry *Registry, o Options) *Engine {
	o = o.withDefaults()
	e := &Engine{
		store: store, registry: registry, o: o, id: o.NewID(), events: newEventBus(o.Relay), slots: newSlots(o, registry),
		holding: holding{
			alarms: alarms{wake: make(chan struct{}, 1), turns: make(chan struct{}, 1), timer: newDueTimer()}, places: newPlaces(o), life: context.Background(),
			runners: map[string]*held{}, coming: map[string]*held{}, left: map[string]time.Time{},
		},
	}
	e.tellInbox = e.events.tellInbox
	e.definitions = newDefinitionReader(store)
	e.committer = commit.New(store, o.Writers)
	e.Inspector = newInspector(e)
	e.Definitions = &Definitions{store, registry, e.Inspector}
	e.views = views{store, e.definitions, searchTime}
	e.env = &session.Env{Limits: o.limits(), Host: host{e}, Store: store, Registry: registry, Definitions: e.definitions, Committer: e.committer, ID: e.id}
	e.Operations = batch.New(batch.Options{Store: store, Actions: batchActions{e}, Log: o.Log, NewID: o.NewID,
		Lease: o.lease, LeaseFor: o.LeaseFor, PollEvery: o.PollEvery})
	return e
}
