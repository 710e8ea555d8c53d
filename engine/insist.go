package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// insist repeats a call of the store while it says to try again and ctx lives.
func insist[T any](ctx context.Context, call func() (T, error)) (T, error) {
	return insistUnless(ctx, func(error) bool { return false }, call)
}

// insistUnless is insist that ends with errors for which enough is true, too.
func insistUnless[T any](ctx context.Context, enough func(error) bool, call func() (T, error)) (T, error) {
	for attempt := 0; ; attempt++ {
		out, err := call()
		if err == nil || !transient(err) || enough(err) {
			return out, err
		}
		if cause := sleep(ctx, backoff(attempt)); cause != nil {
			return out, fmt.Errorf("%w (%w)", err, cause)
		}
	}
}

// transient tells whether the store may be asked the same thing again.
func transient(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknownOutcome)
}

// backoff is 10 ms, doubled up to 2 s, with a third of jitter.
func backoff(attempt int) time.Duration {
	d := 10 * time.Millisecond << min(attempt, 8)
	d = min(d, 2*time.Second)
	return d - time.Duration(rand.Int64N(int64(d)/3+1))
}

// sleep waits d, or less when ctx ends, which it then returns.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
