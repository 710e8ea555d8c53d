package function

import (
	"encoding/json"
	"time"
)

// A function hands control to the engine by returning one of the error values of this
// file, as it returns AwaitInput to ask a person. None of them is a failure. The engine
// does what it says, durably, and then either completes the step with an output of its
// own or calls the function again with what came of it (Call.Body, Call.Transcript): the
// call has the next number, and so a key of its own.

// RunBody makes the step a container that runs the steps it CONTAINS: loop, iterate and
// group return it. While it runs, the step's output is {item, index} of the round. A function
// that returns it sets Spec.Rounds.
type RunBody struct {
	// Items gives each round its item; with nil the rounds are counted.
	Items []json.RawMessage
	// Rounds is how many rounds there are where Items is nil; 0 means as many as While,
	// Until or a path out of the body (a break) let.
	Rounds int
	// While is a condition judged before each round, Until one judged after it, both as
	// the workflow wrote them (see Spec.Raw); nil does not count.
	While, Until json.RawMessage
	// MaxRounds is where the step fails with kind limit; 0 means the number of items or
	// rounds, else 1,000.
	MaxRounds int
	// AtOnce makes one round of it in which what the body starts with runs side by side,
	// at most Concurrency at once (0 means 32), and merges by the order of CONTAINS. An
	// end of the body that failed is left out of it; the step fails when all did.
	AtOnce      bool
	Concurrency int
	// First ends an AtOnce body with the first success of one of its ends; the others
	// are cancelled.
	First bool
	// KeepGoing makes a failed round a result like any other, {error: {message, kind}},
	// whatever the step's on_error says about failures of its own.
	KeepGoing bool
	// Finish calls the function again when the body has ended, with Call.Body, to make
	// the output. Without it the output is {results, count}.
	Finish bool
}

// Error makes RunBody an error.
func (*RunBody) Error() string { return "running the body" }

// RunSessions starts child sessions and waits for their ends: subflow and map return it.
// The function is called again when all have ended, with Call.Body: one result for each
// session, in order. Their ids are parent/step/visit/index.
type RunSessions struct {
	Sessions    []ChildSession
	Concurrency int // how many run at once; 0 means 32
	// Outputs names steps of the child whose newest outputs are its result, as a list in
	// this order; without it the result is that of Session.Result.
	Outputs []string
}

// Error makes RunSessions an error.
func (*RunSessions) Error() string { return "running child sessions" }

// A ChildSession is one session to be started.
type ChildSession struct {
	Workflow string // "" with Body
	Entry    string // "" is root
	// Body runs the steps the calling step CONTAINS, in a session of their own.
	Body   bool
	Inputs json.RawMessage // an object, nil for none
}

// CallTools ends one round of an agent: the engine runs the steps its TOOL paths lead to,
// each as a visit of its own, and calls the function again with the transcript.
type CallTools struct {
	// Entry is what this round adds to the transcript, such as the model's message.
	Entry json.RawMessage
	// Calls are run side by side, at most Concurrency at once (0 means all); those of
	// one step one after the other. No calls: the function is called again at once.
	Calls       []ToolCall
	Concurrency int
}

// Error makes CallTools an error.
func (*CallTools) Error() string { return "calling tools" }

// A ToolCall asks for one run of a tool.
type ToolCall struct {
	ID        string          `json:"id"` // unique in its round; the model's own
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // an object, merged over the tool's input
}

// Wait waits for a time or for a signal, whichever comes first. The function is not called
// again.
type Wait struct {
	Until  time.Time     // a time of the store's clock; zero does not count
	For    time.Duration // from now; 0 does not count
	Signal string        // the name of a signal, one sent before the wait included; "" for none
	// Entry is an object of further fields of the output, which is {timed_out, signal,
	// body} after a wait for a signal and {waited_until} after one for a time.
	Entry json.RawMessage
}

// Error makes Wait an error.
func (*Wait) Error() string { return "waiting" }

// BodyOutcome is the result of a body or of child sessions.
type BodyOutcome struct {
	Results []BodyResult
	Broke   bool // a path out of the body was taken
	Rounds  int  // that were begun
}

// A BodyResult is the result of one round, of one end of an AtOnce body, or of one child
// session. Output is nil if there is none.
type BodyResult struct {
	Step    string          // AtOnce: the end of the body; else ""
	Name    string          // AtOnce: its name, or its id
	Session string          // of a child
	Status  string          // complete, error, cancelled, skipped
	Output  json.RawMessage // newest output; with RunSessions.Outputs a list
	Error   *SessionError   // why there is none
}

// A ToolInfo describes one TOOL path of the calling step.
type ToolInfo struct {
	Name        string          // of the path, else the step's id, in the letters models allow
	Description string          // of the path, else of the step, else of the function
	Parameters  json.RawMessage // JSON Schema of the arguments, an object
	Step        string
	Function    string // registered name
	Properties  map[string]any
}

// A TranscriptEntry is one round of an agent that has passed: what it added, and what its
// calls came to, in their order.
type TranscriptEntry struct {
	Entry   json.RawMessage `json:"entry"`
	Results []ToolResult    `json:"results,omitempty"`
}

// A ToolResult is the result of one tool call. An error is passed to the model; it does not fail
// the agent.
type ToolResult struct {
	ID     string          `json:"id"`
	Tool   string          `json:"tool"`
	Step   string          `json:"step,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  *SessionError   `json:"error,omitempty"`
}
