// Package cypherfile reads and writes workflow files: .cypher text that Neo4j runs unchanged.
// There is no Cypher library for Go, and the embedded store does not support Cypher, so this
// package implements the subset of the language that such files use: CREATE and MERGE of
// patterns, MATCH and OPTIONAL MATCH by labels and properties, SET, REMOVE, DELETE, DETACH
// DELETE, WITH and a final RETURN. Any other clause is refused by its name, with line and
// column.
//
// A file is executed on an empty graph, statement by statement, with Cypher's semantics (rows,
// variables, null). The resulting graph is the workflow. A `MATCH (s:STEP) DETACH DELETE s` at
// the top of a file therefore affects only the file. Invariant: reading a file returns
// everything it defines, or an error with a position, never a part.
package cypherfile
