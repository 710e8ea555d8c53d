package engine

import "github.com/stepgraph/stepgraph/engine/graph"

// These are aliases of package graph, so that a program that only embeds the engine needs one
// import.
type (
	Limits   = graph.Limits
	Path     = graph.Path
	PathKind = graph.PathKind
	Settings = graph.Settings
	Step     = graph.Step
	Workflow = graph.Workflow
)

// Constants of package graph.
const (
	Contains           = graph.Contains
	DefaultEntry       = graph.DefaultEntry
	DefaultWorkflow    = graph.DefaultWorkflow
	HistoryErrors      = graph.HistoryErrors
	HistoryFull        = graph.HistoryFull
	HistoryNone        = graph.HistoryNone
	JoinAll            = graph.JoinAll
	JoinAny            = graph.JoinAny
	JoinRequired       = graph.JoinRequired
	Next               = graph.Next
	OnErrorContinue    = graph.OnErrorContinue
	OnErrorFailSession = graph.OnErrorFailSession
	OnErrorStopPath    = graph.OnErrorStopPath
	Tool               = graph.Tool
)

// Validate is graph.Validate.
func Validate(w *Workflow, registry *Registry) []Problem {
	return graph.Validate(w, registry)
}
