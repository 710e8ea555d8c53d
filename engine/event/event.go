// Package event defines what a watcher of a session receives: events, and questions as they are
// shown to people.
package event

import "time"

// An Event is something that happened in a session, after it was made durable (tokens
// excepted, which are provisional). ID grows within a session; see Engine.Subscribe.
type Event struct {
	ID      string `json:"-"`
	Type    Type   `json:"-"`
	Session string `json:"-"`
	Data    Data   `json:"-"`
}

// Data is what an event says. Its type follows from the type of the event, see Type.
type Data interface{ EventData() }

// A Type says what has happened and which type of Data tells it.
type Type string

// Types of event.
const (
	EventSnapshot Type = "snapshot" // *engine.Session: the session as it is when watching begins
	EventStep     Type = "step"     // StepEvent
	EventMessage  Type = "message"  // function.Message
	EventToken    Type = "token"    // TokenEvent
	EventSession  Type = "session"  // StatusEvent
	EventEnd      Type = "end"      // StatusEvent; the last event
)

// EventData marks StepEvent as Data.
func (StepEvent) EventData() {}

// EventData marks TokenEvent as Data.
func (TokenEvent) EventData() {}

// EventData marks StatusEvent as Data.
func (StatusEvent) EventData() {}

// StepEvent: a step has changed its status, or an attempt has failed and the next one waits.
type StepEvent struct {
	Step   string `json:"step"`
	Visit  int    `json:"visit"`
	Status string `json:"status"`
	// Caller is the agent step whose tool this visit is.
	Caller string `json:"caller,omitempty"`
	// Paths are the ids of the paths that led to the visit, in the event that starts it.
	Paths []string    `json:"paths,omitempty"`
	Retry *RetryEvent `json:"retry,omitempty"`
}

// A RetryEvent says that an attempt failed for a reason that passes, and when the next one is
// made.
type RetryEvent struct {
	Attempt int       `json:"attempt"` // number of the next one
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // of the failure, see CallError
	Message string    `json:"message"`
}

// TokenEvent: a fragment of a text that is being made.
type TokenEvent struct {
	Step        string `json:"step"`
	Visit       int    `json:"visit"`
	Call        int    `json:"call"`
	Text        string `json:"text"`
	Audience    string `json:"audience"`
	Provisional bool   `json:"provisional"`
}

// StatusEvent: the session's status or open questions have changed; also the data of the
// end event.
type StatusEvent struct {
	Status   string     `json:"status"`
	Awaiting []Question `json:"awaiting"`
}
