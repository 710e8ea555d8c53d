// Package sqlite is the embedded store: one file, no server, the default of `stepgraph dev`.
// It keeps the same graph as the other stores, in tables.
//
// All writes use one connection, one transaction at a time, started with BEGIN IMMEDIATE and
// synced to disk at the commit (WAL, synchronous=FULL). Reads use other connections and never
// wait for the writer. The write lock covers the whole file, so the guard of a checkpoint is a
// plain `UPDATE … WHERE version AND lease`: neither this nor another process can write between
// its check and its write.
//
// Invariant: what a method has reported as written is on disk. Times are read from the clock
// after the write lock was taken, so the order of times is the order of writes.
//
// The SQL statements are in sql/, one file each, and in migrations/.
package sqlite
