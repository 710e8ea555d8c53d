package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/graphql"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// rest calls a REST endpoint: GET with the arguments in the query, other methods with the
// body, in which arguments replace fields of the same name.
func (f stepFunction) rest(ctx context.Context, in Input, arguments input.Object) raw {
	if in.URL == "" {
		return failed("REST_NO_URL", "url is missing").from(sourceREST)
	}
	s, fault := f.client.Prepare(ctx, string(in.Method), string(in.URL))
	if fault == nil {
		fault = restContent(s, in, arguments)
	}
	if fault == nil {
		fault = credentials(s, in)
	}
	if fault != nil {
		return failed("INTEGRATION_EXECUTION_ERROR", fault.Message).from(sourceREST)
	}
	answer, fault := f.send(ctx, s, in)
	if fault != nil {
		return refused("REST", answer, fault).from(sourceREST)
	}
	return raw{source: sourceREST, data: data(answer), arguments: arguments}
}

func restContent(s *web.Sending, in Input, arguments input.Object) *function.CallError {
	if s.Method() == http.MethodGet || s.Method() == http.MethodHead {
		query, err := web.Form(arguments.Encode())
		if err != nil {
			return &function.CallError{Message: "arguments: " + err.Error()}
		}
		return s.Params(input.Encode(string(query)))
	}
	if in.Body == nil || strings.TrimSpace(input.TextOf(in.Body)) == "" {
		return nil
	}
	if body, err := object(in.Body); err == nil {
		s.Body(body.Over(arguments).Encode(), "application/json")
		return nil
	}
	if len(arguments) > 0 {
		return &function.CallError{Message: "body: want a JSON object, which arguments can be laid over"}
	}
	s.Body([]byte(input.TextOf(in.Body)), "application/json")
	return nil
}

// graphQL calls a GraphQL endpoint; arguments replace variables of the same name.
func (f stepFunction) graphQL(ctx context.Context, in Input, arguments input.Object) raw {
	switch {
	case strings.TrimSpace(string(in.Query)) == "":
		return failed("GRAPHQL_NO_QUERY", "query is missing").from(sourceGraphQL)
	case in.URL == "":
		return failed("GRAPHQL_NO_URL", "url is missing").from(sourceGraphQL)
	}
	variables, err := object(in.Variables)
	if err != nil {
		return failed("GRAPHQL_INVALID_VARIABLES", "variables are not a JSON object").from(sourceGraphQL)
	}
	query, err := graphql.Bind(string(in.Query), function.CallOf(ctx).Bindings)
	if err != nil {
		return failed("INTEGRATION_EXECUTION_ERROR", err.Error()).from(sourceGraphQL)
	}
	s, fault := f.client.Prepare(ctx, http.MethodPost, string(in.URL))
	if fault == nil {
		s.Body(graphql.Content(query, "", variables.Over(arguments).Encode()), "application/json")
		fault = credentials(s, in)
	}
	if fault != nil {
		return failed("INTEGRATION_EXECUTION_ERROR", fault.Message).from(sourceGraphQL)
	}
	sent, fault := f.send(ctx, s, in)
	answer, settled := graphql.Settle(sent, fault)
	if settled == nil {
		return raw{source: sourceGraphQL, data: answer.Data, arguments: arguments}
	}
	if fault == nil {
		return failed("GRAPHQL_QUERY_ERROR", errorsText(answer, settled)).from(sourceGraphQL)
	}
	return refused("GRAPHQL", sent, settled).from(sourceGraphQL)
}

// errorsText returns the list of errors in a response as JSON: it tells a model more than the
// messages alone, such as the field at fault.
func errorsText(answer graphql.Answer, fault *function.CallError) string {
	if answer.Errors == nil {
		return fault.Message
	}
	return preview(compact(answer.Errors))
}

// credentials sets the headers, the authorization and the idempotency key.
func credentials(s *web.Sending, in Input) *function.CallError {
	headers, err := object(in.Headers)
	if err != nil {
		return &function.CallError{Message: "headers: want an object"}
	}
	if len(headers) > 0 {
		if fault := s.Headers(headers.Encode()); fault != nil {
			return fault
		}
	}
	auth := in.auth()
	if auth == nil {
		return nil
	}
	return s.Auth(auth)
}

// auth converts the auth of the input to the form of package web; nil means none.
func (in Input) auth() json.RawMessage {
	if in.Auth != nil && in.Auth[0] != '"' {
		return in.Auth
	}
	token := in.AuthToken
	if token == nil {
		token = json.RawMessage(`""`)
	}
	switch kind := strings.ToLower(input.TextOf(in.Auth)); kind {
	case "", "none", "custom":
		return nil
	case "bearer":
		return input.Object{}.With("type", input.Encode(kind)).With("token", token).Encode()
	case "apikey", "api_key":
		return input.Object{}.With("type", json.RawMessage(`"api_key"`)).With("value", token).With("header", input.Encode(string(in.APIHeader))).Encode()
	default:
		return input.Object{}.With("type", input.Encode(kind)).Encode()
	}
}

func (f stepFunction) send(ctx context.Context, s *web.Sending, in Input) (web.Answer, *function.CallError) {
	s.Key(function.CallOf(ctx).Key)
	return s.Do(ctx, web.Policy{
		Timeout: time.Duration(in.Timeout), Retries: retries, Wait: f.options.RetryDelay,
		Statuses: []int{http.StatusBadGateway, http.StatusServiceUnavailable},
	})
}

// refused returns the raw response for a failed request; its error code contains the real
// status.
func refused(prefix string, answer web.Answer, fault *function.CallError) raw {
	switch {
	case fault.Kind == function.KindDisabled:
		return raw{disabled: fault}
	case fault.Kind == web.KindStatus:
		return failed(fmt.Sprintf("%s_%d", prefix, answer.Status), fmt.Sprintf("HTTP %d: %s", answer.Status, reason(answer)))
	case fault.Kind == function.KindTimeout:
		return failed("INTEGRATION_TIMEOUT", fault.Message)
	case fault.Kind == function.KindTooLarge:
		return failed("INTEGRATION_EXECUTION_ERROR", fault.Message)
	}
	return failed(prefix+"_NETWORK_ERROR", fault.Message)
}

// reason returns a short text of the server's error response.
func reason(answer web.Answer) string {
	text := strings.TrimSpace(strings.ToValidUTF8(answer.Body, "\uFFFD"))
	if fields, err := input.Parse([]byte(answer.Body)); err == nil {
		for _, name := range []string{"message", "error", "detail", "title"} {
			if said := fields.Get(name); said != nil {
				text = input.TextOf(said)
				break
			}
		}
	}
	if text == "" {
		return http.StatusText(answer.Status)
	}
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// data returns the body as data: JSON as it is, everything else as {text}.
func data(answer web.Answer) json.RawMessage {
	if body := json.RawMessage(answer.Body); json.Valid(body) && !strings.HasPrefix(answer.Type, "text/") {
		return compact(body)
	}
	return input.Object{}.With("text", input.Encode(strings.ToValidUTF8(answer.Body, "\uFFFD"))).Encode()
}
