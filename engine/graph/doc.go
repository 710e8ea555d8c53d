// Package graph is a workflow as a graph: Workflow, Step and Path as people write them and
// stores keep them, and the Definition that Compile makes of them. Compiling parses inputs and
// conditions once, finds the paths that close loops, the bodies of containers and what leads
// where, and hashes each step; Validate lists what is wrong. Stores, formats and compilers
// of foreign flows read this package; nothing in it knows a session.
//
// Invariant: a Definition never changes. An edit of the workflow makes a new one, and equal
// workflows have equal hashes.
package graph
