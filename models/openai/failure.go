package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/stepgraph/stepgraph/models"
)

// failure makes a models.Error of what went wrong. answer is nil if no headers
// arrived. The library's error is not kept: it holds the request with the key.
func (c *Client) failure(ctx context.Context, answer *http.Response, err error) *models.Error {
	var inStream *ssestream.StreamError
	switch {
	case ctx.Err() != nil:
		return models.TransportError(ctx, c.name, err, c.key)
	case errors.As(err, &inStream):
		return c.streamFailure(answer, inStream)
	case answer != nil && answer.StatusCode >= 400:
		// The library has read the body and put it back.
		body, _ := io.ReadAll(answer.Body)
		return models.StatusError(c.name, answer.StatusCode, answer.Header, complaint(body).text(), c.key)
	}
	return models.TransportError(ctx, c.name, err, c.key)
}

// streamFailure is for an error that arrives after the stream has begun with 200:
// what it is called decides what its status would have been.
func (c *Client) streamFailure(answer *http.Response, err *ssestream.StreamError) *models.Error {
	said := complaint(err.Event.Data)
	status := http.StatusInternalServerError
	switch word := said.Type + " " + said.Code; {
	case strings.Contains(word, "rate_limit"), strings.Contains(word, "429"):
		status = http.StatusTooManyRequests
	case strings.Contains(word, "invalid"), strings.Contains(word, "context_length"), strings.Contains(word, "400"):
		status = http.StatusBadRequest
	}
	var header http.Header
	if answer != nil {
		header = answer.Header
	}
	return models.StatusError(c.name, status, header, said.text(), c.key)
}

// A trouble is what a server says about an error.
type trouble struct{ Message, Type, Code, Param string }

func (t trouble) text() string {
	if t.Param != "" && !strings.Contains(t.Message, t.Param) {
		return t.Message + " (parameter " + t.Param + ")"
	}
	return t.Message
}

// complaint reads the body of an error. Servers agree on little:
// {"error": {"message", "type", "code", "param"}}, {"error": "text"},
// {"message": "text"}, {"detail": …}, or a page of some proxy, whose text is of
// no use to anyone.
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

// word is a field as text: codes are texts, numbers or null.
func word(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
