package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stepgraph/stepgraph/api"
)

// Settings lists profiles, variables or secrets: kind is what their route is called. Each is
// the object that the API gives.
func (c *operating) Settings(ctx context.Context, kind string) ([]json.RawMessage, error) {
	var list api.Page[json.RawMessage]
	err := c.do(ctx, request{method: http.MethodGet, path: path(kind)}, &list)
	return list.Items, err
}

// Setting is one of them.
func (c *operating) Setting(ctx context.Context, kind, name string) (json.RawMessage, error) {
	var one json.RawMessage
	err := c.do(ctx, request{method: http.MethodGet, path: path(kind, name)}, &one)
	return one, err
}

// PutSetting sets one of them and returns it as Setting does.
func (c *operating) PutSetting(ctx context.Context, kind, name string, body any) (json.RawMessage, error) {
	var one json.RawMessage
	err := c.do(ctx, request{method: http.MethodPut, path: path(kind, name), body: body}, &one)
	return one, err
}

// DeleteSetting removes one of them.
func (c *operating) DeleteSetting(ctx context.Context, kind, name string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path(kind, name)}, nil)
}
