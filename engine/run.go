package engine

import (
	"context"
	"errors"
	"time"
)

func (h *holding) begin(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running || h.stopping {
		return errors.New("engine: Run was called before")
	}
	h.running = true
	h.polled.begin()
	h.life, h.end = context.WithCancelCause(context.WithoutCancel(ctx))
	return nil
}

// runNow starts the runner of a session whose lease was just taken. def, if not nil, is a
// definition read for it.
func (e *Engine) runNow(p *place, c Claimed, def *Definition) {
	r := e.newRunner(c)
	r.def = def
	e.mu.Lock()
	e.occupy(p, r.claim)
	if e.stopping {
		e.leave(r.claim)
		e.mu.Unlock()
		e.release([]LeaseRef{{Session: r.id, Token: r.lease}})
		return
	}
	if old := e.runners[r.id]; old != nil { // its lease has run out and we have taken a new one
		old.loseOnce()
	}
	e.runners[r.id] = r
	e.work.Add(1)
	life := e.life
	e.mu.Unlock()
	go func() {
		defer e.work.Done()
		e.drive(life, r, c.Session)
	}()
}

// drive runs one session and cleans up behind it.
func (e *Engine) drive(life context.Context, r *runner, rec SessionRecord) {
	ctx, cancel := context.WithCancelCause(life)
	defer cancel(nil)
	r.ctx = ctx
	err := r.run(ctx, rec)
	e.mu.Lock()
	if e.runners[r.id] == r {
		delete(e.runners, r.id)
	}
	e.leave(r.claim)
	e.mu.Unlock()
	select {
	case <-r.poke: // told of something after it had looked for the last time
		e.wakeUp()
	default:
	}
	late := r.effects.abandon(errOr(err, errStopped))
	switch {
	case err == nil:
	case errors.Is(err, errLost):
		r.log.Warn("lease lost", logError, err)
		e.reportLost(r.id, append(r.unwritten.results, late...))
	case errors.Is(err, errStopped):
		e.release([]LeaseRef{{Session: r.id, Token: r.lease}})
	default:
		r.log.Error("session given up until its lease ends", logError, err)
	}
	e.events.send(r.id, busEvent{version: r.version, rested: true})
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// release gives leases back; what cannot be given back ends by itself.
func (e *Engine) release(leases []LeaseRef) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 2*time.Second, errStopped)
	defer cancel()
	if err := e.store.Release(ctx, leases); err != nil {
		e.o.Log.Warn("leases not given back", logCount, len(leases), logError, err)
	}
}

// holds tells whether this engine has the session.
func (h *holding) holds(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runners[id] != nil
}

// pokeHolder tells the session's runner in this engine, if it has one, that its inbox has
// something new; else due work is looked for.
func (h *holding) pokeHolder(id string) {
	h.mu.Lock()
	r := h.runners[id]
	if r != nil {
		r.pokeNow() // under the lock: a runner looks once more after it has left the list
	}
	h.mu.Unlock()
	if r == nil {
		h.wakeUp()
	}
}

func (r *runner) pokeNow() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}

func (r *runner) askToStop() {
	r.stopping.Store(true)
	r.pokeNow()
}

// leaseFor is a fresh lease for a session that has a place, nil for one that has none.
func (e *Engine) leaseFor(p *place) *Lease {
	if p == nil {
		return nil
	}
	return e.o.lease()
}
