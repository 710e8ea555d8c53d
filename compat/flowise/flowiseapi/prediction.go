package flowiseapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// A flowTurn is one request to run a flow, or to go on with a run.
type flowTurn struct {
	flow     *chatflow
	asked    *flowise.Prediction
	question *string // as it is answered with
	chat     string
	session  string
	message  string
	begins   bool // no message can have come before

	workflow *engine.Workflow // that runs: the flow's, or one made for this request
	run      string           // our session
	made     *engine.Session  // the session as the start or the answer returned it
	before   []flowise.Entry  // what had run before
}

// A flowAnswer is the answer to a prediction, in Flowise's order.
type flowAnswer struct {
	Text          json.RawMessage `json:"text"`
	Question      *string         `json:"question,omitempty"`
	Form          json.RawMessage `json:"form,omitempty"`
	ChatID        string          `json:"chatId"`
	ChatMessageID string          `json:"chatMessageId"`
	ExecutionID   string          `json:"executionId"`
	Executed      []flowise.Entry `json:"agentFlowExecutedData"`
	Action        json.RawMessage `json:"action,omitempty"`
	SessionID     string          `json:"sessionId"`
}

func (f *turns) predict(w http.ResponseWriter, r *http.Request) error {
	flow, err := f.flows.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	var p flowise.Prediction
	if err := readJSON(w, r, &p); err != nil {
		return err
	}
	t := newTurn(flow, &p)
	if p.WantsStream() && r.Header.Get("flowise-tool") != "true" {
		return f.stream(w, r, t)
	}
	return f.reply(w, r, t)
}

func newTurn(flow *chatflow, p *flowise.Prediction) *flowTurn {
	t := &flowTurn{flow: flow, asked: p, workflow: flow.workflow, message: uuid.NewString()}
	t.chat = cmp.Or(p.ChatID, p.Session(""))
	if t.chat == "" {
		t.chat, t.begins = uuid.NewString(), true
	}
	t.session = p.Session(t.chat)
	if start := flowise.StartOf(flow.workflow); p.Question != "" || p.HumanInput == nil && !p.HasForm() {
		asked := start.Asked(p)
		t.question = &asked
	}
	return t
}

// reply runs a turn and answers when it has come to rest.
func (f *turns) reply(w http.ResponseWriter, r *http.Request, t *flowTurn) error {
	withoutWriteDeadline(w)
	if err := f.begin(r.Context(), t); err != nil {
		return err
	}
	if _, err := f.e.WaitAfter(r.Context(), t.made); err != nil {
		return err
	}
	run, entries, err := f.read(r.Context(), t.run, t.workflow)
	if err != nil {
		return err
	}
	if err := failureOf(run, entries); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, t.answer(entries))
	return nil
}

// withoutWriteDeadline removes the deadline of an answer: a run may take any time.
func withoutWriteDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(noDeadline) // a writer without deadlines needs nothing
}

func (t *flowTurn) answer(entries []flowise.Entry) flowAnswer {
	a := flowAnswer{Text: flowise.Text(entries), Question: t.question, ChatID: t.chat, ChatMessageID: t.message, ExecutionID: t.run,
		Executed: entries, Action: flowise.Action(entries), SessionID: t.session}
	if t.asked.HasForm() {
		a.Form = t.asked.Form
	}
	return a
}

// failureOf is the error of a run that has ended badly.
func failureOf(run flowise.Run, entries []flowise.Entry) error {
	switch flowise.State(run.Session) {
	case flowise.Terminated:
		return runRefusal(flowise.Cancelled)
	case flowise.Failed:
	default:
		return nil
	}
	for _, e := range slices.Backward(entries) {
		if e.Status == flowise.Failed {
			return runRefusal(e.Data.Error)
		}
	}
	if run.Session.Error != nil {
		return runRefusal(flowise.FailureText("", run.Session.Error.Message))
	}
	for _, p := range run.Session.Problems {
		return runRefusal(p.Step + ": " + p.Message)
	}
	return runRefusal("the run does not go on")
}

// begin starts a session for a turn, or answers the question of the one that waits.
func (f *turns) begin(ctx context.Context, t *flowTurn) error {
	before, err := t.asked.Before()
	if err != nil {
		return runRefusal(err.Error())
	}
	files, err := t.asked.Attached()
	if err != nil {
		return &refusal{http.StatusUnsupportedMediaType, err.Error()}
	}
	if len(t.workflow.Steps) == 0 {
		text, err := t.flow.document()
		if err != nil {
			return err
		}
		if _, err := flowise.Parse(t.flow.Name+".json", []byte(text)); err != nil {
			return runRefusal(flowise.FaultText(err))
		}
		return runRefusal("the flow was saved before this server could run it: save it again")
	}
	start := flowise.StartOf(t.workflow)
	if err := start.Check(t.flow.ID, t.asked); err != nil {
		return runRefusal(err.Error())
	}
	last, err := f.lastRun(ctx, t)
	if err != nil {
		return err
	}
	if t.asked.HumanInput != nil {
		return f.resume(ctx, t, last)
	}
	if t.asked.Question != "" && t.asked.HasForm() {
		return runRefusal(flowise.ErrBoth.Error())
	}
	return f.start(ctx, t, start, flowise.Turn{Flow: t.flow.ID, Chat: t.chat, Session: t.session, Message: t.message, Before: before, Files: files}, last)
}

// start begins a run with what the conversation has come to so far.
func (f *turns) start(ctx context.Context, t *flowTurn, start flowise.Start, turn flowise.Turn, last *engine.Session) error {
	if last != nil {
		run, entries, err := f.read(ctx, last.ID, nil)
		if err != nil {
			return err
		}
		past, err := f.value(ctx, last.ID, "past")
		if err != nil {
			return err
		}
		turn.Past = flowise.PastOf(run, past, entries)
		turn.State = t.flow.api().OverriddenState(start, flowise.LastState(entries), t.asked.Override)
	}
	var err error
	if turn.Vars, err = f.variables(t); err != nil {
		return err
	}
	if err := f.vary(ctx, t); err != nil {
		return err
	}
	s, err := f.beginTurn(ctx, t, last, t.asked.Request(t.workflow, turn))
	if err != nil {
		return err
	}
	t.run, t.made = s.ID, s
	return nil
}

// value is what references to a name of a session give, nil for nothing.
func (f *turns) value(ctx context.Context, session, name string) (json.RawMessage, error) {
	result, err := f.e.EvalReference(ctx, engine.ReferenceQuery{Session: session, Text: "@{SESSION_ID}." + name})
	if err != nil || !result.Resolved {
		return nil, err
	}
	return result.Value, nil
}

// variables are all variables with those the request may override and does, nil when it does
// not.
func (f *turns) variables(t *flowTurn) (json.RawMessage, error) {
	given := t.flow.api().Vars(t.asked.Override)
	if given == nil {
		return nil, nil
	}
	all := map[string]json.RawMessage{}
	if f.o.Variables != nil {
		configured, err := f.o.Variables()
		if err != nil {
			return nil, err
		}
		for name, value := range configured {
			all[name] = value
		}
	}
	for name, value := range given {
		all[name] = value
	}
	return json.Marshal(all)
}
