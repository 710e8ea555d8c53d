// Package graph represents workflows: Workflow, Step and Path as they are written and stored,
// and Definition, the result of Compile. Compile parses inputs and conditions once, finds the
// paths that close loops, the bodies of containers and the reachable steps, and hashes each
// step. Validate lists the problems of a workflow. Stores, formats and the compilers of
// foreign flows use this package; it does not depend on sessions.
//
// Invariant: a Definition is immutable. An edit of the workflow creates a new one, and equal
// workflows have equal hashes.
package graph
