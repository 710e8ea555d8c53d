// Package wire posts requests to model servers: one JSON body out, one answer back, whole or
// as server-sent events. It exists because the vendors' own libraries made 37 of the 83 MB of
// the binary for what is two calls and a stream here. It does not retry and reads nothing
// from the environment.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/stepgraph/stepgraph/internal/callkey"
	"github.com/stepgraph/stepgraph/models"
)

// An Endpoint is where requests of one kind go.
type Endpoint struct {
	URL     *url.URL
	Header  http.Header  // sent with every request
	HTTP    *http.Client // models.HTTPClient if nil
	MaxBody int64        // largest answer in bytes; models.MaxBody if 0
}

// A StatusError is an answer with a status of 400 and above.
type StatusError struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error names the status. The body may quote a key, so it is left out.
func (e *StatusError) Error() string { return fmt.Sprintf("HTTP status %d", e.Status) }

// Post sends a JSON body, with an idempotency key where there is one. The caller closes the
// body of the response, of which at most MaxBody bytes can be read. A status of 400 and above
// is a *StatusError; other errors are those of http.Client.Do.
func (e *Endpoint) Post(ctx context.Context, body []byte, key string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range e.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "stepgraph")
	if key != "" {
		callkey.Set(req.Header, models.HeaderValue(key))
	}
	resp, err := e.client().Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = models.LimitBody(resp.Body, e.limit())
	if resp.StatusCode < 400 {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil && len(text) == 0 {
		text = nil // the status alone still says what went wrong
	}
	return nil, &StatusError{Status: resp.StatusCode, Header: resp.Header, Body: text}
}

func (e *Endpoint) client() *http.Client {
	if e.HTTP == nil {
		return models.HTTPClient()
	}
	return e.HTTP
}

func (e *Endpoint) limit() int64 {
	if e.MaxBody == 0 {
		return models.MaxBody
	}
	return e.MaxBody
}

// Decode reads the whole answer as JSON. The error for an answer that is not JSON names its
// content type, since the usual cause is a page of some proxy.
func Decode(resp *http.Response, into any) error {
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s is not the JSON expected: %w", mediaType(resp), err)
	}
	return nil
}

// IsJSON reports whether the answer is one JSON text: a server that does not stream sends the
// whole answer in reply to a request for a stream.
func IsJSON(resp *http.Response) bool { return mediaType(resp) == "application/json" }

func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind
}

// Encode returns the JSON of a request with the fields of extra added at its end. request is
// a struct with at least one field that is always present.
func Encode(request any, extra map[string]json.RawMessage) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil || len(extra) == 0 {
		return body, err
	}
	more, err := json.Marshal(extra)
	if err != nil {
		return nil, fmt.Errorf("extra parameters: %w", err)
	}
	return append(append(body[:len(body)-1], ','), more[1:]...), nil
}
