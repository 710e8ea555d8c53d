package engine

import (
	"context"
	"sync"
)

// deliveries keep the answers that this engine writes with their checkpoints (see answerAtRest) apart
// from what it delivers to the same session: either would make the other fail.
type deliveries struct {
	mu       sync.Mutex
	sessions map[string]*delivering
}

// delivering is what is under way to one session.
type delivering struct {
	count int           // deliveries that have begun or wait for alone
	alone chan struct{} // closed when the answer that is under way alone has ended; nil for none
}

// beginAlone begins an answer if nothing else is under way to the session; it returns nil otherwise.
func (d *deliveries) beginAlone(session string) (end func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[session] != nil {
		return nil
	}
	ended := make(chan struct{})
	of := &delivering{alone: ended}
	d.set(session, of)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		of.alone = nil
		close(ended)
		d.forget(session, of)
	}
}

// begin begins a delivery, after the answer that is under way alone.
func (d *deliveries) begin(ctx context.Context, session string) (end func(), err error) {
	d.mu.Lock()
	of := d.sessions[session]
	if of == nil {
		of = &delivering{}
		d.set(session, of)
	}
	of.count++
	alone := of.alone
	d.mu.Unlock()
	end = func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		of.count--
		d.forget(session, of)
	}
	if alone == nil {
		return end, nil
	}
	select {
	case <-alone:
		return end, nil
	case <-ctx.Done():
		end()
		return nil, context.Cause(ctx)
	}
}

func (d *deliveries) set(session string, of *delivering) {
	if d.sessions == nil {
		d.sessions = map[string]*delivering{}
	}
	d.sessions[session] = of
}

func (d *deliveries) forget(session string, of *delivering) {
	if of.count == 0 && of.alone == nil {
		delete(d.sessions, session)
	}
}
