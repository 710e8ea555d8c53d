package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sort"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

// AtWorkflow is embedded by what is addressed by a workflow.
type AtWorkflow struct {
	Workflow string `path:"workflow"`
}

type workflowOut struct {
	ETag string `header:"ETag" doc:"hash of everything people can edit in it"`
	Body Workflow
}

// Forced is embedded by edits that are refused where they bring an error.
type Forced struct {
	Force bool `query:"force" doc:"true: store it even if it has errors, which are listed in the answer"`
}

type putWorkflowIn struct {
	AtWorkflow
	Match
	Forced
	DryRun bool `query:"dry_run" doc:"true: answer what would change and what is wrong with it, and store nothing"`
	Body   Workflow
}

type deleteWorkflowIn struct {
	AtWorkflow
	Match
}

type differenceOut struct {
	Status int
	ETag   string `header:"ETag"`
	Body   engine.Difference
}

func (r *workflowRoutes) registerWorkflows() {
	register(r.routeTable, operation{id: "listWorkflows", method: http.MethodGet, path: "/api/v1/workflows", tag: tagWorkflows,
		summary: "List workflows by id", problems: []string{"bad_request"}}, r.listWorkflows)
	register(r.routeTable, operation{id: "getWorkflow", method: http.MethodGet, path: "/api/v1/workflows/{workflow}", tag: tagWorkflows,
		summary: "Read a workflow, with what is wrong with it", problems: []string{"workflow_not_found"}}, r.getWorkflow)
	register(r.routeTable, operation{id: "putWorkflow", method: http.MethodPut, path: "/api/v1/workflows/{workflow}", tag: tagWorkflows,
		summary: "Make a workflow the one given", limit: largeLimit,
		about: "What is not in it is removed, what is equal is not touched. Answers what changed: 201 when it is new, else 200. " +
			"Running sessions use it from their next wave on. `problems` lists what is wrong with it. A workflow with errors is refused unless `force` is true, in the query or in the body.",
		problems: []string{"version_mismatch", "workflow_not_found", "workflow_invalid", "path_refused"}}, r.putWorkflow)
	register(r.routeTable, operation{id: "deleteWorkflow", method: http.MethodDelete, path: "/api/v1/workflows/{workflow}", tag: tagWorkflows,
		summary: "Remove a workflow with its steps", about: "Its sessions stay.",
		problems: []string{"workflow_not_found", "version_mismatch"}}, r.deleteWorkflow)
}

func (r *workflowRoutes) listWorkflows(ctx context.Context, in *struct{ Paged }) (*pageOut[engine.WorkflowInfo], error) {
	at, err := readCursor("workflows", in.Cursor)
	if err != nil {
		return nil, err
	}
	all, err := r.e.Workflows(ctx)
	if err != nil {
		return nil, err
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	first := sort.Search(len(all), func(i int) bool { return in.Cursor == "" || all[i].ID > at.ID })
	page, next := all[first:], ""
	if len(page) > in.Limit {
		page = page[:in.Limit]
		next = cursor{List: "workflows", ID: page[in.Limit-1].ID}.String()
	}
	return pageOf(page, next), nil
}

func (r *workflowRoutes) getWorkflow(ctx context.Context, in *AtWorkflow) (*workflowOut, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	body, err := workflowOf(w, r.e.Validate(w))
	if err != nil {
		return nil, err
	}
	return &workflowOut{quoteTag(w.ETag()), body}, nil
}

func (r *workflowRoutes) putWorkflow(ctx context.Context, in *putWorkflowIn) (*differenceOut, error) {
	before, err := r.workflowOrNil(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	if before != nil && in.tag() != "" && in.tag() != before.ETag() { // also where nothing would change
		return nil, engine.ErrVersionMismatch
	}
	w, err := in.Body.definition(in.Workflow, before)
	if err != nil {
		return nil, err
	}
	if p, reason := formats.RefusesChange(before, w); reason != "" {
		return nil, fmt.Errorf("%w: path from %q to %q: %s", errPathRefused, p.Source, p.Target, reason)
	}
	diff, err := r.e.Put(ctx, w, engine.PutOptions{Match: in.tag(), Force: in.Force || in.Body.Force, DryRun: in.DryRun})
	if err != nil {
		return nil, pointed(err, in.Body.pointers())
	}
	out := &differenceOut{Status: http.StatusOK, ETag: quoteTag(diff.ETag), Body: *diff}
	if before == nil && !in.DryRun {
		out.Status = http.StatusCreated
	}
	return out, nil
}

func (r *workflowRoutes) workflowOrNil(ctx context.Context, id string) (*engine.Workflow, error) {
	w, err := r.e.Workflow(ctx, id)
	if errors.Is(err, engine.ErrWorkflowNotFound) {
		return nil, nil
	}
	return w, err
}

func (r *workflowRoutes) deleteWorkflow(ctx context.Context, in *deleteWorkflowIn) (*empty, error) {
	return nil, r.e.DeleteWorkflow(ctx, in.Workflow, in.tag())
}
