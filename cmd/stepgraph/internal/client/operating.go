package client

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// mostAffected is how many sessions Affected looks at where the caller names no limit.
const mostAffected = 10_000

// Affected tells whom an edit of a step, or of a path if that is not empty, would touch;
// limit bounds the sessions looked at, 0: 10,000. Where an answer is about some
// of them only, it asks for the others as well.
func (c *workflows) Affected(ctx context.Context, workflow, step, onPath string, limit int) (*engine.Affected, error) {
	kind, id := "steps", step
	if onPath != "" {
		kind, id = "paths", onPath
	}
	sum := &api.AffectedByStep{}
	for {
		left := max(0, limit-sum.Scanned)
		more, err := get[api.AffectedByStep](ctx, c.connection, page(url.Values{}, left, sum.Next), "workflows", workflow, kind, id, "affected")
		if err != nil {
			return nil, err
		}
		if sum.Step == "" {
			sum.Affected = more.Affected
		} else {
			sum.Merge(&more.Affected)
		}
		if sum.Next = more.Next; sum.Next == "" || sum.Scanned >= cmp.Or(limit, mostAffected) {
			return &sum.Affected, nil
		}
	}
}

// WhatIf tries a condition on a path.
func (c *workflows) WhatIf(ctx context.Context, workflow, onPath, condition, operator string, limit int) (*engine.WhatIf, error) {
	body := map[string]any{"condition": condition}
	if operator != "" {
		body["operator"] = operator
	}
	if limit > 0 {
		body["limit"] = limit
	}
	return send[engine.WhatIf](ctx, c.connection, request{method: http.MethodPost, path: path("workflows", workflow, "paths", onPath, "whatif"), body: body})
}

// WorkflowLog returns what the steps of a workflow, or one of them, have been.
func (c *workflows) WorkflowLog(ctx context.Context, workflow, step string) ([]engine.LogEntry, error) {
	query := url.Values{}
	if step != "" {
		query.Set("step", step)
	}
	list, err := get[api.Page[engine.LogEntry]](ctx, c.connection, query, "workflows", workflow, "log")
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// DefinitionDiff compares two texts of a step; to "" is the step as it is now.
func (c *workflows) DefinitionDiff(ctx context.Context, workflow, step, from, to string) ([]engine.PropertyDiff, error) {
	query := url.Values{"from": {from}}
	if to != "" {
		query.Set("to", to)
	}
	list, err := get[api.Page[engine.PropertyDiff]](ctx, c.connection, query, "workflows", workflow, "steps", step, "diff")
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// A Restored is a step as it is again.
type Restored struct {
	Step     json.RawMessage  `json:"step"`
	Affected api.Affected     `json:"affected"`
	Problems []engine.Problem `json:"problems"`
}

// RestoreStep makes a step what it was.
func (c *workflows) RestoreStep(ctx context.Context, workflow, step, hash string) (*Restored, error) {
	return send[Restored](ctx, c.connection, request{method: http.MethodPost, path: path("workflows", workflow, "steps", step, "restore"), body: api.RestoreBody{Hash: hash}})
}

// Stats tells where the sessions of a workflow stand.
func (c *workflows) Stats(ctx context.Context, workflow string) (*api.Stats, error) {
	return get[api.Stats](ctx, c.connection, nil, "workflows", workflow, "stats")
}

// Doctor looks for what is wrong there.
func (c *operating) Doctor(ctx context.Context) ([]engine.Finding, error) {
	found, err := get[api.Findings](ctx, c.connection, nil, "doctor")
	if err != nil {
		return nil, err
	}
	return found.Findings, nil
}

// Engines lists the engines on the store.
func (c *operating) Engines(ctx context.Context) ([]engine.EngineInfo, error) {
	found, err := get[api.Engines](ctx, c.connection, nil, "engines")
	if err != nil {
		return nil, err
	}
	return found.Items, nil
}

// An Edited is a step or path after an edit, with whom it touches.
type Edited struct {
	Step     json.RawMessage `json:"step,omitempty"`
	Path     json.RawMessage `json:"path,omitempty"`
	Affected api.Affected    `json:"affected"`
}

// Parts of a workflow that can be edited individually.
const (
	Steps = "steps"
	Paths = "paths"
)

// Add adds a step or path.
func (c *workflows) Add(ctx context.Context, workflow, part string, properties map[string]any) (*Edited, error) {
	return send[Edited](ctx, c.connection, request{method: http.MethodPost, path: path("workflows", workflow, part), body: properties})
}

// Change changes properties of a step or path; nil removes one.
func (c *workflows) Change(ctx context.Context, workflow, part, id string, properties map[string]any) (*Edited, error) {
	return send[Edited](ctx, c.connection, request{method: http.MethodPatch, path: path("workflows", workflow, part, id), body: properties})
}

// Remove removes a step with its paths, or a path.
func (c *workflows) Remove(ctx context.Context, workflow, part, id string) (*Edited, error) {
	return send[Edited](ctx, c.connection, request{method: http.MethodDelete, path: path("workflows", workflow, part, id)})
}

// DeleteWorkflow removes a workflow; its sessions stay.
func (c *workflows) DeleteWorkflow(ctx context.Context, workflow string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("workflows", workflow)}, nil)
}
