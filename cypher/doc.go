// Package cypher is the Neo4j store. Sessions, their history and the workflows are nodes and
// relationships that people can read and edit in Neo4j Browser.
//
// Every query is a file in queries, has parameters and can be pasted into Neo4j Browser. No
// query text is concatenated, and no query needs APOC or the Enterprise edition. Neo4j's
// isolation level is read committed, so comparing versions alone would lose updates. The
// invariant of this package is therefore: a transaction that changes a SESSION first takes its
// write lock (SET s.lock = 0), several in the order of their ids, and reads the session only
// after that.
package cypher
