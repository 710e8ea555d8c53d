// Package input holds what step functions share to read their input: a JSON object whose
// order counts, and fields that take a value in the form in which references give it. An
// answer typed by a person is text, so "7" and "true" are taken where a number or a truth
// value is wanted; a model's output is an object, so it is taken where text is wanted.
package input
