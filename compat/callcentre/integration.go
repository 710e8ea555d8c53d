package callcentre

import (
	"cmp"
	"unicode"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

// Types of integration that can be run.
const (
	typeMock    = "mock"
	typeREST    = "rest"
	typeGraphQL = "graphql"
)

// integrationType is what an integration says it is; mock where it says nothing.
func integrationType(n *node) string { return or(n.Data.IntegrationType, typeMock) }

// missing returns the missing setting that makes every access to an integration fail, "" for
// none. The values of the settings are validated by the function integration.
func missing(n *node) string {
	switch kind := integrationType(n); {
	case kind == typeMock && (n.Data.MockOutput == nil || *n.Data.MockOutput == ""):
		return "mockOutput"
	case (kind == typeREST || kind == typeGraphQL) && n.Data.URL == "":
		return "url"
	case kind == typeGraphQL && n.Data.GraphQLQuery == "":
		return "graphQLQuery"
	}
	return ""
}

// A sourceField is a field of an integration's data and of its step's input.
type sourceField struct {
	data, input string
	of          func(*nodeData) string
}

// sourceFields are the fields whose texts go over as they are.
var sourceFields = []sourceField{
	{"url", "url", func(d *nodeData) string { return d.URL }},
	{"method", "method", func(d *nodeData) string { return d.Method }},
	{"authType", "auth", func(d *nodeData) string { return d.AuthType }},
	{"apiHeaderName", "api_header_name", func(d *nodeData) string { return d.APIHeaderName }},
	{"authToken", "auth_token", func(d *nodeData) string { return d.AuthToken }},
	{"headers", "headers", func(d *nodeData) string { return string(d.Headers) }},
	{"body", "body", func(d *nodeData) string { return string(d.Body) }},
	{"graphQLQuery", "query", func(d *nodeData) string { return d.GraphQLQuery }},
	{"graphQLVariables", "variables", func(d *nodeData) string { return string(d.GraphQLVariables) }},
	{"mockOutput", "mock_output", func(d *nodeData) string { return string(*cmp.Or(d.MockOutput, new(looseText))) }},
	{"dataStructure", "data_structure", func(d *nodeData) string { return string(d.DataStructure) }},
	{"aiInstructions", "instructions", func(d *nodeData) string { return d.AIInstructions }},
}

// integrationInput returns the input of an integration's step. Its arguments are those of the
// tool that calls it; without a tool they are the input arguments of the session.
func integrationInput(n *node) inputs.Object {
	in := inputs.Of("type", integrationType(n), "arguments", inputs.RefOr("initial.arguments"))
	for _, f := range sourceFields {
		if text := f.of(&n.Data); text != "" {
			in = in.With(f.input, inputs.Literal(text))
		}
	}
	if n.Data.Latency > 0 {
		in = in.With("latency", float64(n.Data.Latency))
	}
	return in
}

// referable reports whether references can name a step of this id.
func referable(id string) bool {
	for _, c := range id {
		if c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return id != ""
}
