package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
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
func (e *Engine) runNow(p *place, c store.Claimed, b session.Beginning) {
	s := &seat{in: &e.holding, workflow: cmp.Or(c.Session.Workflow, DefaultWorkflow)}
	hold(e, p, &held{session.New(e.env, c, s), s}, c.Session, b)
}

// hold starts a runner on its place.
func hold(e *Engine, p *place, r *held, rec store.SessionRecord, b session.Beginning) {
	e.mu.Lock()
	e.occupy(p, r.seat)
	if e.stopping {
		r.seat.leave()
		e.mu.Unlock()
		leave(e, r)
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
		e.drive(life, r, rec, b)
	}()
}

// lend returns the context of the engine's work, and counts work that is done on it until done is
// called. done is nil if the engine does not run.
func (h *holding) lend() (life context.Context, done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running || h.stopping {
		return nil, nil
	}
	h.work.Add(1)
	return h.life, h.work.Done
}

// leave gives back the lease of a session that does not run because the engine stops.
func leave(e *Engine, r *held) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), leaveWithin, session.ErrStopped)
	defer cancel()
	if !r.GiveBack(ctx) {
		e.release([]store.LeaseRef{r.Lease()})
	}
}

// leaveWithin is how long an engine that stops tries to give leases back.
const leaveWithin = 2 * time.Second

// drive runs one session and releases its resources afterwards.
func (e *Engine) drive(life context.Context, r *held, rec store.SessionRecord, b session.Beginning) {
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
		e.release([]store.LeaseRef{r.Lease()})
	}
	e.events.send(r.ID(), busEvent{version: r.Version(), rested: true})
}

// release gives leases back; a lease that cannot be given back expires.
func (e *Engine) release(leases []store.LeaseRef) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), leaveWithin, session.ErrStopped)
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
	held := h.poke(id)
	h.mu.Unlock()
	if !held {
		h.wakeUp()
		h.tellInbox(id)
	}
}

// poke notifies the runner of a session, also of one that is being created, and reports whether
// this engine holds the session. It is called with mu held: a runner checks once more after it has left the list.
func (h *holding) poke(id string) (held bool) {
	if coming := h.coming[id]; coming != nil {
		coming.Poke()
	}
	r := h.runners[id]
	if r != nil {
		r.Poke()
	}
	return r != nil
}

// expect has requests to a session poke its runner from before the session is created: the runner does
// not read the inbox before its calls begin. Of two starts with one id the later counts; the one that
// creates the session may then read the inbox a poll later.
func (h *holding) expect(r *held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.coming[r.ID()] = r
}

// expectNoMore ends expect, if r is not nil.
func (h *holding) expectNoMore(r *held) {
	if r == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.coming[r.ID()] == r {
		delete(h.coming, r.ID())
	}
}

// leaseFor returns a new lease for a session that has a place, nil for one that has none.
func (e *Engine) leaseFor(p *place) *store.Lease {
	if p == nil {
		return nil
	}
	return new(e.o.lease())
}

// listenInbox has the engine's sessions read their inbox, and the engine look for due work, when
// other engines say so. The returned func ends it.
func (h *holding) listenInbox(relay Relay) (stop func()) {
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
		h.poke(string(session))
	}, h.wakeUp)
}
