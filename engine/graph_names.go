package engine

import "github.com/stepgraph/stepgraph/engine/graph"

// These are aliases of package graph, so that a program that only embeds the engine needs one
// import.
type (
	Definition       = graph.Definition
	Fault            = graph.Fault
	Limits           = graph.Limits
	Path             = graph.Path
	PathKind         = graph.PathKind
	Settings         = graph.Settings
	Step             = graph.Step
	StoredDefinition = graph.StoredDefinition
	Workflow         = graph.Workflow
)

// Constants of package graph.
const (
	Contains           = graph.Contains
	DefaultEntry       = graph.DefaultEntry
	DefaultWorkflow    = graph.DefaultWorkflow
	DefaultPriority    = graph.DefaultPriority
	LastPriority       = graph.LastPriority
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

// Compile is graph.Compile.
func Compile(w *Workflow) *Definition {
	return graph.Compile(w)
}

// PathFromProperties is graph.PathFromProperties.
func PathFromProperties(kind PathKind, source string, target string, p map[string]any) (Path, []Problem) {
	return graph.PathFromProperties(kind, source, target, p)
}

// StepFromProperties is graph.StepFromProperties.
func StepFromProperties(p map[string]any) (Step, []Problem) {
	return graph.StepFromProperties(p)
}

// Validate is graph.Validate.
func Validate(w *Workflow, registry *Registry) []Problem {
	return graph.Validate(w, registry)
}
