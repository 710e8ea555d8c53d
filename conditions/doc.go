// Package conditions is the condition language of paths: it decides whether a
// path opens, and explains the decision clause by clause.
//
// A condition is one of
//
//	nothing, blank text                       open
//	"@{SESSION_ID}.ask.response"              open when the operand is true
//	{"true": operand, "false": operand}       a clause each; joined by AND
//	{"operator": "OR", "true": …, "false": …} joined by the object's own operator
//	[condition, …]                            joined by the operator of the path
//
// A text that begins with "[" or "{" after blanks is JSON, as the whole
// condition and as an item of a list. An operand never is. A list in a list is
// joined by the path's operator too.
//
// # Values
//
// An operand that is text is resolved by the [Resolver] of the caller; a text
// without references comes back as itself. Any other operand is a literal. False
// are: what is missing, null, false, 0, empty text, an empty list, an empty
// object and the text "false" in any case. Everything else is true.
//
// # What cannot be read
//
// JSON that does not parse, an unknown operator, an unknown or repeated key, an
// object with neither "true" nor "false", lists deeper than [MaxDepth], and an
// operand whose resolving fails: each closes the whole path and says why. It
// never opens one, not even below a "false" or an OR.
//
// # Why every clause is evaluated
//
// A verdict is shown to people who ask why a path did not open, so evaluation
// does not stop at the first clause that decides. Conditions have a handful of
// clauses, and looking up an operand is cheap. The first error is the verdict's.
//
// # Invariant
//
// A verdict depends on the stored condition and the resolved operands only.
package conditions
