package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// A claim is this engine's hold on one session: the session id, the lease, and the store's clock.
// It is all that code running beside the session's goroutine needs.
type claim struct {
	e        *Env
	ctx      context.Context // of the runner; cancelled when the lease is lost or the engine stops
	log      *slog.Logger
	id       string
	lease    string
	workflow string
	root     string // the topmost session this one descends from
	offset   clockOffset
	beat     atomic.Int64  // when the newest lease extension was requested, Unix ns
	lost     chan struct{} // closed when another worker has taken the session
	losing   sync.Once     // closes lost
	person   atomic.Bool   // a person's request has changed the session since the claim
	seat     Seat          // the session's share of the engine's capacity
	trial    *trial        // of Preapply, until its checkpoint is written; nil otherwise
	stopNow  bool          // the engine stops: give up the lease at once
}

// now returns the store's clock in Unix milliseconds.
func (r *claim) now() int64 { return time.Now().Add(r.offset.get()).UnixMilli() }

// nowTime returns the store's clock.
func (r *claim) nowTime() time.Time {
	return time.Now().Add(r.offset.get()).UTC().Truncate(time.Millisecond)
}

// Leased returns when the newest extension of the lease was requested.
func (r *claim) Leased() time.Time { return time.Unix(0, r.beat.Load()) }

// Lose records that another worker has taken the session.
func (r *claim) Lose() {
	r.losing.Do(func() { close(r.lost) })
}

// leaseForCall returns when at least a third of the lease is left, extending it if necessary. No
// call starts while the store is unreachable.
func (r *claim) leaseForCall(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		if time.Since(r.Leased()) <= r.e.LeaseFor*2/3 {
			return context.Cause(ctx)
		}
		switch err := r.extend(ctx); {
		case err == nil:
		case errors.Is(err, ErrLost):
			r.Lose()
			return err
		default:
			if cause := sleep.For(ctx, retry.Backoff(attempt)); cause != nil {
				return cause
			}
		}
	}
}

func (r *claim) extend(ctx context.Context) error {
	asked := time.Now()
	lost, err := r.e.Store.Extend(ctx, []store.LeaseRef{{Session: r.id, Token: r.lease}}, r.e.LeaseFor)
	switch {
	case err != nil:
		return err
	case len(lost) > 0:
		return ErrLost
	}
	r.beat.Store(asked.UnixNano())
	return nil
}
