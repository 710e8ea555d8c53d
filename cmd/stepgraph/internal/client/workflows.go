package client

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// Workflows lists all workflows.
func (c *Client) Workflows(ctx context.Context) ([]engine.WorkflowInfo, error) {
	var list page[engine.WorkflowInfo]
	err := c.do(ctx, request{method: http.MethodGet, path: path("workflows")}, &list)
	return list.Items, err
}

// Workflow returns a workflow.
func (c *Client) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	var w engine.Workflow
	if err := c.do(ctx, request{method: http.MethodGet, path: path("workflows", id)}, &w); err != nil {
		return nil, err
	}
	return &w, nil
}

// PutWorkflow makes the stored workflow the given one.
func (c *Client) PutWorkflow(ctx context.Context, w *engine.Workflow) (*engine.Difference, error) {
	var d engine.Difference
	if err := c.do(ctx, request{method: http.MethodPut, path: path("workflows", w.ID), body: w}, &d); err != nil {
		return nil, err
	}
	return &d, nil
}

// Functions lists what steps may call there.
func (c *Client) Functions(ctx context.Context) ([]*engine.Spec, error) {
	var list page[*engine.Spec]
	err := c.do(ctx, request{method: http.MethodGet, path: path("functions")}, &list)
	return list.Items, err
}
