package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// A streamError is an error event inside a stream that has begun with status 200.
type streamError struct{ Type, Message string }

func (e *streamError) Error() string { return "error in the stream: " + e.Type }

// statuses maps error types to the HTTP status that they stand for, for errors that arrive in
// a stream after status 200.
var statuses = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "timeout_error": 504, "overloaded_error": 529,
}

// failure converts an error to a models.Error.
func (c *Client) failure(ctx context.Context, err error) *models.Error {
	var refused *wire.StatusError
	var inStream *streamError
	switch {
	case ctx.Err() != nil:
		return models.TransportError(ctx, c.name, err, c.key)
	case errors.As(err, &refused):
		return models.StatusError(c.name, refused.Status, refused.Header, complaint(refused.Body), c.key)
	case errors.As(err, &inStream):
		status, ok := statuses[inStream.Type]
		if !ok {
			status = http.StatusInternalServerError
		}
		return models.StatusError(c.name, status, nil, inStream.Message, c.key)
	}
	return models.TransportError(ctx, c.name, err, c.key)
}

// complaint returns the message in an error body: {"error": {"type", "message"}}, or the text
// of a proxy unless it is an HTML page.
func complaint(body []byte) string {
	var said struct {
		Error struct{ Message string }
	}
	if err := json.Unmarshal(body, &said); err == nil {
		return said.Error.Message
	}
	if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
		return text
	}
	return ""
}
