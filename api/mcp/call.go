package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// A Call is one request to the API.
type Call struct {
	Method string
	Path   string // escaped
	Query  url.Values
	Key    string          // Idempotency-Key; "" for none
	Body   json.RawMessage // nil for none
}

// URL is the address of the request below base.
func (c Call) URL(base string) string {
	if len(c.Query) == 0 {
		return base + c.Path
	}
	return base + c.Path + "?" + c.Query.Encode()
}

// Header is the header of the request, without what says who makes it.
func (c Call) Header() http.Header {
	h := http.Header{}
	if c.Body != nil {
		h.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		h.Set("Idempotency-Key", c.Key)
	}
	return h
}

// A Caller makes requests to the API. It returns the body of a success. The text of its errors is
// shown to the model.
type Caller func(ctx context.Context, c Call) (json.RawMessage, error)
