package callcentre

import (
	"encoding/json"
	"unicode"

	"github.com/stepgraph/stepgraph/formats/internal/inputs"
)

// Types of integration that can be run.
const (
	typeMock    = "mock"
	typeREST    = "rest"
	typeGraphQL = "graphql"
)

// integrationType is what an integration says it is; mock where it says nothing.
func integrationType(n *node) string { return or(n.Data.IntegrationType, typeMock) }

// sourceFault says why every access to an integration fails, "" when none need to.
func sourceFault(n *node) string {
	switch integrationType(n) {
	case typeMock:
		if n.Data.MockOutput == nil || *n.Data.MockOutput == "" {
			return "a mock integration without mockOutput"
		}
		var value any
		if json.Unmarshal([]byte(*n.Data.MockOutput), &value) != nil {
			return "mockOutput is no JSON"
		}
		switch value.(type) {
		case map[string]any, []any:
			return ""
		}
		return "mockOutput is neither an object nor a list"
	case typeREST:
		if n.Data.URL == "" {
			return "a REST integration without url"
		}
		return ""
	case typeGraphQL:
		switch {
		case n.Data.URL == "":
			return "a GraphQL integration without url"
		case n.Data.GraphQLQuery == "":
			return "a GraphQL integration without graphQLQuery"
		}
		return ""
	}
	return "integrations of type " + n.Data.IntegrationType + " are not known; there are mock, rest and graphql"
}

// integrationInput is the input of an integration's step.
func integrationInput(n *node) inputs.Object {
	d := n.Data
	in := inputs.Of("type", integrationType(n))
	text := func(name, value string) {
		if value != "" {
			in = in.With(name, inputs.Literal(value))
		}
	}
	text("url", d.URL)
	text("method", d.Method)
	text("auth_type", d.AuthType)
	text("api_header_name", d.APIHeaderName)
	text("auth_token", d.AuthToken)
	text("headers", d.Headers)
	text("body", d.Body)
	text("query", d.GraphQLQuery)
	text("variables", d.GraphQLVariables)
	if d.MockOutput != nil {
		in = in.With("mock_output", inputs.Literal(*d.MockOutput))
	}
	if d.Latency > 0 {
		in = in.With("latency_ms", d.Latency)
	}
	return in
}

// referable tells whether references can name a step of this id.
func referable(id string) bool {
	for _, c := range id {
		if c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return id != ""
}
