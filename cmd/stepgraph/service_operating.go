package main

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

// batches is what commands ask of an engine about many sessions at once.
type batches interface {
	StartBatch(ctx context.Context, b *api.BatchBody, lines io.Reader, key string) (*api.Batch, error)
	Batch(ctx context.Context, id string) (*api.Batch, error)
	Batches(ctx context.Context, limit int, after string) (*api.Page[api.Batch], error)
	BatchResults(ctx context.Context, id string, failed, follow bool) (io.ReadCloser, error)
	StopBatch(ctx context.Context, id, reason string) (*api.Batch, error)
	ContinueBatch(ctx context.Context, id string) (*api.Batch, error)
	DeleteBatch(ctx context.Context, id string) error
}

// operating is what operators look for, edit and take back.
type operating interface {
	Fork(ctx context.Context, q engine.ForkRequest, wait time.Duration) (*api.Session, error)
	Explain(ctx context.Context, id string) (*engine.Explanation, error)
	EvalReference(ctx context.Context, session, text string, whole bool) (*engine.ReferenceResult, error)
	EvalCondition(ctx context.Context, session, condition, operator string) (*engine.ConditionResult, error)
	Requests(id string) *client.Trail[api.Request]
	CountSessions(ctx context.Context, q engine.SessionQuery, by string) (*api.Counts, error)
	Awaiting(ctx context.Context, q engine.SessionQuery, after string) (*api.Page[engine.Question], error)
	Affected(ctx context.Context, workflow, step, onPath string, limit int) (*engine.Affected, error)
	WhatIf(ctx context.Context, workflow, onPath, condition, operator string, limit int) (*engine.WhatIf, error)
	WorkflowLog(ctx context.Context, workflow, step string) ([]engine.LogEntry, error)
	DefinitionDiff(ctx context.Context, workflow, step, from, to string) ([]engine.PropertyDiff, error)
	RestoreStep(ctx context.Context, workflow, step, hash string) (*client.Restored, error)
	Stats(ctx context.Context, workflow string) (*api.Stats, error)
	Add(ctx context.Context, workflow, part string, properties map[string]any) (*client.Edited, error)
	Change(ctx context.Context, workflow, part, id string, properties map[string]any) (*client.Edited, error)
	Remove(ctx context.Context, workflow, part, id string) (*client.Edited, error)
	DeleteWorkflow(ctx context.Context, workflow string) error
	Settings(ctx context.Context, kind string) ([]json.RawMessage, error)
	Setting(ctx context.Context, kind, name string) (json.RawMessage, error)
	PutSetting(ctx context.Context, kind, name string, body any) (json.RawMessage, error)
	DeleteSetting(ctx context.Context, kind, name string) error
	Audit(ctx context.Context, q engine.AuditQuery, after string) (*api.Page[api.AuditEntry], error)
	Doctor(ctx context.Context) ([]engine.Finding, error)
	Engines(ctx context.Context) ([]engine.EngineInfo, error)
	retention.Source
	EndPrune(ctx context.Context, owner string) error
}
