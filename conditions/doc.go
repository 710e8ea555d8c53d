// Package conditions implements the condition language of paths. It decides whether a path is
// taken and explains the decision clause by clause.
//
// A condition is one of
//
//	nothing, blank text                       always true
//	"@{SESSION_ID}.ask.response"              true if the operand is true
//	{"true": operand, "false": operand}       one clause for each key; joined by AND
//	{"operator": "OR", "true": …, "false": …} joined by the object's own operator
//	{"when": "@{SESSION_ID}.ask.response == 'red'"}
//	"when @{SESSION_ID}.score.value >= 3"     a comparison
//	[condition, …]                            joined by the operator of the path
//
// The operands of "true" and "false" may also be comparisons.
//
// A text whose first character other than white space is "[" or "{" is parsed as JSON, both as
// the whole condition and as an element of a list. An operand is never parsed as JSON. A
// nested list is joined by the operator of the path too.
//
// # Values
//
// An operand that is text is resolved by the caller's [Resolver]; a text without references is
// its own value. Any other operand is a literal. These values are false: a missing value,
// null, false, 0, empty text, an empty list, an empty object and the text "false" in any case.
// All other values are true.
//
// # Comparisons
//
// A comparison is an expression of package expressions in which references are names. Each
// reference is bound as a value and never inserted into the text, so an answer cannot change
// the comparison. A default may be quoted; if it is valid JSON it is read as JSON:
// "@{SESSION_ID}.score.value|0 >= 3" compares numbers. true, false and null are accepted
// besides Python's True, False and None. A reference with neither value nor default makes the
// expression around it unknown, as NULL does in SQL. A comparison whose result is unknown is
// false; "is None" tests for a missing value. If an expression fails, such as > between a text
// and a number, the path is not taken and the verdict has the error.
//
// A plain text that mixes a reference with other text is not a comparison. It is a text that
// is never empty and so always true. [Meant] detects it for tools that check workflows.
//
// # Errors
//
// These are errors: JSON that does not parse, an unknown operator, an unknown or repeated key,
// an object with neither "true", "false" nor "when", lists nested deeper than [MaxDepth], and
// an operand that cannot be resolved. With an error the whole path is not taken, even if the
// error is below a "false" or an OR. The verdict has the first error.
//
// # Why every clause is evaluated
//
// A verdict is shown to people who ask why a path was not taken. Evaluation therefore does not
// stop at the first clause that decides. A condition has few clauses, and resolving an operand
// is cheap.
//
// # Why conditions imports two other languages
//
// A comparison consists of references and an expression. If the engine supplied both through
// interfaces, two engines could interpret one workflow differently. The three packages are
// languages without side effects: they import one another and no other package of this module.
//
// # Invariant
//
// A verdict depends only on the stored condition and the resolved operands.
package conditions
