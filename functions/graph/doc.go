// Package graph implements the function graph.query, which reads the graph with a Cypher query
// of the workflow.
//
// References in the query become parameters, so answers and model texts are values and never
// part of the query text. A query that could write is refused by three checks: of its text
// when the workflow is loaded, of the server's plan, and by the read access mode of the
// transaction.
//
// Invariant: a query changes nothing and returns a bounded number of rows and bytes within a
// bounded time.
package graph
