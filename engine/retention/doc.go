// Package retention removes sessions that ended long enough ago: which ones (Keep), found and
// removed in bounded pages (Remover), written to files before they go (Archive), at a pace that
// leaves the store to others (Prune).
//
// A session goes with all its child sessions or not at all: a parent whose children are gone
// could not be shown, and a child without its parent belongs to nobody. A session goes only if
// the store, under its lock, finds it exactly as it was read and archived.
//
// The obvious way, one statement that deletes everything older than a date, holds locks for
// minutes, deletes sessions that a person has just taken up again, and leaves nothing to look
// up. The invariant here: a session is in the store or, whole, in a file that is on disk; in
// both only until the next run has finished what was cut off.
package retention
