package engine

import (
	"sync"
	"time"
)

// A pulse records when an engine's search for due work last reached the store. Every engine
// searches about once a second, so the pulse shows that the engine works.
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
