package enginetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// Start runs an engine until stop is called or the test ends. Both wait until Run has returned;
// an error of Run fails the test.
func Start(tb testing.TB, e *engine.Engine) (stop func()) {
	tb.Helper()
	stop = run(context.WithoutCancel(tb.Context()), tb, e)
	tb.Cleanup(stop)
	return stop
}

// run is Start without the cleanup: the engine also ends with ctx.
func run(ctx context.Context, tb testing.TB, e *engine.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("engine: %v", err)
		}
	})
}
