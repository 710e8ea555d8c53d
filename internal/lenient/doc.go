// Package lenient reads JSON as people and models write it: JSON5 (single quotes, unquoted
// keys, trailing commas, comments, more number forms), and texts in which an editor escaped
// the quotes and brackets. The result is strict JSON.
//
// The forms beyond JSON5 are tried only if a text is not valid JSON5, so valid JSON always
// keeps its meaning.
package lenient
