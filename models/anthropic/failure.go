package anthropic

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// statuses maps error types to the HTTP status that they stand for, for errors that arrive in
// a stream after status 200.
var statuses = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "timeout_error": 504, "overloaded_error": 529,
}

// inStream returns an error event of a stream.
func inStream(kind, message string) *wire.Refusal {
	return &wire.Refusal{Status: cmp.Or(statuses[kind], http.StatusInternalServerError), Message: message}
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
