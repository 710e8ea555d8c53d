package shard

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/store"
)

// commits writes checkpoints, with the texts that they refer to.
type commits struct {
	*homes
	texts definitions
}

// Commit applies checkpoints. When one database fails, the caller sends all of them again: the
// others know theirs by their transitions. Package commit makes a call for each database.
func (s commits) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	groups, unknown := group(ctx, s.homes, checkpoints, func(c *store.Checkpoint) string { return c.Session })
	answers := sideBySide(ctx, homesOf(groups), func(ctx context.Context, d *database) ([]store.CommitResult, error) {
		rows := rowsIn(groups, d)
		s.texts.bringDefinitions(ctx, d, rows)
		return call(ctx, d, func(st store.Store) ([]store.CommitResult, error) { return st.Commit(ctx, rows) })
	})
	results, err := allOrError(answers)
	if err == nil {
		err = anyOf(unknown)
	}
	if err != nil {
		return nil, err
	}
	out := make([]store.CommitResult, len(checkpoints))
	for g := range groups {
		for n, i := range groups[g].at {
			out[i] = results[g][n]
		}
	}
	return out, nil
}
