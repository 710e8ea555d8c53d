// Package callcentre compiles the router hierarchies of a call centre to workflows, and writes
// such workflows back as graphs.
//
// The router is an agent step and the only one that speaks to callers. Its TOOL paths lead to
// its departments and tools. A department is an agent whose TOOL paths lead to its tools and
// to other departments; a tool has a TOOL path to its integration. Generated steps around the
// router form the conversation: ask the caller, call the router, repeat. A graph therefore
// runs as a session. Each consultation, tool run and integration access is a visit of its own
// step, and the counters that a canvas shows are computed from the history (Usage).
//
// Invariant: tools are derived from edges, independent of the edges' handles: one tool for
// each target, in the order of the file, with the names of the original system.
package callcentre
