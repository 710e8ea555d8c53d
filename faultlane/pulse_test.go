package faultlane

import (
	"context"
	"sync"
	"time"
)

// patience bounds what a test waits for: far more than it takes, so that only a hang
// fails by it.
const patience = 90 * time.Second

// A pulse counts what moves (calls of side effects, acknowledgements), so that faults
// strike in the middle of work and not at fixed times.
type pulse struct {
	mu      sync.Mutex
	count   int
	changed chan struct{}
}

func newPulse() *pulse { return &pulse{changed: make(chan struct{})} }

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	close(p.changed)
	p.changed = make(chan struct{})
}

// more waits until n more things have moved, or until nothing came of it within a time.
func (p *pulse) more(ctx context.Context, n int, within time.Duration) {
	late := time.NewTimer(within)
	defer late.Stop()
	p.mu.Lock()
	until := p.count + n
	p.mu.Unlock()
	for {
		p.mu.Lock()
		count, changed := p.count, p.changed
		p.mu.Unlock()
		if count >= until {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// last waits for a length of time that is itself part of a fault, such as how long a
// process stays stopped.
func last(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// until asks again and again whether something holds; it returns false when it does not
// within a time.
func until(ctx context.Context, within time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if holds() {
			return true
		}
		if last(ctx, pause); ctx.Err() != nil {
			return false
		}
	}
}
