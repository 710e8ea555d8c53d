// Package callcentre compiles call-centre router hierarchies to workflows, and workflows that
// still fit back to graphs.
//
// The router, the only one that speaks to callers, is an agent step whose TOOL paths lead to
// its departments and tools; a department is an agent whose TOOL paths lead to its tools and
// peer departments; a tool leads on to its integration. Around the router stands a
// conversation: ask the caller, let the router answer, ask again. So a graph runs as a
// session, each consultation, tool run and integration access is a visit of its own step,
// and the numbers a canvas shows on its nodes are counted from the history (Usage).
//
// The invariant: tools come from edges, whatever their handles say, one for each target, in
// the order of the file, under the names the origin gives them.
package callcentre
