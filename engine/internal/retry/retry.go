// Package retry repeats calls of a store that are safe to repeat.
//
// A store that is unreachable for a moment must not change a decision, such as the path that a
// session takes. So the reads and writes on which a decision depends are repeated until the store
// answers or the caller gives up.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// Do repeats a call of the store while it says to try again and ctx lives.
func Do[T any](ctx context.Context, call func() (T, error)) (T, error) {
	return Unless(ctx, func(error) bool { return false }, call)
}

// Unless is Do that ends with errors for which enough is true, too. When ctx ends during a call, its
// error also says why the call before it failed.
func Unless[T any](ctx context.Context, enough func(error) bool, call func() (T, error)) (out T, err error) {
	err = unless(ctx, enough, func() error { out, err = call(); return err })
	return out, err
}

func unless(ctx context.Context, enough func(error) bool, call func() error) (before error) {
	for attempt := 0; ; attempt++ {
		err := call()
		if err == nil || !Transient(err) || enough(err) {
			if err != nil && before != nil && ctx.Err() != nil {
				err = fmt.Errorf("%w (%w)", before, err)
			}
			return err
		}
		before = err
		if cause := sleep.For(ctx, Backoff(attempt)); cause != nil {
			return fmt.Errorf("%w (%w)", err, cause)
		}
	}
}

// Transient reports whether the same call of the store may be retried.
func Transient(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome)
}

// Backoff is 10 ms, doubled up to 2 s, with a third of jitter.
func Backoff(attempt int) time.Duration {
	d := 10 * time.Millisecond << min(attempt, 8)
	d = min(d, 2*time.Second)
	return d - time.Duration(rand.Int64N(int64(d)/3+1))
}
