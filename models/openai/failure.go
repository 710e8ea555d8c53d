package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// A streamError is an error that the server sends inside a stream, after it has begun with
// status 200.
type streamError struct {
	header http.Header
	body   []byte
}

func (e *streamError) Error() string { return "error in the stream" }

// failure returns the models.Error for what went wrong.
func (c *Client) failure(ctx context.Context, err error) *models.Error {
	var refused *wire.StatusError
	var inStream *streamError
	switch {
	case ctx.Err() != nil:
		return models.TransportError(ctx, c.name, err, c.key)
	case errors.As(err, &inStream):
		return c.streamFailure(inStream)
	case errors.As(err, &refused):
		return models.StatusError(c.name, refused.Status, refused.Header, complaint(refused.Body).text(), c.key)
	}
	return models.TransportError(ctx, c.name, err, c.key)
}

// streamFailure derives from the error's type and code which status it would have had.
func (c *Client) streamFailure(err *streamError) *models.Error {
	said := complaint(err.body)
	status := http.StatusInternalServerError
	switch word := said.Type + " " + said.Code; {
	case strings.Contains(word, "rate_limit"), strings.Contains(word, "429"):
		status = http.StatusTooManyRequests
	case strings.Contains(word, "invalid"), strings.Contains(word, "context_length"), strings.Contains(word, "400"):
		status = http.StatusBadRequest
	}
	return models.StatusError(c.name, status, err.header, said.text(), c.key)
}

// A trouble is the content of a server's error response.
type trouble struct{ Message, Type, Code, Param string }

func (t trouble) text() string {
	if t.Param != "" && !strings.Contains(t.Message, t.Param) {
		return t.Message + " (parameter " + t.Param + ")"
	}
	return t.Message
}

// complaint reads an error body. Servers use {"error": {"message", "type", "code", "param"}},
// {"error": "text"}, {"message": "text"}, {"detail": …}, or an HTML page of a proxy, whose
// text is not used.
func complaint(body []byte) trouble {
	var said struct{ Error, Message, Detail json.RawMessage }
	if json.Unmarshal(body, &said) != nil {
		if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
			return trouble{Message: text}
		}
		return trouble{}
	}
	var object struct{ Message, Type, Code, Param any }
	if json.Unmarshal(said.Error, &object) == nil {
		return trouble{word(object.Message), word(object.Type), word(object.Code), word(object.Param)}
	}
	for _, field := range []json.RawMessage{said.Error, said.Message, said.Detail} {
		if len(field) > 0 {
			return trouble{Message: strings.Trim(string(field), `"`)}
		}
	}
	return trouble{}
}

// word returns a field as text: codes are texts, numbers or null.
func word(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
