package api

import (
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// sessionRoutes start, read, answer, steer and remove sessions.
type sessionRoutes struct {
	*routeTable
	e interface {
		Sessions
		Steering
		History
		Operating
	}
}

// historyRoutes read the history of a session and follow its events.
type historyRoutes struct {
	*routeTable
	e interface {
		History
		Sessions
		Workflows
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
		Sessions
		Operating
	}
}

// trafficRoutes report which sessions an edit affects and where the sessions of a workflow are.
type trafficRoutes struct {
	*routeTable
	e interface {
		Workflows
		Sessions
		Operating
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
	e        Engine
	browser  string                  // address of Neo4j Browser, if known
	findings func() []engine.Finding // of the program that serves; nil for none
}

// tokenRoutes make, list and revoke tokens.
type tokenRoutes struct {
	*routeTable
	tokens Tokens
}
