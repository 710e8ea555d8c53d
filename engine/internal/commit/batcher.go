package commit

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A batcher hands rows of many callers to one function in groups: as many as have
// gathered while the groups before were under way. A lone caller does not wait. Its
// goroutines end when nothing waits.
//
// While one group is under way, a second starts only with minSecondGroup rows: a transaction has a fixed
// cost, and the rows that would share it now can share it with more rows a moment later. If the
// groups under way take longer than maxQueueWait, the waiting rows no longer wait for them.
type batcher[In, Out any] struct {
	do      func(ctx context.Context, rows []In) ([]Out, error)
	size    func(*In) int // bytes of a row
	writers int           // groups under way at once
	// refusing, if set, reports transient errors that are returned to callers at once.
	refusing func(error) bool
	// distinct, if set, keeps rows of one key out of each other's group.
	distinct func(*In) string

	mu     sync.Mutex
	queue  []*batchItem[In, Out]
	active int  // groups under way
	timed  bool // a timer will call start
}

// Bounds of one group: more rows add only latency.
const (
	batchRows  = 200
	batchBytes = 1 << 20
)

// When a group starts beside others: with so many rows, or after its rows have waited for so long.
const (
	minSecondGroup = 50
	maxQueueWait   = 50 * time.Millisecond
)

// slowAtMost is how often a group may be too slow for the store before it is split.
const slowAtMost = 2

type batchItem[In, Out any] struct {
	caller context.Context // a row whose caller has left before its group begins is not written
	ctx    context.Context // ends when no caller needs the outcome any more
	asked  time.Time
	in     In
	out    Out
	err    error
	done   chan struct{}
}

// submit waits until the row's group is done. When ctx ends first the row may still be
// written: the outcome is unknown.
func (b *batcher[In, Out]) submit(ctx context.Context, in In) (Out, error) {
	return b.wait(ctx, &batchItem[In, Out]{caller: ctx, ctx: ctx, in: in}, func(Out, error) {})
}

// submitThen is submit; it calls settled with the outcome, also when that is known only after ctx
// has ended. A write that is under way then is not cut off but given some time: a lease that it takes
// would have no runner.
func (b *batcher[In, Out]) submitThen(ctx context.Context, in In, settled func(Out, error)) (Out, error) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(outlast, cancel) })
	return b.wait(ctx, &batchItem[In, Out]{caller: ctx, ctx: longer, in: in}, func(out Out, err error) {
		stop()
		cancel()
		settled(out, err)
	})
}

// outlast is how long a write under way goes on without its caller.
const outlast = 5 * time.Second

// wait submits an item and waits for it, or for the end of ctx.
func (b *batcher[In, Out]) wait(ctx context.Context, item *batchItem[In, Out], settled func(Out, error)) (Out, error) {
	item.asked, item.done = time.Now(), make(chan struct{})
	b.mu.Lock()
	b.queue = append(b.queue, item)
	b.start()
	b.mu.Unlock()
	select {
	case <-item.done:
		settled(item.out, item.err)
		return item.out, item.err
	case <-ctx.Done():
		go func() {
			<-item.done
			settled(item.out, item.err)
		}()
		var none Out
		return none, errors.Join(store.ErrUnknownOutcome, context.Cause(ctx))
	}
}

// start begins a group of what waits, if a writer is free and the group is due. It is called with
// mu held.
func (b *batcher[In, Out]) start() {
	if b.active == b.writers || len(b.queue) == 0 {
		return
	}
	switch wait := b.left(b.active); {
	case wait <= 0:
		b.active++
		go b.work()
	case !b.timed:
		b.timed = true
		time.AfterFunc(wait, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.timed = false
			b.start()
		})
	}
}

// left returns how long what waits is still left to the other groups under way, of which there are
// others.
func (b *batcher[In, Out]) left(others int) time.Duration {
	if others == 0 || len(b.queue) == 0 || len(b.queue) >= minSecondGroup {
		return 0
	}
	return maxQueueWait - time.Since(b.queue[0].asked)
}

func (b *batcher[In, Out]) work() {
	for {
		group := b.take()
		if group == nil {
			return
		}
		b.finish(group)
	}
}

// take returns the next group, or nil when the writer is to end: nothing waits, or what waits is
// left to the groups under way.
func (b *batcher[In, Out]) take() []*batchItem[In, Out] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left(b.active-1) > 0 {
		b.active--
		b.start()
		return nil
	}
	var group, later []*batchItem[In, Out]
	bytes := 0
	seen := map[string]bool{}
	for i, item := range b.queue {
		if len(group) == batchRows || len(group) > 0 && bytes > batchBytes {
			later = append(later, b.queue[i:]...)
			break
		}
		if item.caller.Err() != nil {
			item.err = context.Cause(item.caller)
			close(item.done)
			continue
		}
		if b.distinct != nil {
			key := b.distinct(&item.in)
			if seen[key] {
				later = append(later, item)
				continue
			}
			seen[key] = true
		}
		group = append(group, item)
		if b.size != nil {
			bytes += b.size(&item.in)
		}
	}
	b.queue = later
	if len(group) == 0 {
		b.active--
	}
	return group
}

// finish sends a group until its outcome is known. A transient failure sends it again
// whole; a lasting one sends its rows one by one, so that one row's fault stays its own. A
// group that is too slow for the store again and again is sent in halves: the whole would
// never get through.
func (b *batcher[In, Out]) finish(group []*batchItem[In, Out]) {
	rows := make([]In, len(group))
	for i, item := range group {
		rows[i] = item.in
	}
	out, err := b.send(group, rows)
	switch {
	case err == nil:
		for i, item := range group {
			item.out = out[i]
		}
	case len(group) > 1 && errors.Is(err, store.ErrStoreSlow):
		half := len(group) / 2
		b.finish(group[:half])
		b.finish(group[half:])
		return
	case len(group) > 1 && !retry.Transient(err):
		for i := range group {
			b.finish(group[i : i+1])
		}
		return
	default:
		for _, item := range group {
			item.err = err
		}
	}
	for _, item := range group {
		close(item.done)
	}
}

// send repeats a group while the store says to try again and a caller still waits.
func (b *batcher[In, Out]) send(group []*batchItem[In, Out], rows []In) ([]Out, error) {
	ctx, cancel := waitedFor(group)
	defer cancel()
	slow, unknown := 0, false
	return retry.Unless(ctx, func(err error) bool {
		if errors.Is(err, store.ErrStoreSlow) {
			slow++
		}
		unknown = unknown || errors.Is(err, store.ErrUnknownOutcome)
		return len(rows) > 1 && slow == slowAtMost || b.refusing != nil && b.refusing(err) && !unknown
	}, func() ([]Out, error) { return b.do(ctx, rows) })
}

// waitedFor returns a context that ends when no caller waits for the group any more.
func waitedFor[In, Out any](group []*batchItem[In, Out]) (context.Context, context.CancelFunc) {
	if len(group) == 1 {
		return context.WithCancel(group[0].ctx)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(group[0].ctx))
	left := len(group)
	var mu sync.Mutex
	stops := make([]func() bool, len(group))
	for i, item := range group {
		stops[i] = context.AfterFunc(item.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
