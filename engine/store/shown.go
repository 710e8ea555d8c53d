package store

import "context"

type shownKey struct{}

// Shown marks reads that are made to be shown and that nothing is decided by: lists, counts, pages
// of a history. A store may answer them from a copy of its database that has everything that was
// committed when the read began, such as a follower of a cluster.
func Shown(ctx context.Context) context.Context { return context.WithValue(ctx, shownKey{}, true) }

// IsShown reports whether the reads of a context are marked so.
func IsShown(ctx context.Context) bool { return ctx.Value(shownKey{}) != nil }
