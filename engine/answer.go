package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
)

// checkAnswer tells whether a response answers a question, and what the entry gains
// besides `response` (confirmed, value).
func checkAnswer(q *state.Ask, response json.RawMessage) ([]jsontext.Field, error) {
	if !json.Valid(response) {
		return nil, &DetailError{Err: ErrAnswerInvalid, Faults: []Fault{{Pointer: "/response", Message: "is not valid JSON"}}}
	}
	switch q.Kind {
	case AskConfirm:
		return checkConfirm(q, response)
	case AskSelect:
		return checkSelect(q, response)
	case AskApproval:
		_, err := readApproval(response)
		return nil, err
	}
	if len(q.Schema) == 0 || string(q.Schema) == "null" {
		return nil, nil
	}
	schema, err := schemacheck.Compile(q.Schema)
	if err != nil {
		return nil, detail(ErrAnswerInvalid, "the question's schema cannot be used: %v; correct the step and reask", err)
	}
	var faults []Fault
	for _, f := range schema.Check(response) {
		faults = append(faults, Fault{Pointer: "/response" + f.Pointer, Message: f.Message})
	}
	if len(faults) > 0 {
		return nil, &DetailError{Err: ErrAnswerInvalid, Detail: fmt.Sprintf("question of step: %s", q.Prompt), Faults: faults}
	}
	return nil, nil
}

// checkConfirm takes booleans, yes and no, and the question's two texts, in any case.
func checkConfirm(q *state.Ask, response json.RawMessage) ([]jsontext.Field, error) {
	answer, feedback := response, ""
	if q.Feedback {
		answer, feedback = remarked(response)
	}
	yes, ok := graph.TruthOf(answer, q.Options)
	if !ok {
		texts := []string{"true", "false", "yes", "no"}
		for _, o := range q.Options {
			texts = append(texts, fmt.Sprintf("%q", o.Text))
		}
		return nil, &DetailError{Err: ErrAnswerInvalid,
			Faults: []Fault{{Pointer: "/response", Message: "want one of " + strings.Join(texts, ", ") + otherForm(q)}}}
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

// otherForm is what an error says of the other form of an answer.
func otherForm(q *state.Ask) string {
	if q.Feedback {
		return ", or {\"answer\": one of these, \"feedback\": text}"
	}
	return ""
}

// remarked takes {answer, feedback} apart; every other response is the answer itself.
func remarked(response json.RawMessage) (answer json.RawMessage, feedback string) {
	var given struct {
		Answer   json.RawMessage `json:"answer"`
		Feedback string          `json:"feedback"`
	}
	if json.Unmarshal(response, &given) != nil || given.Answer == nil {
		return response, ""
	}
	return given.Answer, strings.TrimSpace(given.Feedback)
}

func optionText(options []Option, i int, otherwise string) string {
	if i < len(options) {
		return options[i].Text
	}
	return otherwise
}

// checkSelect takes an option's text or value.
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
	return nil, &DetailError{Err: ErrAnswerInvalid,
		Faults: []Fault{{Pointer: "/response", Message: "want one of " + strings.Join(texts, ", ")}}}
}

// applyAnswer completes the step that a question paused. It returns what became of it,
// for the request's outcome.
func (r *questions) applyAnswer(req *Request) string {
	q := r.state.Ask(req.Step)
	if !r.state.IsOpen(req.Step, state.AskRef{Visit: req.Visit, Ask: req.Ask}) {
		return "the question was closed before the answer was applied"
	}
	if q.Kind == AskApproval {
		return r.applyApproval(req, q)
	}
	if q.Kind == AskSignal { // a person lets the step go on in the signal's stead
		if record := r.waits.endWait(req.Step, &state.Signal{Name: q.Prompt, Body: compactJSON(req.Body)}); record != nil {
			r.arrived = append(r.arrived, arrival{step: req.Step, record: record})
		}
		return "applied"
	}
	more, err := checkAnswer(q, req.Body)
	if err != nil {
		return err.Error() // accepted under another schema: cannot be, questions are kept as shown
	}
	if problem := r.tooLarge(len(req.Body)); problem != "" {
		f := failure{kind: KindTooLarge, message: problem, final: true, info: visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads}}
		r.failStepFor(req.Step, f)
		return "not applied: " + problem
	}
	entry := json.RawMessage("{}")
	if newest, ok := r.state.KeptOutput(req.Step, -1); ok {
		entry = newest
	}
	output := completeEntry(entry, compactJSON(req.Body), more)
	r.say("user", saidAs(q, req.Body, more), req.Step)
	record := r.record(req.Step, visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads, status: StatusAnswered}, output, nil)
	if len(r.state.Outputs(req.Step)) == 0 {
		r.keepOutput(req.Step, output, record.Seq)
	} else {
		r.state.SetNewest(req.Step, r.intern(output))
		r.counters.RenewOutput(req.Step, record.Seq)
	}
	r.state.RenewAllowance(r.countedIn(req.Step))
	if r.def.Step(req.Step) == nil {
		r.putGone(req.Step, r.state.Live(req.Step), failure{kind: KindStepGone, final: true,
			message: fmt.Sprintf("step %q was removed while it waited; move the session to another step", req.Step)})
		return "kept; the step is gone"
	}
	l := r.state.Live(req.Step)
	r.end(req.Step, StatusComplete)
	if record = r.handOn(l, record, ToolResult{Output: output}); record != nil {
		r.arrived = append(r.arrived, arrival{step: req.Step, record: record})
	}
	return "applied"
}

// applyApproval lets an approved step run, with the input the person gave if any, and
// fails a rejected one.
func (r *questions) applyApproval(req *Request, q *state.Ask) string {
	a, err := readApproval(req.Body)
	if err != nil {
		return err.Error()
	}
	r.state.RenewAllowance(r.countedIn(req.Step))
	if !a.Approved {
		reason := a.Reason
		if reason == "" {
			reason = "rejected"
		}
		r.failStepFor(req.Step, failure{kind: KindRejected, message: reason, final: true,
			info: visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads}})
		return "rejected"
	}
	l := r.ensureVisit(req.Step)
	l.Approved = q.Input
	if a.Input != nil {
		l.Approved = compactJSON(a.Input)
	}
	r.state.CloseAsk(req.Step)
	r.state.SetStatus(req.Step, StatusActive, "")
	r.unwritten.touch()
	r.event(EventStep, r.stepEvent(req.Step, l, StatusActive))
	return "approved"
}

// saidAs is how an answer stands in the chat: with feedback as the feedback, or its word.
func saidAs(q *state.Ask, response json.RawMessage, more []jsontext.Field) string {
	for _, f := range more {
		if q.Feedback && f.Key == "text" {
			return messageText(f.Value)
		}
	}
	return messageText(response)
}

// messageText is how an answer stands in the chat: a text as it is, all else as compact JSON.
func messageText(response json.RawMessage) string {
	var text string
	if json.Unmarshal(response, &text) == nil && len(response) > 0 && bytes.TrimSpace(response)[0] == '"' {
		return text
	}
	return string(compactJSON(response))
}

// readApproval is ReadApproval with the error that clients get.
func readApproval(response json.RawMessage) (graph.Approval, error) {
	a, fault := graph.ReadApproval(response)
	if fault != nil {
		return a, &DetailError{Err: ErrAnswerInvalid, Faults: []Fault{*fault}}
	}
	return a, nil
}
