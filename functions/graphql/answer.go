package graphql

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// KindErrors is the error kind of a response with errors.
const KindErrors = "graphql_errors"

// An Answer is the response of a GraphQL endpoint.
type Answer struct {
	Data       json.RawMessage `json:"data"`
	Errors     json.RawMessage `json:"errors,omitempty"`
	Extensions json.RawMessage `json:"extensions,omitempty"`
}

// Read decodes a body. A response with errors, or a body that is not a GraphQL response,
// returns an error beside the fields that could be read.
func Read(body string) (Answer, *function.CallError) {
	answer := Answer{Data: json.RawMessage("null")}
	fields, err := input.Parse([]byte(body))
	if err != nil {
		return answer, &function.CallError{Kind: "bad_response", Message: "the answer is not GraphQL: want a JSON object with data or errors"}
	}
	has := false
	for _, f := range fields {
		if f.Name == "data" {
			answer.Data, has = f.Value, true
		}
	}
	answer.Errors, answer.Extensions = fields.Get("errors"), fields.Get("extensions")
	switch {
	case answer.Errors != nil && string(answer.Errors) != "[]":
		return answer, &function.CallError{Kind: KindErrors, Message: messages(answer.Errors)}
	case !has:
		return answer, &function.CallError{Kind: "bad_response", Message: "the answer is not GraphQL: it has neither data nor errors"}
	}
	answer.Errors = nil
	return answer, nil
}

// messages joins the texts of a list of errors.
func messages(errors json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(errors, &list) != nil {
		return input.TextOf(errors)
	}
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = input.TextOf(e)
		if fields, err := input.Parse(e); err == nil && fields.Get("message") != nil {
			texts[i] = input.TextOf(fields.Get("message"))
		}
	}
	return strings.Join(texts, "; ")
}

// Settle combines the result and the error of an exchange: errors in the body are added to the
// error of a bad status; a body that is not a GraphQL response is not reported in addition to
// it.
func Settle(sent web.Answer, fault *function.CallError) (Answer, *function.CallError) {
	if fault != nil && fault.Kind != web.KindStatus {
		return Answer{Data: json.RawMessage("null")}, fault
	}
	answer, wrong := Read(sent.Body)
	switch {
	case fault == nil:
		return answer, wrong
	case wrong != nil && wrong.Kind == KindErrors:
		fault.Message += ": " + wrong.Message
	}
	return answer, fault
}
