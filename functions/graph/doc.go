// Package graph reads the graph for steps, with a Cypher query that stands in the workflow.
//
// References in the query become parameters, so what a person or a model said is a value and
// never a part of the text. A query that could do more than read is refused three times: by
// its text when the workflow is loaded, by the server's plan, and by the transaction.
//
// The invariant: a query changes nothing, and gives at most as many rows and bytes as it may,
// in bounded time.
package graph
