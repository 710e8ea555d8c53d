// Package references is the reference language: texts and JSON inputs that
// name outputs of earlier steps of the same session.
//
//	@{SESSION_ID}.step[index].field.field|default
//
// A text that is one reference, or a chain of them ending in a plain default,
// is lone and gives a value with its JSON type. Every other text with a
// reference is a template and gives text. [Parse] compiles a text, [ParseInput]
// a whole JSON object, [Bind] a program text, into which values must never be
// pasted. What is compiled is immutable, safe for concurrent use and worth
// keeping: resolving it never looks at the source text again.
//
// # Grammar
//
//	reference = "@{" id "}" [ "." name [ index ] { "." name | index } ]
//	index     = "[" [ "-" ] digit { digit } "]"
//	name      = one or more letters of any script, combining marks, digits, "_", "-"
//	id        = SESSION_ID or the session's own id: no white space, no control character, no brace
//	lone      = reference [ "|" ( lone | plain text without a reference ) ]
//
// White space may stand at both ends of a lone text and around its "|".
//
// In a template a default follows its reference directly. It is a chain of
// references, or plain text up to white space or the next reference, without
// trailing closing punctuation: in "@{SESSION_ID}.a.x|1,@{SESSION_ID}.b.y|2"
// the comma belongs to the template and both references are always read.
// A "@{" that is never closed, or holds no id, is plain text.
//
// # Forms
//
// Below the outermost object of an input two objects stand for something else,
// when they have exactly these keys and kinds of value:
//
//	{"@text": [part, ...], "@join": "separator"}   ("@join" may be left out)
//	{"@literal": value}
//
// @text is one text, made of its parts: each is resolved as it would be anywhere
// else and then read as text, null as none, what is no text as compact JSON. It
// serves where a reference is followed by text directly, or a default holds
// blanks: {"@text": ["Hi ", "@{SESSION_ID}.ask.name|dear guest", ", welcome"]}.
// The separator is never scanned. Blanks beside a lone reference belong to it
// here too, so they stand in a part of their own. @literal is its value as it is
// written, never scanned for references.
//
// # Why not decode
//
// Values are JSON text from end to end. A path is walked through the text and
// the value found is cut out of it, so number literals and the order of keys
// stay what the state says and nothing is decoded only to be encoded again.
// Values may therefore share memory with the outputs they were cut from and
// with the compiled input: they must not be modified.
//
// # Invariant
//
// Resolving reads outputs of one session, runs nothing, and looks at each part
// of a text once: text that came out of a value is never scanned for references.
package references
