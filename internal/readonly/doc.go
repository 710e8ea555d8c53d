// Package readonly checks from the text of a Cypher query whether it only reads.
//
// It is the first of three checks. It needs no server, so a workflow with a writing query is
// refused when it is loaded. The server then checks the plan, and the transaction uses the
// read access mode, which does not depend on the text. Reading clauses with other effects are
// refused by name: loading a file or an address, calling procedures and functions that do so.
//
// Invariant: procedures and functions with a namespace are accepted only if they are in the
// lists of this package.
package readonly
