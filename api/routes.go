package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// A routeTable is what the routes of all resources share: the document that register adds an
// operation to, and the log for errors that are in no row of the problem table. The resources
// below embed it. Besides, each holds only the part of the engine that its handlers call.
type routeTable struct {
	api     huma.API
	log     *slog.Logger
	actions map[string]string // operation by method and route
	answers *answerStore      // answers of requests with an Idempotency-Key that the engine does not keep
}

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
	streams   prometheus.Gauge
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

// registerAll adds every operation of the API. The order is that of the document.
func (s *server) registerAll() {
	t := s.routeTable
	workflows := workflowRoutes{t, s.e}
	graph := graphRoutes{t, s.e}
	traffic := trafficRoutes{t, s.e}
	sessions := sessionRoutes{t, s.e}
	history := historyRoutes{t, s.e, s.o.Heartbeat, s.metrics.streams}
	batches := batchRoutes{t, s.e, s.o.Heartbeat}
	settings := settingRoutes{t, s.o.Vault}
	tokens := tokenRoutes{t, s.o.Tokens}
	eval := evalRoutes{t, s.e}
	operating := operatingRoutes{t, s.e, s.o.Neo4jBrowser, s.o.Findings}

	workflows.registerWorkflows()
	workflows.registerTransfer()
	graph.registerSteps()
	graph.registerPaths()
	operating.registerFunctions()
	settings.registerProfiles()
	settings.registerVariables()
	settings.registerSecrets()
	sessions.registerSessions()
	sessions.registerState()
	history.registerHistory()
	history.registerEvents()
	sessions.registerAnswer()
	sessions.registerSteering()
	sessions.registerAwaiting()
	eval.registerEval()
	sessions.registerFork()
	sessions.registerExplain()
	sessions.registerRequests()
	batches.registerBatches()
	batches.registerBatchResults()
	traffic.registerAffected()
	graph.registerWorkflowLog()
	traffic.registerStats()
	traffic.registerTraffic()
	history.registerUsage()
	operating.registerServer()
	operating.registerDoctor()
	operating.registerEngines()
	operating.registerAudit()
	tokens.registerTokens()
	operating.registerPrune()
}
