package api

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// sessionRoutes start, read, answer, steer and remove sessions.
type sessionRoutes struct {
	*routeTable
	e interface {
		Sessions
		Steering
		Explain(ctx context.Context, session string) (*engine.Explanation, error)
		Requests(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Request, error)
	}
}

// historyRoutes read the history of a session and follow its events.
type historyRoutes struct {
	*routeTable
	e interface {
		History
		Session(ctx context.Context, id string) (*engine.Session, error)
		Sessions(ctx context.Context, q engine.SessionQuery) ([]engine.Session, *engine.Cursor, error)
		Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	}
	heartbeat time.Duration
	streams   *atomic.Int64
}

// workflowRoutes read, write, import and export whole workflows.
type workflowRoutes struct {
	*routeTable
	e interface {
		Workflows
		Sessions
		Registry() *engine.Registry
	}
}

// graphRoutes edit single steps and paths, and revert such edits.
type graphRoutes struct {
	*routeTable
	e interface {
		Workflows
		CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
		WorkflowLog(ctx context.Context, workflow, step string) ([]engine.LogEntry, error)
		DefinitionDiff(ctx context.Context, workflow, step, from, to string) ([]engine.PropertyDiff, error)
		RestoreStep(ctx context.Context, workflow, step, hash string) (*engine.Workflow, []engine.Problem, error)
	}
}

// trafficRoutes report which sessions an edit affects and where the sessions of a workflow are.
type trafficRoutes struct {
	*routeTable
	e interface {
		Workflow(ctx context.Context, id string) (*engine.Workflow, error)
		CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
		Affected(ctx context.Context, workflow, step, path string, limit int) (*engine.Affected, error)
		WhatIf(ctx context.Context, workflow, path string, condition any, operator string, limit int) (*engine.WhatIf, error)
		Traffic(ctx context.Context, workflow string, since time.Time, limit int) (*engine.Traffic, error)
		Standing(ctx context.Context, workflow string) (*engine.Standing, error)
		Lanes(ctx context.Context, workflow string, limit int) ([]engine.Lane, error)
	}
}

// batchRoutes start batches and read their results.
type batchRoutes struct {
	*routeTable
	e         Batches
	heartbeat time.Duration
}

// evalRoutes explain references and conditions on a stored session.
type evalRoutes struct {
	*routeTable
	e Evaluation
}

// operatingRoutes describe the server, its store, its engines and its functions, and remove old sessions.
type operatingRoutes struct {
	*routeTable
	e interface {
		Doctor(ctx context.Context) ([]engine.Finding, error)
		Engines(ctx context.Context) ([]engine.EngineInfo, error)
		Retention() *retention.Service
		State(ctx context.Context, id string) ([]byte, int64, error)
		Registry() *engine.Registry
		Store() engine.Store
	}
	browser  string                  // address of Neo4j Browser, if known
	findings func() []engine.Finding // of the program that serves; nil for none
}

// settingRoutes keep profiles, variables and secrets.
type settingRoutes struct {
	*routeTable
	vault Vault
}

// tokenRoutes make, list and revoke tokens.
type tokenRoutes struct {
	*routeTable
	tokens Tokens
}
