package engine

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A State is a session's state, decoded. Outputs and messages stay JSON text: they are
// written back byte for byte, so a number keeps its literal and an object its key order.
// Keys that we do not know are kept, at the top, in `data` and in a step's entry.
type State struct {
	ID            string
	LastEvaluated int64 // ms

	steps     map[string]*StepState
	stepOrder []string // order of the keys in the text

	outputs     map[string]*outputList
	outputOrder []string

	messages []json.RawMessage
	engine   engineState

	extra     []jsontext.Field // unknown keys at the top
	dataExtra []jsontext.Field // unknown keys in data
}

// A StepState is a step's entry in state.workflow.
type StepState struct {
	Status       string
	Error        string
	LastExecuted int64 // ms, 0 for never
	extra        []jsontext.Field
}

// outputList holds the kept outputs of one step, oldest first. single marks data that is
// no list (initial data of LUNA): it counts as the step's one output and stays as it is
// until another output comes.
type outputList struct {
	values []json.RawMessage
	single bool
}

// engineState is our own key of the state: what waves, joins, questions and timers need
// to go on after a restart.
type engineState struct {
	Entry string `json:"entry,omitempty"`
	// Live holds what the engine knows of each step that has not ended.
	Live map[string]*liveStep `json:"live,omitempty"`
	// Order numbers activations, so that steps run in the order they were activated.
	Order int64 `json:"order,omitempty"`
	// Joins are steps with join: all that wait, with the paths taken to them.
	Joins map[string][]takenPath `json:"joins,omitempty"`
	// Arrived are the paths into steps with join: required that were taken, by step, and not
	// forgotten since: see goBack.
	Arrived map[string][]takenPath `json:"arrived,omitempty"`
	// Again are steps that were activated while they ran: they run once more.
	Again map[string][]takenPath `json:"again,omitempty"`
	// Asks are the open questions, as they were shown.
	Asks map[string]*openAsk `json:"asks,omitempty"`
	// Untaken are targets of paths not taken whose successors may become skipped.
	Untaken []string `json:"untaken,omitempty"`
	// Visits counts the visits since the last pause, against max_steps.
	Visits int `json:"visits,omitempty"`
	// Paused and Cancelled say why; nil when they do not hold.
	Paused    *mark        `json:"paused,omitempty"`
	Cancelled *mark        `json:"cancelled,omitempty"`
	Held      []heldAnswer `json:"held,omitempty"` // answers that came during a pause
	// Failure is the error of the session as a whole, or of the newest step that failed.
	Failure *SessionError `json:"error,omitempty"`
	// Problems are paths that could not be evaluated, and why, by path id.
	Problems map[string]string `json:"problems,omitempty"`
	// Signals that came before anybody waited for them.
	Signals []heldSignal `json:"signals,omitempty"`
	// Driven are steps whose function has handed control to the engine.
	Driven map[string]*drivenStep `json:"driven,omitempty"`
	// Settled are steps in error whose error was dealt with by what they acted for (an
	// agent, a group, a container that continues), with its kind: nothing waits for them.
	Settled map[string]string `json:"settled,omitempty"`
	// Seeds are outputs that steps end with instead of running, at their first activation.
	Seeds map[string]json.RawMessage `json:"seeds,omitempty"`
	// Until names steps whose paths are not followed.
	Until []string `json:"until,omitempty"`
	// Notices are still to be sent to child sessions.
	Notices []childNotice `json:"notices,omitempty"`
	// Halted is what on_error: fail_session has cut off, for a retry.
	Halted *halted `json:"halted,omitempty"`
	// Undone are the executions that rollbacks have taken back, by number.
	Undone []undone `json:"undone,omitempty"`
	// Parent is set in a child session.
	Parent *parentRef `json:"parent,omitempty"`

	extra []jsontext.Field // keys of a newer engine, kept
}

// A liveStep is a step that is active, pending or awaiting input, or that may be retried.
type liveStep struct {
	Visit    int             `json:"visit"`
	Order    int64           `json:"order"`
	Took     []takenPath     `json:"took,omitempty"`
	Counted  bool            `json:"counted,omitempty"`  // against max_steps
	Tries    int             `json:"tries,omitempty"`    // attempts that have failed since the policy began to count
	RetryAt  int64           `json:"retry_at,omitempty"` // ms; not started before
	Missing  []string        `json:"missing,omitempty"`  // references without value, of a pending step
	Why      []string        `json:"why,omitempty"`      // for each missing reference, the reason
	Kind     string          `json:"kind,omitempty"`     // of the error it is in
	Salt     int             `json:"salt,omitempty"`     // counts `retry` with new_key
	Approved json.RawMessage `json:"approved,omitempty"` // input a person approved
	Tool     *toolVisit      `json:"tool,omitempty"`     // the visit is a call of an agent's tool
	Wait     *waiting        `json:"wait,omitempty"`     // for a time or a signal
	Then     string          `json:"then,omitempty"`     // activated after it, instead of what its paths lead to
	Lacks    string          `json:"lacks,omitempty"`    // the function it waits for an engine to have
	LackedBy string          `json:"lacked_by,omitempty"`
	queued   bool            // its call is in the runner's toStart
}

// A takenPath is a path that led to an activation, and the EXECUTION after which it was
// taken (0 where there is none: the start, history off).
type takenPath struct {
	Seq  int64  `json:"seq,omitempty"`
	Path string `json:"path"`
	Jump bool   `json:"jump,omitempty"` // a back path, or an operator's move: it needs nothing beside it
}

type mark struct {
	At     int64  `json:"at"`
	Reason string `json:"reason,omitempty"`
}

// A heldAnswer is an answer, by its inbox number, to one question.
type heldAnswer struct {
	N     int64  `json:"n"`
	Step  string `json:"step"`
	Visit int    `json:"visit"`
	Ask   int    `json:"ask"`
}

type heldSignal struct {
	Name string          `json:"name"`
	Body json.RawMessage `json:"body,omitempty"`
	N    int64           `json:"n"`
}

// An openAsk is a question as it was shown; it is kept until answered or asked anew.
type openAsk struct {
	Visit   int             `json:"visit"`
	Ask     int             `json:"ask"`
	Kind    string          `json:"kind"`
	Prompt  string          `json:"prompt,omitempty"`
	Options []Option        `json:"options,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Since   int64           `json:"since"`
	Due     int64           `json:"due,omitempty"`
	OnDue   json.RawMessage `json:"on_due,omitempty"`
	Remarks bool            `json:"feedback,omitempty"`
	Started int64           `json:"started,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"` // of the visit, for its EXECUTION; what an approval approves
	// Function and Name are what an approval approves, as the step had them when it was asked.
	Function string    `json:"function,omitempty"`
	Name     string    `json:"name,omitempty"`
	Reads    []Lineage `json:"reads,omitempty"`
}

// NewState returns the state of a session that has not begun.
func NewState(id string) *State {
	return &State{ID: id, steps: map[string]*StepState{}, outputs: map[string]*outputList{}}
}

// Step returns a step's entry, or nil when the step has none.
func (s *State) Step(id string) *StepState { return s.steps[id] }

// Status returns a step's status, "" when it has no entry.
func (s *State) Status(step string) string {
	if e := s.steps[step]; e != nil {
		return e.Status
	}
	return ""
}

// StepIDs returns the steps that have an entry, in the order of the text.
func (s *State) StepIDs() []string { return s.stepOrder }

// setStatus gives a step an entry or changes its status; the error text is cleared
// unless the status is error.
func (s *State) setStatus(step, status, problem string) *StepState {
	e := s.steps[step]
	if e == nil {
		e = &StepState{}
		s.steps[step] = e
		s.stepOrder = append(s.stepOrder, step)
	}
	e.Status, e.Error = status, problem
	delete(s.engine.Settled, step)
	return e
}

// Failed tells whether a step is in error and nobody has dealt with that.
func (s *State) Failed(step string) bool {
	_, settled := s.engine.Settled[step]
	return s.Status(step) == StatusError && !settled
}

// Outputs returns the kept outputs of a step, oldest first.
func (s *State) Outputs(step string) []json.RawMessage {
	if l := s.outputs[step]; l != nil {
		return l.values
	}
	return nil
}

// addOutput appends an output and drops those beyond keep; it returns what was dropped.
func (s *State) addOutput(step string, value json.RawMessage, keep int) []json.RawMessage {
	l := s.outputs[step]
	if l == nil {
		l = &outputList{}
		s.outputs[step] = l
		s.outputOrder = append(s.outputOrder, step)
	}
	l.single = false
	l.values = append(l.values, value)
	if extra := len(l.values) - keep; extra > 0 {
		dropped := l.values[:extra:extra]
		l.values = append([]json.RawMessage(nil), l.values[extra:]...)
		return dropped
	}
	return nil
}

// setNewest replaces a step's newest output.
func (s *State) setNewest(step string, value json.RawMessage) {
	if l := s.outputs[step]; l != nil && len(l.values) > 0 {
		l.values[len(l.values)-1] = value
		return
	}
	s.addOutput(step, value, graph.KeptOutputs)
}

// live returns the engine's entry of a step, made when absent (a step that somebody set
// active by hand).
func (s *State) live(step string) *liveStep {
	if s.engine.Live == nil {
		s.engine.Live = map[string]*liveStep{}
	}
	l := s.engine.Live[step]
	if l == nil {
		s.engine.Order++
		l = &liveStep{Order: s.engine.Order}
		s.engine.Live[step] = l
	}
	return l
}

// SessionStatus is the status of the session as its state says it: the first of
// cancelled, paused, active, awaiting_input, pending, error, complete that holds.
func (s *State) SessionStatus() string {
	switch {
	case s.engine.Cancelled != nil:
		return StatusCancelled
	case s.engine.Paused != nil:
		return StatusPaused
	}
	var active, awaiting, pending, failed bool
	for _, id := range s.stepOrder {
		switch s.steps[id].Status {
		case StatusActive:
			active = active || !s.heldOpen(id)
		case StatusAwaitingInput:
			awaiting = true
		case StatusPending:
			pending = true
		case StatusError:
			failed = failed || s.Failed(id)
		}
	}
	switch {
	case active:
		return StatusActive
	case awaiting:
		return StatusAwaitingInput
	case pending:
		return StatusPending
	case failed || s.engine.Failure != nil && s.engine.Failure.Step == "":
		return StatusError
	}
	return StatusComplete
}
