// Package integration reads data for tools: a recorded answer, a REST endpoint or a GraphQL
// endpoint, each with a result of one shape,
//
//	{success, data, summary, structure, metadata: {source, duration}, error, errorCode, raw, text}
//
// so that a model, or a condition, need not know where data comes from. text is what a model
// is told: the result without raw, and how to read it.
//
// A step that is itself a tool of an agent and has a TOOL path of its own hands its arguments
// on to that step and gives what came of it: a tool and its integration are two steps, and
// each access of the integration stands in the history by itself.
//
// The invariant: what goes wrong with the data is a result with success false and a code;
// only what no data can mend, such as a cancellation, ends the step with an error.
package integration
