// Package references implements the reference language: texts and JSON inputs that name
// outputs of earlier steps of the same session.
//
//	@{SESSION_ID}.step[index].field.field|default
//
// A text that consists of one reference, or of a chain of references with an optional plain
// default at the end, is a lone reference and resolves to a value with its JSON type. Any
// other text with a reference is a template and resolves to text. [Parse] compiles a text,
// [ParseInput] a JSON object, [Bind] a program text, into which values must not be inserted.
// Compiled values are immutable, safe for concurrent use and reusable: resolving does not
// parse the source text again.
//
// # Grammar
//
//	reference = "@{" id "}" [ "." name [ index ] { "." name | index } ]
//	index     = "[" [ "-" ] digit { digit } "]"
//	name      = one or more letters of any script, combining marks, digits, "_", "-"
//	id        = SESSION_ID or the session's own id: no white space, no control character, no brace
//	lone      = reference [ "|" ( lone | plain text without a reference ) ]
//
// White space is allowed at both ends of a lone text and around its "|".
//
// In a template a default follows its reference directly. It is a chain of references, or
// plain text up to white space or the next reference, without trailing closing punctuation: in
// "@{SESSION_ID}.a.x|1,@{SESSION_ID}.b.y|2" the comma belongs to the template, and both
// references are always read. A "@{" that is not closed, or has no id, is plain text.
//
// # Forms
//
// Below the outermost object of an input, two objects have a special meaning if they have
// exactly these keys and kinds of value:
//
//	{"@text": [part, ...], "@join": "separator"}   ("@join" is optional)
//	{"@literal": value}
//
// @text is one text made of its parts. Each part is resolved as anywhere else and converted to
// text: null to the empty text, other values to compact JSON. Use it where text directly
// follows a reference, or where a default contains blanks: {"@text": ["Hi ",
// "@{SESSION_ID}.ask.name|dear guest", ", welcome"]}. The separator is not scanned for
// references. Blanks beside a lone reference belong to the reference here too, so write them
// as separate parts. @literal is its value, not scanned for references.
//
// # Why values are not decoded
//
// Values are JSON text throughout. A path is followed within the text and the result is a
// slice of it, so number literals and the order of keys stay as they are in the state, and
// nothing is decoded and encoded again. Values may therefore share memory with the outputs and
// with the compiled input and must not be modified.
//
// # Invariant
//
// Resolving reads outputs of one session, executes nothing, and scans each part of a text
// once: text from a value is never scanned for references.
package references
