package session

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
)

// CheckAnswer returns an error when a response does not answer a question. Otherwise it returns
// the fields to add to the output entry besides `response` (`confirmed`, `value`).
func CheckAnswer(q *state.Ask, response json.RawMessage) ([]jsontext.Field, error) {
	if !json.Valid(response) {
		return nil, &store.DetailError{Err: store.ErrAnswerInvalid, Faults: []graph.Fault{{Pointer: "/response", Message: "is not valid JSON"}}}
	}
	switch q.Kind {
	case function.AskConfirm:
		return checkConfirm(q, response)
	case function.AskSelect:
		return checkSelect(q, response)
	case function.AskApproval:
		_, err := readApproval(response)
		return nil, err
	}
	if len(q.Schema) == 0 || string(q.Schema) == "null" {
		return nil, nil
	}
	schema, err := schemacheck.Compile(q.Schema)
	if err != nil {
		return nil, store.Detailf(store.ErrAnswerInvalid, "the question's schema cannot be used: %v; correct the step and reask", err)
	}
	var faults []graph.Fault
	for _, f := range schema.Check(response) {
		faults = append(faults, graph.Fault{Pointer: "/response" + f.Pointer, Message: f.Message})
	}
	if len(faults) > 0 {
		if fields := fieldsOf(q.Schema); len(fields) > 0 && faults[0].Pointer == "/response" && !gjson.ParseBytes(response).IsObject() {
			faults[0].Message += " with the fields " + strings.Join(fields, ", ")
		}
		return nil, &store.DetailError{Err: store.ErrAnswerInvalid, Detail: strconv.Quote(graph.CutText(q.Prompt, 200)), Faults: faults}
	}
	return nil, nil
}

// checkConfirm accepts a boolean, "yes", "no" and the question's two labels, ignoring case.
func checkConfirm(q *state.Ask, response json.RawMessage) ([]jsontext.Field, error) {
	answer, feedback := response, ""
	if q.Feedback {
		answer, feedback = splitFeedback(response)
	}
	yes, ok := graph.TruthOf(answer, q.Options)
	if !ok {
		texts := []string{"true", "false", "yes", "no"}
		for _, o := range q.Options {
			texts = append(texts, fmt.Sprintf("%q", o.Text))
		}
		return nil, &store.DetailError{Err: store.ErrAnswerInvalid,
			Faults: []graph.Fault{{Pointer: "/response", Message: "want one of " + strings.Join(texts, ", ") + otherForm(q)}}}
	}
	confirmed, text := json.RawMessage("false"), optionText(q.Options, 1, "No")
	if yes {
		confirmed, text = json.RawMessage("true"), optionText(q.Options, 0, "Yes")
	}
	more := []jsontext.Field{{Key: "confirmed", Value: confirmed}}
	if !q.Feedback {
		return more, nil
	}
	if feedback != "" {
		text = feedback
		more = append(more, jsontext.Field{Key: "feedback", Value: jsontext.String(feedback)})
	}
	return append(more, jsontext.Field{Key: "text", Value: jsontext.String(text)}), nil
}

// otherForm describes, for an error message, the other accepted form of an answer.
func otherForm(q *state.Ask) string {
	if q.Feedback {
		return ", or {\"answer\": one of these, \"feedback\": text}"
	}
	return ""
}

// splitFeedback splits {answer, feedback} into its two fields; any other response is the answer itself.
func splitFeedback(response json.RawMessage) (answer json.RawMessage, feedback string) {
	var given struct {
		Answer   json.RawMessage `json:"answer"`
		Feedback string          `json:"feedback"`
	}
	if json.Unmarshal(response, &given) != nil || given.Answer == nil {
		return response, ""
	}
	return given.Answer, strings.TrimSpace(given.Feedback)
}

func optionText(options []function.Option, i int, otherwise string) string {
	if i < len(options) {
		return options[i].Text
	}
	return otherwise
}

// checkSelect accepts the text or the value of one of the options.
func checkSelect(q *state.Ask, response json.RawMessage) ([]jsontext.Field, error) {
	var text string
	isText := json.Unmarshal(response, &text) == nil
	texts := make([]string, len(q.Options))
	for i, o := range q.Options {
		value := o.Value
		if len(value) == 0 {
			value = jsontext.String(o.Text)
		}
		if isText && text == o.Text || jsontext.Equal(response, value) {
			return []jsontext.Field{{Key: "value", Value: value}}, nil
		}
		texts[i] = fmt.Sprintf("%q", o.Text)
	}
	return nil, &store.DetailError{Err: store.ErrAnswerInvalid,
		Faults: []graph.Fault{{Pointer: "/response", Message: "want one of " + strings.Join(texts, ", ")}}}
}

// readApproval is ReadApproval with the error type that API clients receive.
func readApproval(response json.RawMessage) (graph.Approval, error) {
	a, fault := graph.ReadApproval(response)
	if fault != nil {
		return a, &store.DetailError{Err: store.ErrAnswerInvalid, Faults: []graph.Fault{*fault}}
	}
	return a, nil
}

// fieldsOf returns the property names of an object schema, in the schema's order.
func fieldsOf(schema json.RawMessage) (names []string) {
	gjson.GetBytes(schema, "properties").ForEach(func(name, _ gjson.Result) bool {
		names = append(names, name.String())
		return len(names) < 20
	})
	return names
}
