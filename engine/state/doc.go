// Package state holds a session's state and its counters: what stands in SESSION.state and
// SESSION.counters, and the JSON text of both.
//
// A step may be looked at from thirty places of the engine: when it is activated, when its call
// ends, when a person moves the session on. Each of them could write the maps of the state
// itself, and each would have to remember what belongs together: that a step which ends has no
// open question, that an error which was handled is forgotten with the next status. So the maps
// are private, and the engine says what happens in the words of the domain: a step waits as a
// join, a question is opened, the session is paused.
//
// Invariant: outputs and messages are kept as the JSON text they came as, byte for byte, and so is
// every key that this version does not know.
package state
