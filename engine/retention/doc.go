// Package retention removes sessions a given time after they ended: Keep holds the rules,
// Remover finds and removes sessions in bounded pages, Archive writes them to files first, and
// Prune limits the load on the store.
//
// A session is removed together with all its child sessions or not at all: a parent without
// its children could not be shown, and a child without its parent could not be found. A
// session is removed only if the store, under its lock, finds it unchanged since it was read
// and archived.
//
// A single statement that deletes all sessions older than a date would hold locks for minutes,
// delete sessions that a person has just continued, and keep no copy. Invariant: a session is
// in the store, or complete in a file that is synced to disk; after an interrupted run it may
// be in both until the next run completes the removal.
package retention
