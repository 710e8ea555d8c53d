// Package cypherfile reads and writes workflow files: .cypher text that Neo4j runs as it
// is. No Cypher library for Go exists, and the embedded store has no Cypher at all, so
// this package knows the part of the language that such files are written in: CREATE and
// MERGE of patterns, MATCH and OPTIONAL MATCH by labels and properties, SET, REMOVE,
// DELETE, DETACH DELETE, WITH and a final RETURN. Everything else is refused by its name,
// with line and column.
//
// A file is run on an empty graph of its own, statement by statement, with Cypher's
// meaning (rows, variables, null); what the graph holds afterwards is the result. So a
// `MATCH (s:STEP) DETACH DELETE s` at the top of a file touches nothing but the file.
// The invariant: a file gives everything it says, or an error with a place; never a part.
package cypherfile
