// Package event holds what those who watch a session are told: events, and questions as people
// see them.
package event

import "time"

// An Event is something that happened in a session, after it was made durable (tokens
// excepted, which are provisional). ID grows within a session; see Engine.Subscribe.
type Event struct {
	ID      string `json:"-"`
	Type    string `json:"-"` // snapshot, step, message, token, session, end
	Session string `json:"-"`
	Data    any    `json:"-"` // one of the Event… types, or *Session for a snapshot
}

// Types of event.
const (
	EventSnapshot = "snapshot"
	EventStep     = "step"
	EventMessage  = "message"
	EventToken    = "token"
	EventSession  = "session"
	EventEnd      = "end"
)

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
