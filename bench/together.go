package bench

import (
	"context"
	"sync"
)

// together calls f for 0 … n-1, at most width at once, and returns the first error.
func together(ctx context.Context, n, width int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range min(n, width) {
		all.Go(func() {
			for i := range next {
				if err := f(ctx, i); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}
