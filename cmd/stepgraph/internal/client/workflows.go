package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/native"
)

// Workflows lists all workflows.
func (c *workflows) Workflows(ctx context.Context) ([]engine.WorkflowInfo, error) {
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

// Workflow returns a workflow. It comes as the document that export writes, because that
// tells ids that are stored from names that paths go by.
func (c *workflows) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	if c.engine != nil {
		return c.engine.Workflow(ctx, id)
	}
	text, err := c.Export(ctx, id, "json")
	if err != nil {
		return nil, err
	}
	w, _, err := native.Read(id, text)
	if err != nil {
		return nil, fmt.Errorf("workflow %s of %s: %w", id, c.base, err)
	}
	w.Normalize()
	return w, nil
}

// Problems returns what is wrong with a workflow, by the functions of that engine.
func (c *workflows) Problems(ctx context.Context, id string) ([]engine.Problem, error) {
	var w struct {
		Problems []engine.Problem `json:"problems"`
	}
	err := c.do(ctx, request{method: http.MethodGet, path: path("workflows", id)}, &w)
	return w.Problems, err
}

// Export returns a workflow as a file of a format.
func (c *workflows) Export(ctx context.Context, id, format string) ([]byte, error) {
	var text []byte
	err := c.do(ctx, request{method: http.MethodGet, path: path("workflows", id, "export"), query: url.Values{"format": {format}}}, &text)
	return text, err
}

// Put makes the stored workflow the given one.
func (c *workflows) Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error) {
	if c.engine != nil {
		return c.engine.Put(ctx, w, o)
	}
	body := *w
	body.Problems = nil
	body.Steps = append([]engine.Step{}, w.Steps...) // an empty list, never null
	body.Paths = append([]engine.Path{}, w.Paths...)
	for i := range body.Paths {
		if !body.Paths[i].Stored {
			body.Paths[i].ID = "" // a name it goes by, which would become a stored id
		}
	}
	query := url.Values{}
	if o.Force {
		query.Set("force", "true")
	}
	if o.DryRun {
		query.Set("dry_run", "true")
	}
	var d engine.Difference
	if err := c.do(ctx, request{method: http.MethodPut, path: path("workflows", w.ID), query: query, body: body}, &d); err != nil {
		return nil, err
	}
	return &d, nil
}

// Functions lists what steps may call there.
func (c *workflows) Functions(ctx context.Context) ([]api.Function, error) {
	var list api.Page[api.Function]
	err := c.do(ctx, request{method: http.MethodGet, path: path("functions")}, &list)
	return list.Items, err
}
