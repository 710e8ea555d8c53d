// Package generate asks models: the function utils.generate.generate.
//
// Which model answers is the operator's choice (models.Catalog). This package turns a step's
// input into one request, checks a structured answer against its schema, and asks once more,
// with the faults shown, when it does not fit.
//
// The invariant: what a step gets is an answer that it can use, and every failure is an error
// of the step, never an output that looks like an answer.
package generate
