package engine

import (
	"github.com/stepgraph/stepgraph/engine/inspect"
	"github.com/stepgraph/stepgraph/engine/internal/batch"
	"github.com/stepgraph/stepgraph/engine/internal/commit"
	"github.com/stepgraph/stepgraph/engine/internal/inturn"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// An Engine starts sessions, takes answers and moves sessions on. Its methods may be
// called at any time, also while Run does not run: then requests are durable and wait
// for an engine that does. Any number of engines may share one store.
type Engine struct {
	// An engine answers what an operator asks: Explain, Affected, WhatIf, Traffic, Doctor and so on.
	*inspect.Inspector
	// It keeps workflows: Workflow, Put, PutStep, RestoreStep, Validate and so on.
	*Definitions
	// It does one action on many sessions: StartBatch, StopBatch, BatchItems and so on.
	*batch.Operations

	store    Store
	registry *Registry
	o        Options
	id       string // of this engine among those on the store

	definitions *definitionReader
	committer   *commit.Committer
	events      *eventBus
	slots       *slots
	env         *session.Env // what its sessions share
	limits      inturn.Table // of workflows

	holding
	views
}

// Registry returns the functions the engine knows.
func (e *Engine) Registry() *Registry { return e.registry }

// Store returns the store the engine runs on.
func (e *Engine) Store() Store { return e.store }

// Retention finds, shows and removes sessions that ended long enough ago.
func (e *Engine) Retention() *retention.Service {
	return &retention.Service{Store: e.store, Options: e.o.Retention, Rounds: e.registry.LeavesRounds, Owner: e.id, Log: e.o.Log}
}
