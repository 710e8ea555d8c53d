package functions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/internal/callkey"
)

// maxRemote limits the response of a remote function in bytes: an output (1 MB) or a question,
// and the object around it.
const maxRemote = 1<<20 + 128<<10

// RemoteOptions configure one server of remote functions. The zero value works.
type RemoteOptions struct {
	Client  *http.Client  // a client that follows no redirects by default
	Header  http.Header   // sent with every call, such as Authorization
	Timeout time.Duration // of one attempt; 0 is the engine's default
	Limit   int           // concurrent calls; 0 is the engine's default
}

// Remote returns a function that a server at address runs, in any language. A name ending in
// ".*" stands for all functions with that prefix. Each call is one POST of
//
//	{function, input, session, step, visit, key}
//
// and the server answers {output}, {error, transient} or {await: {prompt, schema, kind,
// options, entry, due, on_due}}, each optionally with `say`, a text for the session's chat.
// The address is part of the configuration, so it may be in any network. The key, also in the
// header Idempotency-Key, is the same on every attempt, so that the server can recognise a
// repeated call.
func Remote(name, address string, o RemoteOptions) (function.Spec, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return function.Spec{}, fmt.Errorf("remote functions %s: address %q: want http://HOST or https://HOST", name, address)
	}
	r := remote{name: name, address: address, host: u.Host, options: o, client: o.Client}
	if r.client == nil {
		r.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return function.Spec{
		Name:        name,
		Description: "Runs on the server at " + u.Host + ".",
		Effects:     true,
		Limit:       o.Limit,
		Timeout:     o.Timeout,
		Function:    function.FunctionFunc(r.call),
	}, nil
}

type remote struct {
	name, address, host string
	options             RemoteOptions
	client              *http.Client
}

type remoteRequest struct {
	Function string          `json:"function"`
	Input    json.RawMessage `json:"input"`
	Session  string          `json:"session"`
	Step     string          `json:"step"`
	Visit    int             `json:"visit"`
	Key      string          `json:"key"`
}

func (r remote) call(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	call := function.CallOf(ctx)
	function := call.Function
	if function == "" {
		function = r.name
	}
	body := input.Encode(remoteRequest{function, text, call.Session, call.Step, call.Visit, call.Key})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("remote function %s: %w", function, err)
	}
	for name, values := range r.options.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if call.Key != "" {
		callkey.Set(request.Header, call.Key)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, r.unreachable(ctx, err)
	}
	defer response.Body.Close()
	answer, err := wire.Read(response.Body, maxRemote)
	if err != nil {
		return nil, r.unreadable(ctx, err)
	}
	if response.StatusCode/100 != 2 {
		return nil, r.refused(response, answer)
	}
	return r.read(ctx, answer)
}

// unreachable returns the transient error of a call without a response.
func (r remote) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return wire.Ended(ctx)
	}
	return &function.CallError{Transient: true, Kind: "connection", Message: fmt.Sprintf("remote functions at %s: %s", r.host, wire.Cause(err)), Err: err}
}

func (r remote) unreadable(ctx context.Context, err error) error {
	if wire.TooLarge(err) {
		return &function.CallError{Kind: function.KindTooLarge, Message: fmt.Sprintf("remote functions at %s: answer is larger than %d bytes", r.host, maxRemote), Err: err}
	}
	return r.unreachable(ctx, err)
}

// refused returns the error of a bad status: 429 and 5xx are transient, all others permanent.
func (r remote) refused(response *http.Response, answer []byte) error {
	e := &function.CallError{
		Message:    fmt.Sprintf("remote functions at %s: %s", r.host, response.Status),
		Transient:  wire.Transient(response.StatusCode),
		RetryAfter: wire.RetryAfter(response.Header, time.Now()),
	}
	var said remoteAnswer
	if json.Unmarshal(answer, &said) == nil && said.Error != nil {
		e.Kind, e.Message = said.failure()
		e.Transient = e.Transient || bool(said.Transient)
	}
	return e
}
