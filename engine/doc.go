// Package engine is the domain of stepgraph: workflows that are graphs of steps and
// paths, sessions that move through them, and the processor that moves them.
//
// A session's whole state is one JSON text. A processor claims a session (takes its
// lease), runs what is active in waves, and records each finished group of steps in one
// guarded write, the checkpoint. Everything that comes from outside (an answer, a
// signal, a cancel) is first a request in the session's inbox; only the holder of the
// lease ever writes the state. That is the invariant all else rests on.
//
// The package knows no database: it asks for a Store, which packages memory, sqlite and
// cypher provide, and which package engine/storetest checks.
package engine
