package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// questions handles what a session asks people (questions and approvals) and their answers.
type questions struct {
	*visits
	waits *waits
}

// ask pauses a step until a person answers. The question becomes an output entry, a chat message
// and an open question of the session. ask returns a record only when the question cannot be
// asked and on_error: continue lets the step's paths be followed.
func (r *questions) ask(id string, q *function.AwaitInput, a *attempt, res *attemptResult) *store.Execution {
	if len(q.Prompt) > r.e.MaxPrompt {
		return r.failStep(id, failure{kind: function.KindTooLarge, final: true, info: res.info(),
			message: fmt.Sprintf("prompt has %d bytes, at most %d are shown", len(q.Prompt), r.e.MaxPrompt)})
	}
	entry := q.Entry
	if entry == nil {
		entry = questionEntry(q)
	}
	if problem := r.checkEntry(entry); problem != "" {
		return r.failStep(id, failure{kind: function.KindOutputInvalid, final: true, info: res.info(), message: problem})
	}
	open := &state.Ask{
		Kind: q.Kind, Prompt: q.Prompt, Options: q.Options, Schema: q.Schema, OnDue: q.OnDue, Feedback: q.Feedback,
		Started: res.started.UnixMilli(), Input: jsontext.Cut(a.input.text), Reads: a.input.reads,
	}
	if len(q.OnDue) > 0 {
		if _, err := CheckAnswer(open, q.OnDue); err != nil {
			return r.failStep(id, failure{kind: function.KindBadInput, final: true, info: res.info(), message: "on_due is not an answer to the question: " + err.Error()})
		}
	}
	r.open(id, open, q.Due)
	r.keepOutput(id, entry, 0)
	if q.Prompt != "" {
		r.say("assistant", q.Prompt, id)
	}
	return nil
}

func (r *questions) checkEntry(entry json.RawMessage) string {
	switch {
	case !json.Valid(entry) || !gjson.ParseBytes(entry).IsObject():
		return "the question's entry is not a JSON object"
	case len(entry) > blobBytes:
		return fmt.Sprintf("the question's entry has %d bytes, at most %d are kept", len(entry), blobBytes)
	}
	return ""
}

// questionEntry returns {prompt, options}, the entry that an open question leaves in data.outputs.
func questionEntry(q *function.AwaitInput) json.RawMessage {
	b := append([]byte(`{"prompt":`), jsontext.String(q.Prompt)...)
	if len(q.Options) > 0 {
		options, _ := jsontext.Marshal(q.Options)
		b = append(append(b, `,"options":`...), options...)
	}
	return append(b, '}')
}

// completeEntry returns a question's output entry with the answer added.
func completeEntry(entry json.RawMessage, response json.RawMessage, more []jsontext.Field) json.RawMessage {
	fields := []jsontext.Field{}
	gjson.ParseBytes(entry).ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case "response", "waiting_for_input":
		default:
			fields = append(fields, jsontext.FieldOf(k.String(), v))
		}
		return true
	})
	fields = append(fields, jsontext.Field{Key: "response", Value: response})
	fields = append(fields, more...)
	fields = append(fields, jsontext.Field{Key: "waiting_for_input", Value: json.RawMessage("false")})
	b := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsontext.AppendString(b, f.Key), ':')
		b = append(b, f.Value...)
	}
	return append(b, '}')
}

// askApproval asks a person whether a step may run with its resolved input.
func (r *questions) askApproval(step *graph.CompiledStep, input json.RawMessage, reads []store.Lineage) {
	prompt := step.Consent.Prompt
	if prompt == "" {
		name := step.Name
		if name == "" {
			name = step.ID
		}
		prompt = fmt.Sprintf("Approve step %q?", name)
	}
	r.open(step.ID, &state.Ask{Kind: function.AskApproval, Prompt: prompt, OnDue: step.Consent.OnDue,
		Function: step.Function, Name: step.Name, Started: r.now(), Input: input, Reads: reads}, step.Consent.Due)
}
