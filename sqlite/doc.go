// Package sqlite is the embedded store: one file, no server, the default of
// `stepgraph dev`. It keeps the same graph as the other stores, in tables.
//
// All writes go through one connection, one transaction at a time, opened with BEGIN
// IMMEDIATE and synced to disk at its commit (WAL, synchronous=FULL). Reads use
// connections of their own and never wait for the writer. Because the write lock is the
// whole file's, the guard of a checkpoint is a plain `UPDATE … WHERE version AND lease`:
// nothing can come between its check and its write, from this process or another.
//
// The invariant: what a method has returned as written is on disk, and time is the clock
// read after the write lock was taken, so the order of times is the order of writes.
//
// All SQL stands in sql/, one statement a file, and in migrations/.
package sqlite
