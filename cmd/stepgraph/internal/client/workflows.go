package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// Workflows lists all workflows.
func (c *Client) Workflows(ctx context.Context) ([]engine.WorkflowInfo, error) {
	all := []engine.WorkflowInfo{}
	query := url.Values{"limit": {"500"}}
	for {
		var list api.Page[engine.WorkflowInfo]
		if err := c.do(ctx, request{method: http.MethodGet, path: path("workflows"), query: query}, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if list.Next == "" {
			return all, nil
		}
		query.Set("cursor", list.Next)
	}
}

// Workflow returns a workflow with what is wrong with it.
func (c *Client) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	var w engine.Workflow
	if err := c.do(ctx, request{method: http.MethodGet, path: path("workflows", id)}, &w); err != nil {
		return nil, err
	}
	return &w, nil
}

// Export returns a workflow as a file of a format.
func (c *Client) Export(ctx context.Context, id, format string) ([]byte, error) {
	var text []byte
	err := c.do(ctx, request{method: http.MethodGet, path: path("workflows", id, "export"), query: url.Values{"format": {format}}}, &text)
	return text, err
}

// PutWorkflow makes the stored workflow the given one.
func (c *Client) PutWorkflow(ctx context.Context, w *engine.Workflow) (*engine.Difference, error) {
	body := *w
	body.Problems = nil
	body.Steps = append([]engine.Step{}, w.Steps...) // an empty list, never null
	body.Paths = append([]engine.Path{}, w.Paths...)
	for i := range body.Paths {
		if !body.Paths[i].Stored {
			body.Paths[i].ID = "" // a name it goes by, which would become a stored id
		}
	}
	var d engine.Difference
	if err := c.do(ctx, request{method: http.MethodPut, path: path("workflows", w.ID), body: body}, &d); err != nil {
		return nil, err
	}
	return &d, nil
}

// Functions lists what steps may call there.
func (c *Client) Functions(ctx context.Context) ([]api.Function, error) {
	var list api.Page[api.Function]
	err := c.do(ctx, request{method: http.MethodGet, path: path("functions")}, &list)
	return list.Items, err
}
