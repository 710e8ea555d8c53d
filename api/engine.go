package api

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// Engine is what the API asks of an engine; *engine.Engine is one.
type Engine interface {
	Sessions
	Steering
	History
	Workflows
	Evaluation
	// Registry holds the functions steps may call.
	Registry() *engine.Registry
	// Store is pinged by /readyz.
	Store() engine.Store
}

// Sessions starts, finds, edits and removes sessions.
type Sessions interface {
	Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error)
	Session(ctx context.Context, id string) (*engine.Session, error)
	Sessions(ctx context.Context, q engine.SessionQuery) ([]engine.Session, *engine.Cursor, error)
	CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error)
	Awaiting(ctx context.Context, q engine.SessionQuery) ([]engine.Question, *engine.Cursor, error)
	State(ctx context.Context, id string) ([]byte, int64, error)
	EditState(ctx context.Context, id string, version int64, text []byte, by string) (*engine.Session, error)
	DeleteSession(ctx context.Context, id string, cancel bool) error
}

// Steering moves sessions on.
type Steering interface {
	Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error)
	Act(ctx context.Context, a engine.Action) (*engine.Session, error)
	Wait(ctx context.Context, id string) (*engine.Session, error)
}

// History reads what happened, and follows what happens.
type History interface {
	Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error)
	Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error)
	Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error)
}

// Workflows reads and edits definitions.
type Workflows interface {
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Workflows(ctx context.Context) ([]engine.WorkflowInfo, error)
	Validate(w *engine.Workflow) []engine.Problem
	PutWorkflow(ctx context.Context, w *engine.Workflow, match string) (*engine.Difference, error)
	DeleteWorkflow(ctx context.Context, id, match string) error
	PutStep(ctx context.Context, workflow string, s engine.Step, match string) (*engine.Workflow, error)
	RemoveStep(ctx context.Context, workflow, step, match string) (*engine.Workflow, error)
	PutPath(ctx context.Context, workflow string, p engine.Path, match string) (*engine.Workflow, error)
	RemovePath(ctx context.Context, workflow, path, match string) (*engine.Workflow, error)
}

// Evaluation explains references and conditions on a stored session.
type Evaluation interface {
	EvalReference(ctx context.Context, session, text string, whole bool) (*engine.ReferenceResult, error)
	EvalCondition(ctx context.Context, session string, condition any, operator string) (*engine.ConditionResult, error)
}
