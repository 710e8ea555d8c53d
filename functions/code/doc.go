// Package code runs the scripts of steps in Starlark, a small dialect of Python made to be
// embedded: a script reaches no file, no network, no clock and no environment, and the same
// input always gives the same result.
//
// The interpreter counts steps, but one step may do any amount of work: "x" * 1000000000,
// list(range(1000000000)), or str() of a list that holds itself twice, forty levels deep. So
// before a script is compiled, every operator, attribute and slice in its syntax tree is
// replaced by a call of ours, which weighs what it is about to do (program.go, guard.go).
// Interpreting stays the library's work; a script cannot name our calls, since their names
// are no identifiers.
//
// The invariant: whatever a script does, it ends within its time and a bounded amount of
// memory, with a result or with an error that says what was too much.
package code
