// Package cypher is the Neo4j store: sessions, their history and the workflows as nodes
// and relationships that people can look at and edit in Neo4j Browser.
//
// Every query is a file in queries, with parameters, and can be pasted into Neo4j
// Browser; nothing is put together from strings, and nothing needs APOC or the
// Enterprise edition. Neo4j reads what is committed at the moment of reading, so a
// compare of versions alone loses updates. The invariant of this package is therefore:
// whoever changes a SESSION takes its write lock first (SET s.lock = 0), in the order of
// ids where there are several, and looks at it only then.
package cypher
