package engine

import "github.com/stepgraph/stepgraph/engine/event"

// These are aliases of package event, so that a program that only embeds the engine needs one
// import.
type (
	Event       = event.Event
	EventData   = event.Data
	EventType   = event.Type
	Question    = event.Question
	RetryEvent  = event.RetryEvent
	StatusEvent = event.StatusEvent
	StepEvent   = event.StepEvent
	TokenEvent  = event.TokenEvent
)

// Constants of package event.
const (
	EventEnd      = event.EventEnd
	EventMessage  = event.EventMessage
	EventSession  = event.EventSession
	EventSnapshot = event.EventSnapshot
	EventStep     = event.EventStep
	EventToken    = event.EventToken
)
