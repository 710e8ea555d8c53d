package engine

import "github.com/stepgraph/stepgraph/engine/state"

// A session's state is package state. Programs that evaluate references and conditions against a
// state use it by these names.
type (
	State = state.State
)

// ParseState is state.Parse.
func ParseState(session string, text []byte) (*State, error) { return state.Parse(session, text) }
