// Package expressions evaluates the expressions in conditions of paths. Syntax and semantics
// are a subset of Python's:
//
//	len(input) > 100 and 'error' not in input.lower()
//
// # What is supported
//
// None, True, False, numbers (integers of any size up to a limit), text, lists, tuples, sets,
// dictionaries; and, or, not, x if c else y; comparisons, also chained, in, is; + - * / // %
// ** and the bit operators; indexing and slices, by character; f-strings, adjacent literals;
// comprehensions; the functions and methods listed in [Functions] and [Methods]. As in Python,
// empty and zero values are false.
//
// # What is not supported
//
// Undefined names, attributes other than the listed methods, calls of anything else, lambda,
// assignment, statements. An expression cannot reach a class, a module, a file or the clock.
// Untrusted expressions are therefore safe to evaluate, and the result depends only on the
// given names.
//
// # Why not an interpreter
//
// Python has no safe sandbox. Starlark differs in common expressions (chained comparisons, is
// None, length in characters, truth values) and does not limit memory. This package bounds the
// length and depth of the source, the number of steps and the bytes allocated, before they are
// used; see [Limits].
//
// # Invariant
//
// Evaluation reads the given names and changes neither them nor the expression, so one
// [Expression] is safe for concurrent use.
package expressions
