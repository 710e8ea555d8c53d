package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

const (
	attempt = 10 * time.Second // timeout of one request
	retries = 2
	maxData = 256 << 10 // bytes; the output holds the data three times
)

// Options configure which networks requests may reach and which secrets they may use. The zero
// value works.
type Options struct {
	AllowNet []netip.Prefix // networks that may be called in addition to the public internet
	// Getenv returns the value of the secret or environment variable NAME for a request to an
	// address, and whether workflows may use it there. If nil, no name has a value.
	Getenv     func(name string, to *url.URL) (string, bool)
	Timeout    time.Duration     // of one request whose step sets none; 10 s by default
	Transport  http.RoundTripper // replaces the default transport, which only connects to allowed networks
	RetryDelay time.Duration     // before the first of two further attempts after a network failure; 1 s by default
	Log        *slog.Logger      // raw and normalised results, at debug level; nil: none
}

// Input is the input of integration.
type Input struct {
	Type       input.Text      `json:"type,omitempty" jsonschema:"mock, rest or graphql; when absent, what url, query and mock_output suggest"`
	URL        input.Text      `json:"url,omitempty" jsonschema:"http or https address of rest and graphql"`
	Method     input.Text      `json:"method,omitempty" jsonschema:"of rest; GET when absent"`
	Auth       json.RawMessage `json:"auth,omitempty" jsonschema:"none, bearer, apiKey or custom (only headers), with auth_token; or an object as in api"`
	AuthToken  json.RawMessage `json:"auth_token,omitempty" jsonschema:"the token or key, as {\"secret\": \"NAME\"}, $NAME or a text"`
	APIHeader  input.Text      `json:"api_header_name,omitempty" jsonschema:"the header of an apiKey; X-API-Key when absent"`
	Headers    json.RawMessage `json:"headers,omitempty" takes:"object list" jsonschema:"an object, or its JSON text, with secrets as in api"`
	Body       json.RawMessage `json:"body,omitempty" jsonschema:"of rest other than GET: an object, or its JSON text, into which the arguments are merged; without it nothing is sent"`
	Query      input.Text      `json:"query,omitempty" jsonschema:"of graphql; a reference in it becomes a literal"`
	Variables  json.RawMessage `json:"variables,omitempty" takes:"object" jsonschema:"of graphql: an object, or its JSON text, into which the arguments are merged"`
	MockOutput json.RawMessage `json:"mock_output,omitempty" jsonschema:"of mock: an object or list, or its JSON text; arguments do not filter it"`
	Structure  input.Text      `json:"data_structure,omitempty" jsonschema:"a note on the shape of the data for people and models"`
	Notes      input.Text      `json:"instructions,omitempty" jsonschema:"what the model is told about the data"`
	Latency    latency         `json:"latency,omitempty" jsonschema:"waited first: milliseconds, or a text such as 250ms; at most 60 s"`
	Arguments  json.RawMessage `json:"arguments,omitempty" takes:"object" jsonschema:"an object: what the caller of the tool gives"`
	Timeout    input.Duration  `json:"timeout,omitempty" jsonschema:"of one request, in seconds or as a text; 10 s when absent"`
}

// Spec describes integration. A call repeated after a crash sends the same request with the
// same Idempotency-Key, so that a server that supports it does the work once.
func Spec(o Options) function.Spec {
	if o.Timeout == 0 {
		o.Timeout = attempt
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := stepFunction{o, web.New(web.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport})}
	return function.Spec{
		Name:        "integration",
		Description: "Reads data from a mock, a REST or a GraphQL source and returns a result of one shape.",
		Effects:     true,
		Secrets:     []string{"headers", "auth", "auth_token"},
		Program:     []string{"query"},
		Arguments:   "arguments",
		Check:       input.Check[Input](check),
		Input:       inputSchema(),
		Output:      input.Schema[Result](),
		Examples:    examples,
		Function:    function.ObjectFunc(f.call),
	}
}

type stepFunction struct {
	options Options
	client  *web.Client
}

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	began := time.Now()
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	arguments, err := object(in.Arguments)
	if err != nil {
		return nil, input.Bad("arguments: want an object")
	}
	call := function.CallOf(ctx)
	if len(call.Tools) > 0 {
		return f.handOver(ctx, call, arguments)
	}
	raw := f.read(ctx, in, arguments)
	if ctx.Err() != nil {
		return nil, wire.Ended(ctx)
	}
	if raw.disabled != nil {
		return nil, raw.disabled
	}
	return f.finish(ctx, normalise(raw, in, time.Since(began))), nil
}

// finish logs the result and encodes it.
func (f stepFunction) finish(ctx context.Context, r Result) json.RawMessage {
	call := function.CallOf(ctx)
	f.options.Log.DebugContext(ctx, "integration answered", "session", call.Session, "step", call.Step,
		"raw", preview(r.Raw), "normalised", preview(r.forModel()))
	return input.Encode(r)
}

// read returns the raw response of the source.
func (f stepFunction) read(ctx context.Context, in Input, arguments input.Object) raw {
	if sleep.For(ctx, time.Duration(in.Latency)) != nil {
		return raw{}
	}
	switch kind := in.kind(); kind {
	case "":
		return placeholder(arguments)
	case "mock":
		return mock(in.MockOutput, arguments)
	case "rest":
		return f.rest(ctx, in, arguments)
	case "graphql":
		return f.graphQL(ctx, in, arguments)
	default:
		return failed("INTEGRATION_EXECUTION_ERROR", fmt.Sprintf("type %q is not one of mock, rest and graphql", kind))
	}
}

// kind returns the type of the source, derived from the other fields if it is not given.
func (in Input) kind() string {
	switch {
	case in.Type != "":
		return strings.ToLower(string(in.Type))
	case in.Query != "":
		return "graphql"
	case in.URL != "":
		return "rest"
	case in.MockOutput != nil:
		return "mock"
	}
	return ""
}

// object reads an object or its JSON text; nothing is an empty object.
func object(given json.RawMessage) (input.Object, error) {
	if given == nil {
		return nil, nil
	}
	text := given
	if given[0] == '"' {
		if text = json.RawMessage(input.TextOf(given)); strings.TrimSpace(string(text)) == "" {
			return nil, nil
		}
	}
	return input.Parse(text)
}

// inputSchema adds to the schema that latency also accepts a text, which its type does not
// show.
func inputSchema() *jsonschema.Schema {
	s := input.Schema[Input]()
	s.Properties["latency"].Type, s.Properties["latency"].Types = "", []string{"number", "string", "null"}
	return s
}
