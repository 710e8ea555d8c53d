package main

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// settlePage is how many items of a batch are looked at together.
const settlePage = 500

// Settle waits until the sessions that a batch has changed are idle: an item is done when its action
// is accepted, and no engine would continue the sessions when this process ends.
func (o *localEngine) Settle(ctx context.Context, b *api.Batch) error {
	if b.DryRun || b.Action == engine.ActionDelete {
		return nil
	}
	for after := int64(0); ; {
		items, err := o.engine.BatchItems(ctx, b.ID, engine.ItemQuery{After: after, Limit: settlePage, Outcome: engine.ItemDone})
		if err != nil || len(items) == 0 {
			return err
		}
		after = items[len(items)-1].N
		for i := range items {
			if _, err := o.engine.Wait(ctx, items[i].Session); err != nil && !errors.Is(err, engine.ErrSessionNotFound) {
				return err
			}
		}
	}
}
