// Package expressions evaluates the expressions in conditions of paths. Syntax and semantics
// are a subset of Python's:
//
//	len(input) > 100 and 'error' not in input.lower()
//
// # What is supported
//
// None, True, False, numbers, text, lists, sets and dictionaries; and, or, not, x if c else y;
// comparisons, also chained, in, and is for None, True and False; + - * / // % ** on numbers,
// + on texts and lists; indexing and slices, by character; f-strings and format without format
// specifications; list comprehensions and generators; the functions and methods listed in
// [Functions] and [Methods]. As in Python, empty and zero values are false.
//
// # What is not supported
//
// Format specifications, the % operator on text, the bit operators, operators on sets,
// dictionary comprehensions, arguments by name, unknown names, attributes other than the listed
// methods, lambda, assignment, statements. The error names the part. An expression cannot reach
// a class, a module, a file or the clock. Untrusted expressions are therefore safe to evaluate,
// and the result depends only on the given names.
//
// # Where it differs from Python
//
// Whole numbers have 64 bits; anything beyond them is an error. A tuple is a list. A generator is
// evaluated at once, except by any and all, which stop at the first item that decides.
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
