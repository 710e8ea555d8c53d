package api

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// A limited engine applies the limit of the request's token: lists and counts are filtered,
// and what is outside does not exist.
//
// The limit is applied here, between the routes and the engine, because every route of every
// system (REST, compat, WebSocket, MCP) calls the same engine methods. A check in each route
// would be forgotten in the next one. For the same reason limited does not embed Engine: a
// method that is added to the interface does not compile until it is decided here.
type limited struct {
	limitedSessions
	limitedWorkflows
	limitedBatches
	e Engine
}

func newLimited(e Engine) Engine {
	l := limits{e}
	return limited{limitedSessions{l}, limitedWorkflows{l}, limitedBatches{l}, e}
}

func (l limited) Registry() *engine.Registry { return l.e.Registry() }
func (l limited) Store() engine.StoreView    { return l.e.Store() }
func (l limited) Load() engine.Load          { return l.e.Load() }
func (l limited) Working() error             { return l.e.Working() }

// Retention is not narrowed: prune refuses tokens with a limit, and a document is written only of a
// session whose state the token may read.
func (l limited) Retention() *retention.Service { return l.e.Retention() }

// Doctor looks at the whole store.
func (l limited) Doctor(ctx context.Context) ([]engine.Finding, error) {
	if !tokenLimit(ctx).IsZero() {
		return nil, errOverLimit(ctx, "the doctor looks at all workflows and sessions")
	}
	return l.e.Doctor(ctx)
}

// Engines are not narrowed: what is shown of them names no workflow and no session.
func (l limited) Engines(ctx context.Context) ([]engine.EngineInfo, error) { return l.e.Engines(ctx) }
