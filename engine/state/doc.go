// Package state implements the state of a session and its counters: the contents of
// SESSION.state and SESSION.counters, and the JSON encoding of both.
//
// The engine changes the status of a step in some thirty places: when it is activated, when
// its call ends, when a person continues the session. If each place wrote the maps of the
// state directly, each would have to maintain the relations between them: a finished step has
// no open question, and a handled error is cleared by the next status. The maps are therefore
// private, and the methods are operations of the domain: a step waits as a join, a question is
// opened, the session is paused.
//
// Invariant: outputs, messages and all keys that this version does not know are kept as the
// JSON text in which they arrived, byte for byte.
package state
