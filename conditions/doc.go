// Package conditions is the condition language of paths: it decides whether a
// path opens, and explains the decision clause by clause.
//
// A condition is one of
//
//	nothing, blank text                       open
//	"@{SESSION_ID}.ask.response"              open when the operand is true
//	{"true": operand, "false": operand}       a clause each; joined by AND
//	{"operator": "OR", "true": …, "false": …} joined by the object's own operator
//	{"when": "@{SESSION_ID}.ask.response == 'red'"}
//	"when @{SESSION_ID}.score.value >= 3"     a comparison
//	[condition, …]                            joined by the operator of the path
//
// A comparison may also stand in the place of an operand of "true" and "false".
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
// # Comparisons
//
// A comparison is an expression of package expressions whose names are references. Each
// reference is bound as a value and never pasted into the text, so what a person answers
// cannot change what is compared. A default may be quoted and is read as JSON where it is
// JSON: "@{SESSION_ID}.score.value|0 >= 3" compares numbers. true, false and null are known
// beside Python's True, False and None. A reference with neither value nor default makes
// what it stands in unknown, as NULL does in SQL, and a comparison that stays unknown is
// false; "is None" asks for it. An expression that fails, as > between a text and a number
// does, closes the whole path like anything that cannot be read.
//
// A plain text that mixes a reference with other text is no comparison: it is a text that is
// never empty, so always true. [Meant] finds it for tools that check workflows.
//
// # What cannot be read
//
// JSON that does not parse, an unknown operator, an unknown or repeated key, an
// object with neither "true", "false" nor "when", lists deeper than [MaxDepth], and an
// operand whose resolving fails: each closes the whole path and says why. It
// never opens one, not even below a "false" or an OR.
//
// # Why every clause is evaluated
//
// A verdict is shown to people who ask why a path did not open, so evaluation
// does not stop at the first clause that decides. Conditions have a handful of
// clauses, and looking up an operand is cheap. The first error is the verdict's.
//
// # Why conditions knows two other languages
//
// A comparison is made of references and an expression. Asking for both through interfaces
// that the engine wires would let two engines read one workflow differently. The three
// packages are pure languages: they import one another, and nothing else of ours.
//
// # Invariant
//
// A verdict depends on the stored condition and the resolved operands only.
package conditions
