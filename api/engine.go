package api

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// Engine is what the API asks of an engine; *engine.Engine is one.
type Engine interface {
	Sessions
	Steering
	History
	Workflows
	Evaluation
	Batches
	Operating
	// Registry holds the functions steps may call.
	Registry() *engine.Registry
	// Store is pinged by /readyz and keeps the audit trail.
	Store() engine.StoreView
}

// Sessions starts, finds, edits and removes sessions.
type Sessions interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	Sessions(ctx context.Context, q engine.SessionQuery) ([]engine.Session, *engine.Cursor, error)
	CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
	Search(ctx context.Context, q engine.SessionQuery) (*engine.SessionPage, error)
	SearchCount(ctx context.Context, q engine.SessionQuery, by string) (*engine.SessionCounts, error)
	SearchAwaiting(ctx context.Context, q engine.SessionQuery) (*engine.QuestionPage, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	EditState(ctx context.Context, q engine.EditRequest) (*engine.Session, error)
	DeleteSession(ctx context.Context, id string, cancel bool) error
}

// Steering moves sessions on.
type Steering interface {
	Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error)
	Act(ctx context.Context, a engine.Action) (*engine.Session, error)
	Fork(ctx context.Context, q engine.ForkRequest) (*engine.Session, error)
	Wait(ctx context.Context, id string) (*engine.Session, error)
	WaitAfter(ctx context.Context, s *engine.Session) (*engine.Session, error)
}

// History reads what happened, and follows what happens.
type History interface {
	Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error)
	Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error)
	Requests(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Request, error)
	Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error)
}

// Workflows reads and edits definitions.
type Workflows interface {
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Workflows(ctx context.Context) ([]engine.WorkflowInfo, error)
	Validate(w *engine.Workflow) []engine.Problem
	Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error)
	CheckEdit(before, after *engine.Workflow) error
	DeleteWorkflow(ctx context.Context, id, match string) error
	PutStep(ctx context.Context, workflow string, s engine.Step, match string) (*engine.Workflow, error)
	RemoveStep(ctx context.Context, workflow, step, match string) (*engine.Workflow, error)
	PutPath(ctx context.Context, workflow string, p engine.Path, match string) (*engine.Workflow, error)
	RemovePath(ctx context.Context, workflow, path, match string) (*engine.Workflow, error)
}

// Evaluation explains references and conditions on a stored session.
type Evaluation interface {
	EvalReference(ctx context.Context, q engine.ReferenceQuery) (*engine.ReferenceResult, error)
	EvalCondition(ctx context.Context, q engine.ConditionQuery) (*engine.ConditionResult, error)
}

// Batches do one action to many sessions.
type Batches interface {
	StartBatch(ctx context.Context, q engine.BatchRequest) (*engine.Batch, error)
	Batch(ctx context.Context, id string) (*engine.Batch, error)
	Batches(ctx context.Context, after engine.Cursor, limit int) ([]engine.Batch, error)
	BatchItems(ctx context.Context, id string, q engine.ItemQuery) ([]engine.BatchItem, error)
	StopBatch(ctx context.Context, id, message string) (*engine.Batch, error)
	ContinueBatch(ctx context.Context, id string) (*engine.Batch, error)
	DeleteBatch(ctx context.Context, id string) error
}

// Operating explains sessions, lists the sessions that an edit affects, and reverts edits.
type Operating interface {
	Explain(ctx context.Context, session string) (*engine.Explanation, error)
	SearchAffected(ctx context.Context, q engine.AffectedQuery) (*engine.Affected, error)
	Traffic(ctx context.Context, q engine.TrafficQuery) (*engine.Traffic, error)
	Standing(ctx context.Context, workflow string) (*engine.Standing, error)
	Lanes(ctx context.Context, workflow string, limit int) ([]engine.Lane, error)
	WhatIf(ctx context.Context, q engine.WhatIfQuery) (*engine.WhatIf, error)
	WorkflowLog(ctx context.Context, workflow, step string) ([]engine.LogEntry, error)
	DefinitionDiff(ctx context.Context, q engine.DiffQuery) ([]engine.PropertyDiff, error)
	RestoreStep(ctx context.Context, workflow, step, hash string) (*engine.Workflow, []engine.Problem, error)
	Doctor(ctx context.Context) ([]engine.Finding, error)
	Engines(ctx context.Context) ([]engine.EngineInfo, error)
	Retention() *retention.Service
	Load() engine.Load
	Working() error
}
