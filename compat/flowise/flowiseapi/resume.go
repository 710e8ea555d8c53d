package flowiseapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// resume answers the question of the newest run of a conversation.
func (f *turns) resume(ctx context.Context, t *flowTurn, last *engine.Session) error {
	if last == nil {
		return runRefusal("No previous execution found for session " + t.session)
	}
	run, entries, err := f.read(ctx, last.ID, nil)
	if err != nil {
		return err
	}
	if err := resumable(run, entries); err != nil {
		return err
	}
	question, err := questionFor(t.asked.HumanInput, run, entries)
	if err != nil {
		return err
	}
	session := last.ID
	if question.Session != "" {
		session = question.Session
	}
	answered, err := f.e.Answer(ctx, engine.AnswerRequest{Session: session, Step: question.Step, Visit: question.Visit, Ask: question.Ask,
		Response: answerTo(question, *t.asked.HumanInput)})
	if err != nil {
		return err
	}
	t.run, t.workflow, t.before, t.made = last.ID, run.Workflow, entries, last
	if session == last.ID {
		t.made = answered // else the question was one of a child session
	}
	return nil
}

// resumable refuses to go on with what does not wait, in Flowise's words.
func resumable(run flowise.Run, entries []flowise.Entry) error {
	id := run.Session.ID
	switch state := flowise.State(run.Session); {
	case state == flowise.Stopped:
		return nil
	case state == flowise.Failed && len(entries) >= 2:
		return runRefusal("Cannot resume execution " + id + " because it is in 'ERROR' state and the previous item is not in 'STOPPED' state. " +
			"Only executions that ended with a STOPPED state (or ERROR after STOPPED) can be resumed.")
	case state == flowise.Failed:
		return runRefusal("Cannot resume execution " + id + " because it is in 'ERROR' state with insufficient execution data. " +
			"Only executions in 'STOPPED' state can be resumed.")
	default:
		return runRefusal(fmt.Sprintf("Cannot resume execution %s because it is in '%s' state. "+
			"Only executions in 'STOPPED' state (or 'ERROR' after 'STOPPED') can be resumed.", id, state))
	}
}

// questionFor is the question an answer is meant for: that of the node it names, else the
// newest.
func questionFor(h *flowise.HumanInput, run flowise.Run, entries []flowise.Entry) (*engine.Question, error) {
	for i := len(run.Session.Awaiting) - 1; i >= 0; i-- {
		q := &run.Session.Awaiting[i]
		if h.StartNodeID == "" || flowise.NodeOf(run.Workflow, q.Step) == h.StartNodeID {
			return q, nil
		}
	}
	for _, e := range entries {
		if e.NodeID == h.StartNodeID {
			return nil, runRefusal("Node " + h.StartNodeID + " does not wait for human input.")
		}
	}
	return nil, runRefusal("Node " + h.StartNodeID + " not found in previous execution. This could indicate an invalid resume attempt or a modified flow.")
}

// answerTo is a person's word in the form a question takes.
func answerTo(q *engine.Question, h flowise.HumanInput) json.RawMessage {
	switch {
	case q.Kind == engine.AskApproval:
		return h.Approval()
	case q.Kind == engine.AskConfirm && q.Feedback:
		return h.Answer()
	case q.Kind == engine.AskConfirm:
		return json.RawMessage(fmt.Sprint(h.Type == "proceed"))
	}
	text, _ := json.Marshal(cmp.Or(h.Feedback, h.Type)) // a text always encodes
	return text
}
