// Package sleep waits for a duration or until a context ends.
package sleep

import (
	"context"
	"time"
)

// For waits for d. When ctx ends first it returns the cause.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
