package engine

import (
	"fmt"
	"sync"
	"time"
)

// A pulse knows when an engine's search for due work last got through to the store. Every
// engine searches about once a second, so it is the sign that the engine works.
type pulse struct {
	mu   sync.Mutex
	last time.Time
	err  error // of the newest search
}

func (p *pulse) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err = err; err == nil {
		p.last = time.Now()
	}
}

func (p *pulse) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.err = time.Now(), nil
}

// Working returns nil while the engine gets through to its store or does not run at all, and
// what is wrong when its searches for due work have failed or hung for half a lease.
func (e *Engine) Working() error {
	e.mu.Lock()
	running := e.running
	e.mu.Unlock()
	if !running {
		return nil
	}
	p := &e.polled
	p.mu.Lock()
	defer p.mu.Unlock()
	since := time.Since(p.last)
	if since < max(e.o.LeaseFor/2, 2*e.o.PollEvery) {
		return nil
	}
	if p.err != nil {
		return fmt.Errorf("no search for due work has succeeded for %s: %w", since.Round(time.Second), p.err)
	}
	return fmt.Errorf("the search for due work has waited for the store for %s: %w", since.Round(time.Second), ErrStoreSlow)
}
