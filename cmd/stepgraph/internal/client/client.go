// Package client speaks to a running engine over its HTTP API, with the methods and the
// errors of package engine: a caller need not know whether an engine is its own.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// How long a server may take to say that it is there, and then to be ready.
const (
	aliveWithin  = 3 * time.Second
	readyWithin  = 20 * time.Second
	askAgainWhen = 50 * time.Millisecond
)

// starting is what /healthz says until the API answers.
const starting = "alive"

const ndjson = "application/x-ndjson"

// maxAnswer bounds an answer; the largest is a workflow or a page of executions.
const maxAnswer = 64 << 20

// A Client speaks to one server.
type Client struct {
	*connection
	sessions
	workflows
	batches
	operating
}

// The calls of a Client, by what they concern.
type (
	sessions  struct{ *connection }
	workflows struct{ *connection }
	batches   struct{ *connection }
	operating struct{ *connection }
)

// A connection sends requests and reads answers.
type connection struct {
	base   string
	token  string
	http   *http.Client
	leave  func() // nil over a network
	engine Engine // of this process; nil over a network
}

func newClient(c *connection) *Client {
	return &Client{c, sessions{c}, workflows{c}, batches{c}, operating{c}}
}

// New returns a client of the server at address, "127.0.0.1:7766" or an http(s) URL with
// any prefix. token may be empty. It dials nothing.
func New(address, token string) (*Client, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("server %q: want HOST:PORT or an http(s) address", address)
	}
	return newClient(&connection{base: strings.TrimRight(u.String(), "/"), token: token, http: &http.Client{}}), nil
}

// Local reports whether the engine is one of this process.
func (c *connection) Local() bool { return c.engine != nil }

// Where is the server's address, or the store of an engine of this process.
func (c *connection) Where() string {
	if c.engine != nil {
		return c.engine.Where()
	}
	return c.base
}

// Close gives up idle connections, and closes an engine of this process.
func (c *connection) Close() error {
	if c.engine != nil {
		return c.engine.Close()
	}
	c.http.CloseIdleConnections()
	return nil
}

// Alive reports whether the server answers. One that has just been started and opens its
// store is waited for.
func (c *connection) Alive(ctx context.Context) error {
	ready, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("still starting after %s; its log says what it waits for", readyWithin))
	defer cancel()
	for {
		said, err := c.health(ready)
		if err != nil || said != starting {
			return err
		}
		select {
		case <-time.After(askAgainWhen):
		case <-ready.Done():
			return context.Cause(ready)
		}
	}
}

func (c *connection) health(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, aliveWithin, fmt.Errorf("no answer within %s", aliveWithin))
	defer cancel()
	var said []byte
	err := c.do(ctx, request{method: http.MethodGet, path: "/healthz"}, &said)
	return string(bytes.TrimSpace(said)), err
}

// A request is one call of the API.
type request struct {
	method string
	path   string
	query  url.Values
	body   any       // encoded as JSON; nil for none
	lines  io.Reader // NDJSON instead of body; nil for none
	key    string    // Idempotency-Key
	match  string    // If-Match
	accept string
	last   string // Last-Event-ID
}

// do makes a call and decodes the answer into to: a pointer, *[]byte for the text itself,
// or nil.
func (c *connection) do(ctx context.Context, r request, to any) error {
	_, err := c.header(ctx, r, to)
	return err
}

// header is do with the header of the answer.
func (c *connection) header(ctx context.Context, r request, to any) (http.Header, error) {
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s %s%s: %w", r.method, c.base, r.path, err)
	}
	if response.StatusCode/100 != 2 {
		return nil, problem(response, text)
	}
	switch to := to.(type) {
	case nil:
		return response.Header, nil
	case *[]byte:
		*to = text
		return response.Header, nil
	}
	if err := json.Unmarshal(text, to); err != nil {
		return nil, fmt.Errorf("%s %s%s: answer: %w", r.method, c.base, r.path, err)
	}
	return response.Header, nil
}

// open sends a request whose answer the caller reads and closes. An answer other than a success
// is its problem.
func (c *connection) open(ctx context.Context, r request) (io.ReadCloser, error) {
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 == 2 {
		return response.Body, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return nil, problem(response, text)
}

func (c *connection) send(ctx context.Context, r request) (*http.Response, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		body = bytes.NewReader(text)
	}
	kind := "application/json"
	if r.lines != nil {
		body, kind = r.lines, ndjson
	}
	q, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Idempotency-Key": r.key, "If-Match": r.match, "Accept": r.accept, "Last-Event-ID": r.last} {
		if value != "" {
			q.Header.Set(name, value)
		}
	}
	if body != nil {
		q.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(q)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	return response, nil
}

// path joins escaped segments below /api/v1.
func path(segments ...string) string {
	var b strings.Builder
	b.WriteString("/api/v1")
	for _, s := range segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	return b.String()
}

// waiting is the query that lets the server wait for the session to rest, at most the
// minute it allows.
func waiting(d time.Duration) url.Values {
	if d <= 0 {
		return nil
	}
	return url.Values{"wait": {min(d, time.Minute).String()}}
}

func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }
