// Package code runs scripts of steps in Starlark, a dialect of Python for embedding: a script
// has no access to files, network, clock or environment, and the same input always gives the
// same result.
//
// The interpreter counts steps, but one step may do an unbounded amount of work: "x" *
// 1000000000, list(range(1000000000)), or str() of a list that contains itself twice, forty
// levels deep. Before a script is compiled, every operator, attribute and slice in its syntax
// tree is therefore replaced by a call of a guard function, which checks the cost of the
// operation first (program.go, guard.go). The interpreter is otherwise unchanged. A script
// cannot call the guard functions, because their names are not identifiers.
//
// Invariant: every script ends within its time limit and a bounded amount of memory, with a
// result or with an error that names the limit.
package code
