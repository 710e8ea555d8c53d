package engine

import (
	"fmt"
	"time"
)

// Load returns what the engine holds and does now.
func (e *Engine) Load() Load {
	out := Load{Workflows: map[string]WorkflowLoad{},
		Limits: LoadLimits{Sessions: e.o.MaxSessions, Waiting: e.o.MaxWaiting, Calls: e.o.Effects}}
	e.mu.Lock()
	out.Sessions = e.places.running.all
	out.Waiting = e.places.held.all - out.Sessions
	out.Late = e.places.late.Seconds()
	out.Overdue = e.places.overdue.Seconds()
	for w, held := range e.places.held.of {
		if w != anyWorkflow {
			running := e.places.running.of[w]
			out.Workflows[w] = WorkflowLoad{Sessions: running, Waiting: held - running}
		}
	}
	e.mu.Unlock()
	out.Turns = e.limits.LanesSeen()
	if e.o.Relay != nil {
		state := e.o.Relay.State()
		out.Relay = &state
	}
	e.slots.load(&out)
	return out
}

// Working returns nil while the engine reaches its store or is not running, and an error if its
// searches for due work have failed or hung for half a lease.
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
