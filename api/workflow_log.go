package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

type logIn struct {
	AtWorkflow
	Step string `query:"step" doc:"of one step only"`
}

type diffIn struct {
	AtStep
	From string `query:"from" required:"true" doc:"hash of a text the step has had, or its first six characters or more"`
	To   string `query:"to" doc:"another one; the step as it is now when left out"`
}

// RestoreBody goes with restore.
type RestoreBody struct {
	Hash string `json:"hash" minLength:"6" doc:"of the text the step had, or its first six characters or more"`
}

type restoreIn struct {
	AtStep
	Keyed
	Body RestoreBody
}

// RestoredStep is a step as it is again.
type RestoredStep struct {
	Step     Step              `json:"step"`
	Affected Affected          `json:"affected"`
	Problems []workflowProblem `json:"problems" doc:"paths that lead to steps that are gone: they were not restored"`
}

type restoredOut struct {
	ETag string `header:"ETag" doc:"of the workflow after the edit"`
	Body RestoredStep
}

// Problems are the problems of a workflow.
type Problems struct {
	Problems []workflowProblem `json:"problems"`
}

func (r *graphRoutes) registerWorkflowLog() {
	register(r.routeTable, operation{id: "validateWorkflow", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/validate", tag: tagWorkflows,
		summary: "Find what is wrong with a workflow", problems: []string{"workflow_not_found"}}, r.validate)
	register(r.routeTable, operation{id: "workflowLog", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/log", tag: tagOperating,
		summary:  "See what the steps of a workflow have been, the oldest first",
		about:    "A version of a step, with its outgoing paths, is recorded when an engine first reads it, whoever edited it.",
		problems: []string{"workflow_not_found"}}, r.workflowLog)
	register(r.routeTable, operation{id: "diffStep", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/steps/{step}/diff", tag: tagOperating,
		summary: "Compare two texts that a step has had", problems: []string{"step_not_found"}}, r.diffStep)
	register(r.routeTable, operation{id: "restoreStep", method: http.MethodPost, path: "/api/v1/workflows/{workflow}/steps/{step}/restore", tag: tagOperating,
		summary: "Restore an earlier version of a step", about: "Restores its properties and outgoing paths, not its position on the canvas. A removed step is added again.",
		replay: true, problems: []string{"step_not_found", "version_mismatch"}}, r.restoreStep)
}

func (r *graphRoutes) validate(ctx context.Context, in *AtWorkflow) (*struct{ Body Problems }, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Problems }{Problems{wireProblems(r.e.Validate(w))}}, nil
}

func (r *graphRoutes) workflowLog(ctx context.Context, in *logIn) (*pageOut[engine.LogEntry], error) {
	entries, err := r.e.WorkflowLog(ctx, in.Workflow, in.Step)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		entries[i].FirstSeen = entries[i].FirstSeen.UTC()
	}
	return pageOf(entries, ""), nil
}

func (r *graphRoutes) diffStep(ctx context.Context, in *diffIn) (*pageOut[engine.PropertyDiff], error) {
	changes, err := r.e.DefinitionDiff(ctx, engine.DiffQuery{Workflow: in.Workflow, Step: in.Step, From: in.From, To: in.To})
	if err != nil {
		return nil, err
	}
	return pageOf(changes, ""), nil
}

func (r *graphRoutes) restoreStep(ctx context.Context, in *restoreIn) (*restoredOut, error) {
	after, problems, err := r.e.RestoreStep(ctx, in.Workflow, in.Step, in.Body.Hash)
	if err != nil {
		return nil, err
	}
	edited, err := r.editedStep(ctx, after, in.Step)
	if err != nil {
		return nil, err
	}
	return &restoredOut{edited.ETag, RestoredStep{edited.Body.Step, edited.Body.Affected, wireProblems(problems)}}, nil
}

func wireProblems(list []engine.Problem) []workflowProblem {
	out := make([]workflowProblem, len(list))
	for i, p := range list {
		out[i] = workflowProblem(p)
	}
	return out
}
