package session

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// applyAnswer completes the step that a question paused. It returns the outcome text that is
// stored with the request.
func (r *questions) applyAnswer(req *store.Request) string {
	q := r.state.Ask(req.Step)
	if !r.state.IsOpen(req.Step, state.AskRef{Visit: req.Visit, Ask: req.Ask}) {
		return "the question was closed before the answer was applied"
	}
	if q.Kind == function.AskApproval {
		return r.applyApproval(req, q)
	}
	if q.Kind == function.AskSignal { // a person answers in place of the signal that the step waits for
		if record := r.waits.endWait(req.Step, &state.Signal{Name: q.Prompt, Body: jsontext.Compact(req.Body)}); record != nil {
			r.arrived = append(r.arrived, arrival{step: req.Step, record: record})
		}
		return "applied"
	}
	more, err := CheckAnswer(q, req.Body)
	if err != nil {
		return err.Error() // not expected: the answer was checked against this question when it was accepted
	}
	if problem := r.tooLarge(len(req.Body)); problem != "" {
		f := failure{kind: function.KindTooLarge, message: problem, final: true, info: visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads}}
		r.failStepFor(req.Step, f)
		return "not applied: " + problem
	}
	entry := json.RawMessage("{}")
	if newest, ok := r.state.KeptOutput(req.Step, -1); ok {
		entry = newest
	}
	output := completeEntry(entry, jsontext.Compact(req.Body), more)
	r.say("user", saidAs(q, req.Body, more), req.Step)
	record := r.record(req.Step, visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads, status: store.StatusAnswered}, output, nil)
	if len(r.state.Outputs(req.Step)) == 0 {
		r.keepOutput(req.Step, output, record.Seq)
	} else {
		r.state.SetNewest(req.Step, r.intern(output))
		r.counters.RenewOutput(req.Step, record.Seq)
	}
	r.state.RenewAllowance(r.countedIn(req.Step))
	if r.def.Step(req.Step) == nil {
		r.putGone(req.Step, r.state.Live(req.Step), failure{kind: function.KindStepGone, final: true,
			message: fmt.Sprintf("step %q was removed while it waited; move the session to another step", req.Step)})
		return "kept; the step is gone"
	}
	l := r.state.Live(req.Step)
	r.end(req.Step, store.StatusComplete)
	if record = r.handOn(l, record, function.ToolResult{Output: output}); record != nil {
		r.arrived = append(r.arrived, arrival{step: req.Step, record: record})
	}
	return "applied"
}

// applyApproval runs an approved step, with the person's edited input if one was given, and
// fails a rejected step.
func (r *questions) applyApproval(req *store.Request, q *state.Ask) string {
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
		r.failStepFor(req.Step, failure{kind: function.KindRejected, message: reason, final: true,
			info: visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads}})
		return "rejected"
	}
	l := r.ensureVisit(req.Step)
	l.Approved = q.Input
	if a.Input != nil {
		l.Approved = jsontext.Compact(a.Input)
	}
	r.state.CloseAsk(req.Step)
	r.state.SetStatus(req.Step, store.StatusActive, "")
	r.unwritten.touch()
	r.event(event.EventStep, r.stepEvent(req.Step, l, store.StatusActive))
	return "approved"
}

// saidAs returns the chat message for an answer: the feedback text if there is one, otherwise the answer.
func saidAs(q *state.Ask, response json.RawMessage, more []jsontext.Field) string {
	for _, f := range more {
		if q.Feedback && f.Key == "text" {
			return messageText(f.Value)
		}
	}
	return messageText(response)
}

// messageText returns a response as chat text: a JSON string without its quotes, any other value as compact JSON.
func messageText(response json.RawMessage) string {
	var text string
	if json.Unmarshal(response, &text) == nil && len(response) > 0 && bytes.TrimSpace(response)[0] == '"' {
		return text
	}
	return string(jsontext.Compact(response))
}

// fireDue handles questions whose deadline has passed: it applies the configured default answer,
// or fails the step when there is none.
func (r *questions) fireDue() {
	now := r.now()
	for _, w := range r.state.Waiting() {
		q := r.state.Ask(w.Step)
		if q.Due == 0 || q.Due > now || r.state.Resting() || q.Kind == function.AskSignal {
			continue
		}
		r.unwritten.closing = true
		if len(q.OnDue) > 0 {
			r.applyAnswer(&store.Request{Kind: store.RequestAnswer, Step: w.Step, Visit: w.Visit, Ask: w.Ask, Body: q.OnDue})
			continue
		}
		f := failure{kind: function.KindTimeout, final: true, message: "no answer came in time",
			info: visitInfo{started: state.Time(q.Started), input: q.Input, reads: q.Reads}}
		r.failStepFor(w.Step, f)
	}
}
