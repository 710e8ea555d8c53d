// Package expressions evaluates the small expressions with which people say when a path is
// taken. They read as Python does and mean what they mean there:
//
//	len(input) > 100 and 'error' not in input.lower()
//
// # What there is
//
// None, True, False, numbers (whole ones of any size up to a limit), text, lists, tuples,
// sets, dictionaries; and, or, not, x if c else y; comparisons, also in chains, in, is;
// + - * / // % ** and the operators on bits; indexing and slices, by character; f-strings,
// adjacent literals; comprehensions; the functions and methods that [Functions] and
// [Methods] list. Truth is Python's: empty and zero values are false.
//
// # What there is not
//
// Names that were not given, attributes other than the listed methods, calls of anything
// else, lambda, assignment, statements. There is no way to a class, a module, a file or the
// clock, so an expression is safe to take from anybody, and gives the same result always.
//
// # Why not an interpreter
//
// Python itself has no safe form. Starlark differs in what people write most (chained
// comparisons, is None, length in characters, truth of whatever an error gave) and has no
// limit on memory. Here the length and depth of the source, the steps and the bytes made
// are bounded, see [Limits], before they are spent.
//
// # Invariant
//
// Evaluating reads the names it is given and changes nothing, neither them nor the
// expression, so one [Expression] may be used by many at once.
package expressions
