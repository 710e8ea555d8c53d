// Package integration implements the function integration, which reads data for tools: a fixed
// answer, a REST endpoint or a GraphQL endpoint. The result always has the same fields,
//
//	{success, data, summary, structure, metadata: {source, duration}, error, errorCode, raw, text}
//
// so that a model, or a condition, does not depend on the source. text is the part for a
// model: the result without raw, and instructions for reading it.
//
// A step that is a tool of an agent and has a TOOL path of its own passes its arguments to the
// target step and returns that step's result: tool and integration are two steps, and each
// access of the integration is a separate record in the history.
//
// Invariant: a failure to get the data is a result with success false and an error code. Only
// failures of the step itself, such as a cancellation, are errors.
package integration
