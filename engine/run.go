package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/session"
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

// runNow starts the runner of a session whose lease was just taken.
func (e *Engine) runNow(p *place, c Claimed, b session.Beginning) {
	s := &seat{in: &e.holding, workflow: cmp.Or(c.Session.Workflow, DefaultWorkflow)}
	r := &held{session.New(e.env, c, s), s}
	e.mu.Lock()
	e.occupy(p, s)
	if e.stopping {
		s.leave()
		e.mu.Unlock()
		e.release([]LeaseRef{r.Lease()})
		return
	}
	if old := e.runners[r.ID()]; old != nil { // its lease has expired and this engine has taken a new one
		old.Lose()
	}
	e.runners[r.ID()] = r
	e.work.Add(1)
	life := e.life
	e.mu.Unlock()
	go func() {
		defer e.work.Done()
		e.drive(life, r, c.Session, b)
	}()
}

// drive runs one session and releases its resources afterwards.
func (e *Engine) drive(life context.Context, r *held, rec SessionRecord, b session.Beginning) {
	ctx, cancel := context.WithCancelCause(life)
	defer cancel(nil)
	err := r.Run(ctx, rec, b)
	e.mu.Lock()
	if e.runners[r.ID()] == r {
		delete(e.runners, r.ID())
	}
	r.seat.leave()
	e.mu.Unlock()
	if r.Poked() { // notified after it had last read its inbox
		e.wakeUp()
	}
	if e.limits.Limits(r.Workflow()).InTurn() { // another session may have its turn now
		signal(e.turns)
	}
	if r.End(err) {
		e.release([]LeaseRef{r.Lease()})
	}
	e.events.send(r.ID(), busEvent{version: r.Version(), rested: true})
}

// release gives leases back; a lease that cannot be given back expires.
func (e *Engine) release(leases []LeaseRef) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 2*time.Second, session.ErrStopped)
	defer cancel()
	if err := e.store.Release(ctx, leases); err != nil {
		e.o.Log.Warn("leases not given back", logCount, len(leases), logError, err)
	}
}

// holds reports whether this engine holds the session.
func (h *holding) holds(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runners[id] != nil
}

// pokeHolder notifies the session's runner that its inbox has new requests; if this engine does not
// hold the session, it looks for due work instead.
func (h *holding) pokeHolder(id string) {
	h.mu.Lock()
	r := h.runners[id]
	if r != nil {
		r.Poke() // under the lock: a runner checks once more after it has left the list
	}
	h.mu.Unlock()
	if r == nil {
		h.wakeUp()
		h.tellInbox(id)
	}
}

// leaseFor returns a new lease for a session that has a place, nil for one that has none.
func (e *Engine) leaseFor(p *place) *Lease {
	if p == nil {
		return nil
	}
	return e.o.lease()
}

// hearInbox has the engine's sessions read their inbox, and the engine look for due work, when
// other engines say so. The returned func ends it.
func (h *holding) hearInbox(relay Relay) (stop func()) {
	if relay == nil {
		return func() {}
	}
	return relay.Listen(topicInbox, func(session []byte) {
		if len(session) == 0 {
			h.wakeUp()
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if r := h.runners[string(session)]; r != nil {
			r.Poke()
		}
	}, h.wakeUp)
}
