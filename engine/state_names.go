package engine

import "github.com/stepgraph/stepgraph/engine/state"

// A session's state is package state. Who evaluates references and conditions against a state of
// their own meets it by these names.
type (
	State      = state.State
	StateError = state.Error
)

// ParseState is state.Parse.
func ParseState(session string, text []byte) (*State, error) { return state.Parse(session, text) }
