package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stepgraph/stepgraph/api/mcp"
)

// Call makes the request of an MCP tool and returns the body of its success.
func (c *Client) Call(ctx context.Context, q mcp.Call) (json.RawMessage, error) {
	r := request{method: q.Method, path: q.Path, query: q.Query, key: q.Key}
	if q.Body != nil {
		r.body = q.Body
	}
	var body []byte
	err := c.do(ctx, r, &body)
	return body, err
}

// Document returns the OpenAPI document of the server.
func (c *Client) Document(ctx context.Context) ([]byte, error) {
	var text []byte
	err := c.do(ctx, request{method: http.MethodGet, path: "/openapi.json"}, &text)
	return text, err
}
