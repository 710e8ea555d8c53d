package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/stepgraph/stepgraph/models"
)

// failure makes a models.Error of what went wrong. answer is nil if no headers
// arrived. The library's error is not kept: it holds the request with the key.
func (c *Client) failure(ctx context.Context, answer *http.Response, err error) *models.Error {
	var inStream *anthropic.Error
	switch {
	case ctx.Err() != nil:
		return models.TransportError(ctx, c.name, err, c.key)
	case answer != nil && answer.StatusCode >= 400:
		// The library has read the body and put it back.
		body, _ := io.ReadAll(answer.Body)
		message, _ := complaint(body)
		return models.StatusError(c.name, answer.StatusCode, answer.Header, message, c.key)
	case errors.As(err, &inStream):
		return c.streamFailure(inStream)
	}
	return models.TransportError(ctx, c.name, err, c.key)
}

// statuses are what the types of errors would have been as a status, for errors
// that arrive after the stream has begun with 200.
var statuses = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "timeout_error": 504, "overloaded_error": 529,
}

func (c *Client) streamFailure(err *anthropic.Error) *models.Error {
	message, kind := complaint([]byte(err.RawJSON()))
	status, ok := statuses[kind]
	if !ok {
		status = http.StatusInternalServerError
	}
	return models.StatusError(c.name, status, nil, message, c.key)
}

// complaint reads the body of an error: {"error": {"type", "message"}}, or the
// text of some proxy unless it is a page.
func complaint(body []byte) (message, kind string) {
	var said struct {
		Error struct{ Type, Message string }
	}
	if err := json.Unmarshal(body, &said); err == nil {
		return said.Error.Message, said.Error.Type
	}
	if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
		return text, ""
	}
	return "", ""
}
