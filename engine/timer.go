package engine

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// A dueTimer remembers when sessions of this engine fall due soon, so that a retry in 20 ms does
// not wait for the next poll. It only saves time: the stored due_at decides.
type dueTimer struct {
	mu      sync.Mutex
	times   timeHeap
	changed chan struct{}
}

// dueTimerRoom is how many due times are remembered; polling finds the others. dueTimerAhead is how
// far ahead of now a due time may be: later ones would only displace those that are due soon.
const (
	dueTimerRoom  = 10_000
	dueTimerAhead = 10 * time.Second
)

func newDueTimer() *dueTimer { return &dueTimer{changed: make(chan struct{}, 1)} }

func (d *dueTimer) add(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.times) >= dueTimerRoom || time.Until(at) > dueTimerAhead {
		return
	}
	heap.Push(&d.times, at)
	if d.times[0].Equal(at) {
		select {
		case d.changed <- struct{}{}:
		default:
		}
	}
}

// wait returns after most, at the earliest remembered due time, or when woken; it returns ctx's error when ctx ends.
func (d *dueTimer) wait(ctx context.Context, most time.Duration, wake <-chan struct{}) error {
	until := time.Now().Add(most)
	for {
		t := time.NewTimer(time.Until(d.earliest(until)))
		select {
		case <-t.C:
			d.forgetPassed()
			return nil
		case <-wake:
			t.Stop()
			return nil
		case <-d.changed:
			t.Stop()
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		}
	}
}

func (d *dueTimer) earliest(otherwise time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.times) > 0 && d.times[0].Before(otherwise) {
		return d.times[0]
	}
	return otherwise
}

func (d *dueTimer) forgetPassed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for now := time.Now(); len(d.times) > 0 && !d.times[0].After(now); {
		heap.Pop(&d.times)
	}
}

type timeHeap []time.Time

func (h timeHeap) Len() int           { return len(h) }
func (h timeHeap) Less(i, j int) bool { return h[i].Before(h[j]) }
func (h timeHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push and Pop are heap.Interface.
func (h *timeHeap) Push(x any) { *h = append(*h, x.(time.Time)) }

// Pop removes the last element.
func (h *timeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// alarms wake the engine's loops that look for due work.
type alarms struct {
	wake  chan struct{} // due work may be there
	turns chan struct{} // so may sessions that get their turn
	timer *dueTimer
}

// wakeUp makes pollLoop look for due work now.
func (a *alarms) wakeUp() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// dueAt makes the next poll happen when a session falls due.
func (a *alarms) dueAt(at time.Time, offset time.Duration) {
	if at.IsZero() {
		return
	}
	a.timer.add(at.Add(-offset))
}
