package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// TestWhyIsKept: a call that the end of its context cuts off does not hide why the store was
// asked again.
func TestWhyIsKept(t *testing.T) {
	away := fmt.Errorf("%w: database eu: connection refused", store.ErrUnavailable)
	slow := errors.New("the request took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := 0
	_, err := retry.Do(ctx, func() (int, error) {
		if calls++; calls == 1 {
			return 0, away
		}
		cancel(slow)
		return 0, context.Cause(ctx)
	})
	if !errors.Is(err, away) || !errors.Is(err, slow) || calls != 2 {
		t.Errorf("after %d calls: %v", calls, err)
	}
	lost := errors.New("lost")
	if _, err := retry.Do(t.Context(), func() (int, error) { return 0, lost }); err != lost {
		t.Errorf("an error that says nothing of trying again: %v", err)
	}
}
