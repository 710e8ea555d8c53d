package engine

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/inspect"
	"github.com/stepgraph/stepgraph/engine/internal/batch"
	"github.com/stepgraph/stepgraph/engine/internal/commit"
	"github.com/stepgraph/stepgraph/engine/internal/inturn"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An Engine starts sessions, accepts answers and advances sessions. Its methods may be called at
// any time, also while Run is not running: requests are then durable and wait for an engine that
// runs. Any number of engines may share one store.
//
// New makes an Engine; Run claims due sessions and works on them until its context ends, once. The
// command line, package api and programs that embed the engine call it from any goroutine.
//
// An Engine owns the runners of the sessions whose leases it holds. Everything else that it keeps
// in memory is a copy of something in the store, so a process that dies loses nothing that was
// acknowledged: its leases expire, and other engines claim its sessions.
type Engine struct {
	// Inspector answers operators' questions: Explain, Affected, WhatIf, Traffic, Doctor and so on.
	*inspect.Inspector
	// Definitions reads and edits workflows: Workflow, Put, PutStep, RestoreStep, Validate and so on.
	*Definitions
	// Operations applies one action to many sessions: StartBatch, StopBatch, BatchItems and so on.
	*batch.Operations

	store    Store
	registry *Registry
	o        Options
	id       string // of this engine among those that share the store

	definitions *definitionReader
	committer   *commit.Committer
	events      *eventBus
	slots       *slots
	env         *session.Env // what its sessions share
	limits      inturn.Table // of workflows
	slow        slowWorkflows
	delivering  deliveries
	rested      lastRests

	holding
	views
}

// Registry returns the functions that the engine can call.
func (e *Engine) Registry() *Registry { return e.registry }

// Store returns the part of the engine's store that a program may use directly. Only the holder of
// a session's lease writes the session, so the methods that write sessions are not in it.
func (e *Engine) Store() StoreView { return e.store }

// A StoreView is the part of a Store that writes no session and no workflow.
type StoreView interface {
	// ListSessions is Sessions without open questions, messages and results: one read of rows.
	ListSessions(ctx context.Context, q SessionQuery) ([]store.SessionRecord, error)
	// Ping returns an error while the database does not answer.
	Ping(ctx context.Context) error
	// Describe names the database: its kind, a colon, and where it is, without a password.
	Describe() string
	store.Audit
}

// Retention finds, shows and removes sessions that ended long enough ago.
func (e *Engine) Retention() *retention.Service {
	return &retention.Service{Store: e.store, Options: e.o.Retention, Rounds: e.registry.LeavesRounds, Owner: e.id, Log: e.o.Log}
}
