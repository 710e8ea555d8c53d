// Package stepgraph is the root of the module and contains tests only: the examples of the library,
// the allowed imports between packages, and the bounds on types and files.
//
// Programs that embed the engine import package engine with a store (memory, sqlite or cypher) and
// the functions of package functions. The command is cmd/stepgraph. README.md has a first workflow,
// ARCHITECTURE.md the map of the packages.
package stepgraph
