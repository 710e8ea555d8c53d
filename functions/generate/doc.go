// Package generate implements the function utils.generate.generate, which calls a model.
//
// The operator configures which model answers (models.Catalog). This package builds one
// request from the step's input, validates a structured answer against its schema, and repeats
// the request once, with the validation errors, if the answer does not match.
//
// Invariant: the step gets a valid answer, or an error; a failure is never returned as an
// output.
package generate
