package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

const (
	maxBody      = 1 << 20 // bytes of an answer, and of the output it becomes
	maxRedirects = 5
)

// Options say whom requests may reach and what they may know. The zero value works.
type Options struct {
	AllowNet []netip.Prefix // networks that may be called beside the public internet
	// Getenv gives the value of $NAME for a request to host, and whether workflows may use
	// it there; without it no name has a value.
	Getenv  func(name, host string) (string, bool)
	Timeout time.Duration // of a request whose step sets none; 30 s by default
	// Transport replaces the guarded one; only tests and programs with a guard of their own
	// set it.
	Transport http.RoundTripper
}

// Input is the input of utils.api.api.
type Input struct {
	Method   input.Text      `json:"method,omitempty" jsonschema:"GET when absent"`
	URL      input.Text      `json:"url,omitempty" jsonschema:"http or https address"`
	Params   json.RawMessage `json:"params,omitempty" jsonschema:"an object of values, or lists of values, for the query of the address; $NAME and ${NAME} stand for values of the environment that the operator has opened"`
	Headers  json.RawMessage `json:"headers,omitempty" jsonschema:"an object of texts, with $NAME and ${NAME} as in params"`
	JSONData json.RawMessage `json:"json_data,omitempty" jsonschema:"a value sent as JSON"`
	JSON     json.RawMessage `json:"json,omitempty" jsonschema:"another name of json_data"`
	Data     json.RawMessage `json:"data,omitempty" jsonschema:"an object sent as a form, or a text sent as it is"`
	Body     json.RawMessage `json:"body,omitempty" jsonschema:"a text sent as it is, or another value sent as JSON"`
	Timeout  input.Duration  `json:"timeout,omitempty" jsonschema:"how long the request may take, in seconds or as a text such as 10s; 30 s when absent"`
	Raise    input.Bool      `json:"raise,omitempty" jsonschema:"a bad status or a failed connection is an error of the step, which its retry policy may try again, and not an output"`
}

// Output is what a request gives.
type Output struct {
	StatusCode int               `json:"status_code" jsonschema:"0 when there was no answer"`
	Response   json.RawMessage   `json:"response" jsonschema:"the body: parsed when it is JSON, else a text; null when there was no answer"`
	Headers    map[string]string `json:"headers" jsonschema:"of the answer"`
	Error      *string           `json:"error" jsonschema:"what went wrong, a status of 400 and above included; null when nothing did"`
}

// Spec is utils.api.api. A call that is made again after a crash sends the same request with
// the same Idempotency-Key, by which a server that knows it does the work once.
func Spec(o Options) engine.Spec {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Transport == nil {
		o.Transport = netguard.Transport(o.AllowNet)
	}
	f := function{options: o, client: &http.Client{Transport: o.Transport, CheckRedirect: checkRedirect}}
	return engine.Spec{
		Name:        "utils.api.api",
		Aliases:     []string{"api", "utils.api"},
		Description: "Makes an HTTP request and keeps the answer.",
		Effects:     true,
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Function:    engine.FunctionFunc(f.call),
	}
}

type function struct {
	options Options
	client  *http.Client
}

func (f function) call(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	in, _, err := input.Decode[Input](text)
	if err != nil {
		return nil, err
	}
	if in.URL == "" {
		return nil, input.Bad("url: the address is missing")
	}
	out := Output{Response: json.RawMessage("null"), Headers: map[string]string{}}
	fault := f.exchange(ctx, in, &out)
	if ctx.Err() != nil {
		return nil, wire.Ended(ctx)
	}
	encoded := input.Encode(out)
	if fault == nil && len(encoded) > maxBody {
		fault = tooLarge()
	}
	if fault == nil {
		return encoded, nil
	}
	if in.Raise {
		return nil, fault
	}
	if fault.Kind == engine.KindBadInput {
		return nil, fault
	}
	message := fault.Message
	out.Error = &message
	if fault.Kind == engine.KindTooLarge {
		out.Response, out.Headers = json.RawMessage("null"), map[string]string{}
	}
	return input.Encode(out), nil
}

// exchange sends the request and fills out with the answer. What went wrong it returns, with
// every secret blotted out.
func (f function) exchange(ctx context.Context, in Input, out *Output) *engine.CallError {
	sent, fault := f.prepare(ctx, in)
	if fault != nil {
		return fault
	}
	limit := time.Duration(in.Timeout)
	if limit == 0 {
		limit = f.options.Timeout
	}
	limited, cancel := context.WithTimeoutCause(sent.context(ctx), limit, fmt.Errorf("the request may take %s", limit))
	defer cancel()
	response, err := f.client.Do(sent.request.WithContext(limited))
	if err != nil {
		return sent.failed(limited, err, limit)
	}
	defer response.Body.Close()
	body, err := wire.Read(response.Body, maxBody)
	out.StatusCode = response.StatusCode
	out.Headers = sent.secrets.headers(response.Header)
	switch {
	case wire.TooLarge(err):
		return tooLarge()
	case err != nil:
		return sent.failed(limited, err, limit)
	}
	out.Response = parse(response.Header.Get("Content-Type"), sent.secrets.blot(string(body)))
	if response.StatusCode < 400 {
		return nil
	}
	return &engine.CallError{
		Kind:       "status",
		Message:    fmt.Sprintf("HTTP %d %s", response.StatusCode, http.StatusText(response.StatusCode)),
		Transient:  wire.Transient(response.StatusCode),
		RetryAfter: wire.RetryAfter(response.Header, time.Now()),
	}
}

func tooLarge() *engine.CallError {
	return &engine.CallError{Kind: engine.KindTooLarge, Message: fmt.Sprintf("the answer is larger than %d bytes", maxBody)}
}
