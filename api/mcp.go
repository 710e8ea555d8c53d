package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/api/mcp"
)

const (
	// limitMCP is room for the largest body of a tool, a workflow, as text within its envelope.
	limitMCP = 2 * largeLimit
	// batchMCP is how many messages a body may hold. Protocol versions before 2025-06-18 have batches.
	batchMCP = 100
	// longestMCP is the longest ?wait= and what a request takes in addition.
	longestMCP = maxWait + 30*time.Second
)

// mountMCP serves the API to MCP clients: streamable HTTP without sessions, at /mcp. A call of a
// tool is a request to routes with the caller's token: it needs the scope of that request, counts
// against the same quota and is audited as the same action.
func mountMCP(r chi.Router, routes http.Handler, document []byte) {
	// Read when a client comes: commands that open a store of their own make an API too, without clients.
	tools := sync.OnceValue(func() *mcp.Tools {
		tools, err := mcp.Read(document)
		if err != nil {
			panic("api: " + err.Error()) // the document is ours
		}
		return tools
	})
	serve := sdk.NewStreamableHTTPHandler(func(from *http.Request) *sdk.Server { return tools().Server(callerFor(routes, from)) },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: limitMCP, DisableLocalhostProtection: true}) // checkHost has looked at the host
	r.Post("/mcp", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeoutCause(r.Context(), longestMCP, errRequestIsSlow)
		defer cancel()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longestMCP)) // a writer without deadlines goes without
		body, err := readLimited(w, r, limitMCP)
		if err != nil {
			unreadable(err).write(w)
			return
		}
		var messages []json.RawMessage
		if json.Unmarshal(body, &messages) == nil && len(messages) > batchMCP {
			problem("too_large", fmt.Sprintf("a batch of %d messages; at most %d are taken at once", len(messages), batchMCP)).write(w)
			return
		}
		r = r.WithContext(ctx)
		r.Body = io.NopCloser(bytes.NewReader(body))
		serve.ServeHTTP(w, r)
	})
}

// callerFor makes requests to routes in the name of the client that sent from.
func callerFor(routes http.Handler, from *http.Request) mcp.Caller {
	return func(ctx context.Context, c mcp.Call) (json.RawMessage, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(from.Context(), func() { cancel(context.Cause(from.Context())) })()
		// The router of from's route must not be found by the routes of this request.
		r, err := http.NewRequestWithContext(context.WithValue(ctx, chi.RouteCtxKey, nil), c.Method, c.URL("http://"+from.Host), bytes.NewReader(c.Body))
		if err != nil {
			return nil, err
		}
		r.Header = c.Header()
		for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "User-Agent"} {
			if values := from.Header.Values(name); len(values) > 0 {
				r.Header[name] = values
			}
		}
		r.RemoteAddr, r.RequestURI, r.TLS = from.RemoteAddr, r.URL.RequestURI(), from.TLS
		w := &memoryResponse{header: http.Header{}}
		routes.ServeHTTP(w, r)
		if w.status >= http.StatusMultipleChoices {
			return nil, refusedCall(w.status, w.body.Bytes())
		}
		return bytes.TrimSpace(w.body.Bytes()), nil
	}
}

// refusedCall is a problem in words: what is wrong, and where.
func refusedCall(status int, body []byte) error {
	var p Problem
	if json.Unmarshal(body, &p) != nil || p.Title == "" {
		return fmt.Errorf("%d %s", status, http.StatusText(status))
	}
	lines := []string{strings.TrimPrefix(p.Type, "/problems/") + ": " + p.Error()}
	for _, f := range p.Errors {
		where := f.Pointer
		if f.Parameter != "" {
			where = f.Parameter
		}
		if where != "" && !strings.Contains(lines[0], f.Message) {
			lines = append(lines, where+" "+f.Message)
		}
	}
	if len(p.Exists) > 0 {
		lines = append(lines, "there is: "+strings.Join(p.Exists, ", "))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// A memoryResponse is the answer to a request of this process, in memory.
type memoryResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *memoryResponse) Header() http.Header { return a.header }

func (a *memoryResponse) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

func (a *memoryResponse) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
