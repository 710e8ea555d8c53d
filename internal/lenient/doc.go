// Package lenient reads the JSON that people and models write: JSON5 (single quotes, keys
// without quotes, trailing commas, comments, more forms of numbers), and texts of which an
// editor has escaped the quotes and brackets. What it gives is strict JSON.
//
// The forms beyond JSON5 are tried only on a text that is none, so that a text which is
// JSON already always means what it says.
package lenient
