package graphql

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/api"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
)

// Options are those of utils.api.api: which networks requests may reach and which secrets they
// may use. The zero value works.
type Options = api.Options

// Input is the input of graphql.
type Input struct {
	Endpoint  input.Text      `json:"endpoint,omitempty" jsonschema:"http or https address"`
	URL       input.Text      `json:"url,omitempty" jsonschema:"another name of endpoint"`
	Query     input.Text      `json:"query,omitempty" jsonschema:"the query or mutation; a reference in it becomes a literal with its own quotes, never a part of the text"`
	Variables json.RawMessage `json:"variables,omitempty" takes:"object" jsonschema:"an object with the values of the variables that the query declares"`
	Operation input.Text      `json:"operation_name,omitempty" jsonschema:"which operation of the query runs, when it has several"`
	Headers   json.RawMessage `json:"headers,omitempty" takes:"object list" jsonschema:"an object of texts; $NAME, ${NAME} and {\"secret\": \"NAME\"} are values that the operator has configured"`
	Auth      json.RawMessage `json:"auth,omitempty" jsonschema:"{type: basic, username, password}, {type: bearer, token} or {type: api_key, value, header or query}; values as {\"secret\": \"NAME\"}, $NAME or a text"`
	Timeout   input.Duration  `json:"timeout,omitempty" jsonschema:"how long one attempt may take, in seconds or as a text such as 10s; 30 s when absent"`
	Retries   input.Int       `json:"retries,omitempty" jsonschema:"how often the request is made again after a failure that may pass, at most 10; none when absent"`
	Raise     input.Bool      `json:"raise,omitempty" jsonschema:"errors are errors of the step, which its retry policy may try again, and not an output"`
}

// Output is the output of graphql.
type Output struct {
	Data       json.RawMessage `json:"data" jsonschema:"of the answer; null when there is none"`
	Errors     json.RawMessage `json:"errors,omitempty" jsonschema:"the list in the answer"`
	Extensions json.RawMessage `json:"extensions,omitempty" jsonschema:"of the answer"`
	StatusCode int             `json:"status_code" jsonschema:"0 when there was no answer"`
	Error      *string         `json:"error" jsonschema:"what went wrong, the messages of errors joined; null when nothing did"`
}

// Spec describes graphql. A call repeated after a crash sends the same request with the same
// Idempotency-Key, so that a server that supports it does the work once.
func Spec(o Options) function.Spec {
	f := stepFunction{web.New(web.Options(o))}
	return function.Spec{
		Name:        "graphql",
		Aliases:     []string{"utils.graphql.graphql"},
		Description: "Sends a query to a GraphQL endpoint and returns data and errors.",
		Effects:     true,
		Secrets:     []string{"headers", "auth"},
		Program:     []string{"query"},
		Arguments:   "variables",
		Check:       input.Check[Input](func(text json.RawMessage) []function.Problem { return check(text, o.AllowNet) }),
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples:    examples,
		Function:    function.ObjectFunc(f.call),
	}
}

type stepFunction struct{ client *web.Client }

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	s, policy, fault := f.prepare(ctx, in)
	out := Output{Data: json.RawMessage("null")}
	if fault == nil {
		var sent web.Answer
		sent, fault = s.Do(ctx, policy)
		if ctx.Err() != nil {
			return nil, wire.Ended(ctx)
		}
		var answer Answer
		answer, fault = Settle(sent, fault)
		out.Data, out.Errors, out.Extensions, out.StatusCode = answer.Data, answer.Errors, answer.Extensions, sent.Status
	}
	if fault != nil && (in.Raise || fault.Kind == function.KindBadInput || fault.Kind == function.KindDisabled) {
		return nil, fault
	}
	if fault != nil {
		out.Error = &fault.Message
	}
	return input.Encode(out), nil
}

// Content returns the JSON body of a request.
func Content(query, operation string, variables json.RawMessage) []byte {
	body := input.Object{}.With("query", input.Encode(query))
	if variables != nil {
		body = body.With("variables", variables)
	}
	if operation != "" {
		body = body.With("operationName", input.Encode(operation))
	}
	return body.Encode()
}

func (f stepFunction) prepare(ctx context.Context, in Input) (*web.Sending, web.Policy, *function.CallError) {
	policy := web.Policy{Timeout: time.Duration(in.Timeout), Retries: int(in.Retries)}
	fail := func(fault *function.CallError) (*web.Sending, web.Policy, *function.CallError) {
		return nil, policy, fault
	}
	if in.Endpoint == "" {
		in.Endpoint = in.URL
	}
	switch {
	case strings.TrimSpace(string(in.Query)) == "":
		return fail(bad("query: there is none"))
	case in.Endpoint == "":
		return fail(bad("endpoint: the address is missing"))
	case policy.Retries < 0 || policy.Retries > web.MostRetries:
		return fail(bad("retries: want a number from 0 to 10"))
	case in.Variables != nil && in.Variables[0] == '"':
		in.Variables = json.RawMessage(input.TextOf(in.Variables))
	}
	if in.Variables != nil {
		if _, err := input.Parse(in.Variables); err != nil {
			return fail(bad("variables: want an object"))
		}
	}
	query, err := Bind(string(in.Query), function.CallOf(ctx).Bindings)
	if err != nil {
		return fail(bad(err.Error()))
	}
	s, fault := f.client.Prepare(ctx, http.MethodPost, string(in.Endpoint))
	if fault != nil {
		return fail(fault)
	}
	s.Body(Content(query, string(in.Operation), in.Variables), "application/json")
	s.Accept("application/graphql-response+json, application/json")
	if fault := s.Headers(in.Headers); fault != nil {
		return fail(fault)
	}
	if fault := s.Auth(in.Auth); fault != nil {
		return fail(fault)
	}
	s.Key(function.CallOf(ctx).Key)
	return s, policy, nil
}

func bad(message string) *function.CallError {
	return &function.CallError{Kind: function.KindBadInput, Message: message}
}
