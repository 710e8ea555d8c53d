package integration

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Sources of data.
const (
	sourceMock     = "mock_db"
	sourceREST     = "rest_api"
	sourceGraphQL  = "graphql_api"
	sourceInternal = "internal"
	sourceTool     = "tool"
)

// raw is the response of a source before it is normalised: data, or an error with its code.
type raw struct {
	disabled  *function.CallError // the network policy refused the request: an error of the step
	source    string
	data      json.RawMessage
	arguments input.Object
	code      string
	message   string
}

func failed(code, message string) raw { return raw{code: code, message: message} }

func (r raw) from(source string) raw {
	r.source = source
	return r
}

// encode returns the raw response as JSON for the history.
func (r raw) encode() json.RawMessage {
	if r.code != "" {
		return input.Object{}.With("success", json.RawMessage("false")).With("error", input.Encode(r.message)).
			With("errorCode", input.Encode(r.code)).With("metadata", json.RawMessage("{}")).Encode()
	}
	meta := input.Object{}.With("structure", input.Encode(structure(r.data))).With("summary", input.Encode(summary(r.data))).
		With("keys", input.Encode(keys(r.data))).With("args_received", r.arguments.Encode())
	return input.Object{}.With("status", json.RawMessage(`"success"`)).With("source", input.Encode(r.source)).
		With("data", r.data).With("metadata", meta.Encode()).Encode()
}

func keys(data json.RawMessage) []string {
	names := []string{}
	if fields, err := input.Parse(data); err == nil {
		for _, f := range fields {
			names = append(names, f.Name)
		}
	}
	return names
}

// placeholder answers a call whose tool has no source yet, so that the workflow continues.
func placeholder(arguments input.Object) raw {
	data := input.Object{}.With("message", input.Encode("This tool has no source of data.")).
		With("details", input.Encode("It ran and received "+received(arguments)+".")).
		With("input_args", arguments.Encode())
	return raw{source: sourceInternal, data: data.Encode(), arguments: arguments}
}

func received(arguments input.Object) string {
	if len(arguments) == 0 {
		return "no arguments"
	}
	names := make([]string, len(arguments))
	for i, f := range arguments {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// mock returns the recorded answer. Arguments do not filter it.
func mock(given json.RawMessage, arguments input.Object) raw {
	if given != nil && given[0] == '"' {
		given = json.RawMessage(strings.TrimSpace(input.TextOf(given)))
	}
	switch {
	case len(given) == 0:
		return failed("MOCK_NO_OUTPUT", "mock_output is missing")
	case !json.Valid(given):
		return failed("MOCK_JSON_PARSE_ERROR", "mock_output is not JSON")
	case given[0] != '{' && given[0] != '[':
		return failed("MOCK_INVALID_FORMAT", "mock_output is neither an object nor a list")
	}
	return raw{source: sourceMock, data: compact(given), arguments: arguments}
}
