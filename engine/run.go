package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Run claims due sessions and moves them on until ctx ends; then it lets calls under way
// finish for Options.StopGrace, gives all leases back and returns. An engine runs once.
func (e *Engine) Run(ctx context.Context) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){e.pollLoop, e.heartbeatLoop, e.inboxLoop, e.pendingLoop, e.batchLoop} {
		loops.Go(func() { loop(ctx) })
	}
	<-ctx.Done()
	loops.Wait()
	e.stop()
	return nil
}

func (e *Engine) begin(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running || e.stopping {
		return errors.New("engine: Run was called before")
	}
	e.running = true
	e.life, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	return nil
}

// stop ends all runners: first they are asked to rest, then their calls are cancelled.
func (e *Engine) stop() {
	e.mu.Lock()
	e.stopping, e.running = true, false
	for _, r := range e.runners {
		r.askToStop()
	}
	e.mu.Unlock()
	done := make(chan struct{})
	go func() { e.work.Wait(); close(done) }()
	grace := time.NewTimer(e.o.StopGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		e.end(errStopped)
		grace.Reset(e.o.StopGrace)
		select {
		case <-done:
		case <-grace.C:
			e.o.Log.Error("calls that do not heed their context are left behind")
		}
	}
	e.end(errStopped)
}

// A place is room for one more session in this engine, held from before a claim is asked
// for until its runner ends.
type place struct{ id string }

// reserve takes a place for a session and a fresh lease for it, or nothing when this
// engine does not run, holds the session already or has no room.
func (e *Engine) reserve(id string) (*Lease, *place) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running || e.runners[id] != nil || len(e.runners)+e.reserved >= e.o.MaxSessions {
		return nil, nil
	}
	e.reserved++
	return e.freshLease(), &place{id}
}

func (e *Engine) giveBack(p *place) {
	if p == nil {
		return
	}
	e.mu.Lock()
	e.reserved--
	e.mu.Unlock()
}

// room is how many sessions may be claimed now; they are reserved.
func (e *Engine) room(most int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(most, e.o.MaxSessions-len(e.runners)-e.reserved)
	if n <= 0 || !e.running {
		return 0
	}
	e.reserved += n
	return n
}

// runNow starts the runner of a session whose lease was just taken. def, if not nil, is a
// definition read for it.
func (e *Engine) runNow(p *place, c Claimed, def *Definition) {
	r := e.newRunner(c)
	r.def = def
	e.mu.Lock()
	e.reserved--
	if e.stopping {
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
	e.mu.Unlock()
	late := r.abandon(errOr(err, errStopped))
	switch {
	case err == nil:
	case errors.Is(err, errLost):
		r.log.Warn("lease lost", logError, err)
		e.reportLost(r.id, late)
	case errors.Is(err, errStopped):
		e.release([]LeaseRef{{Session: r.id, Token: r.lease}})
	default:
		r.log.Error("session given up until its lease ends", logError, err)
	}
	e.events.send(r.id, busEvent{version: r.version, rested: true})
	if e.full() {
		e.wakeUp()
	}
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func (e *Engine) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.runners)+e.reserved >= e.o.MaxSessions-1
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
func (e *Engine) holds(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.runners[id] != nil
}

// pokeHolder tells the session's runner in this engine, if it has one, that its inbox has
// something new; else due work is looked for.
func (e *Engine) pokeHolder(id string) {
	e.mu.Lock()
	r := e.runners[id]
	e.mu.Unlock()
	if r != nil {
		r.pokeNow()
		return
	}
	e.wakeUp()
}

func (r *runner) pokeNow() {
	select {
	case r.poke <- struct{}{}:
	default:
	}
}

func (r *runner) loseOnce() {
	r.losing.Do(func() { close(r.lost) })
}

func (r *runner) askToStop() {
	r.stopping.Store(true)
	r.pokeNow()
}

// wakeUp makes the poller look for due work now.
func (e *Engine) wakeUp() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// claimSoon has a session claimed that got something to do while its lease was given up.
func (e *Engine) claimSoon(string) { e.wakeUp() }

// claimAtOnce bounds one claim.
const claimAtOnce = 100

// pollLoop finds due work: when woken, when a timer known here falls due, and every
// PollEvery, so that a lost wake-up costs no more than that.
func (e *Engine) pollLoop(ctx context.Context) {
	failures := 0
	for {
		more, err := e.claim(ctx)
		wait := e.o.PollEvery - time.Duration(rand.Int64N(int64(e.o.PollEvery)/4+1))
		switch {
		case err != nil && ctx.Err() == nil:
			wait = max(backoff(failures), 50*time.Millisecond)
			if failures++; failures == 1 || failures%20 == 0 {
				e.o.Log.Warn("looking for due sessions", logError, err)
			}
		case more:
			failures = 0
			continue
		default:
			if failures > 0 {
				e.o.Log.Info("store answers again")
			}
			failures = 0
		}
		if e.timer.wait(ctx, wait, e.wake) != nil {
			return
		}
	}
}

// claim takes due sessions as far as there is room; more tells that there may be others.
func (e *Engine) claim(ctx context.Context) (more bool, err error) {
	n := e.room(claimAtOnce)
	if n == 0 {
		return false, ctx.Err()
	}
	claimed, err := e.store.Claim(ctx, ClaimOptions{Owner: e.o.Name, For: e.o.LeaseFor, Limit: n, Token: e.o.NewID})
	for range n - len(claimed) {
		e.giveBack(&place{})
	}
	if err != nil {
		return false, err
	}
	for _, c := range claimed {
		e.runNow(&place{c.Session.ID}, c, nil)
	}
	return len(claimed) == n, nil
}

// heartbeatLoop extends the leases of sessions that have made no checkpoint lately.
func (e *Engine) heartbeatLoop(ctx context.Context) {
	e.every(ctx, e.o.LeaseFor/5, func() {
		var refs []LeaseRef
		byID := map[string]*runner{}
		e.mu.Lock()
		for id, r := range e.runners {
			if time.Since(r.leased()) > e.o.LeaseFor/3 {
				refs = append(refs, LeaseRef{Session: id, Token: r.lease})
				byID[id] = r
			}
		}
		e.mu.Unlock()
		if len(refs) == 0 {
			return
		}
		asked := time.Now()
		lost, err := e.store.Extend(ctx, refs, e.o.LeaseFor)
		if err != nil {
			return // tried again at the next beat; the fence is the token, not the time
		}
		for _, id := range lost {
			byID[id].loseOnce()
			delete(byID, id)
		}
		for _, r := range byID {
			r.beat.Store(asked.UnixNano())
		}
	})
}

// inboxLoop looks for new requests to sessions that wait for effects: one statement for
// all of them. Requests taken in this process poke their runner at once.
func (e *Engine) inboxLoop(ctx context.Context) {
	e.every(ctx, e.o.InboxEvery, func() {
		waiting := map[string]*runner{}
		e.mu.Lock()
		for id, r := range e.runners {
			if r.waits.Load() {
				waiting[id] = r
			}
		}
		e.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		found, err := e.store.Inboxes(ctx, sortedKeys(waiting))
		if err != nil {
			return
		}
		for id, r := range waiting {
			state, there := found[id]
			if !there || state.Lease != r.lease {
				r.loseOnce()
			} else if state.Inbox > r.known.Load() {
				r.pokeNow()
			}
		}
	})
}

// pendingLoop makes pending sessions due when their workflow has changed: somebody may
// have mended the reference they lack.
func (e *Engine) pendingLoop(ctx context.Context) {
	known := map[string]string{}
	e.every(ctx, time.Second, func() {
		ids, err := e.store.PendingWorkflows(ctx)
		if err != nil {
			return
		}
		for _, id := range ids {
			def, err := e.definitions.read(ctx, id, "")
			if err != nil {
				return
			}
			if known[id] == def.Hash {
				continue
			}
			n, err := e.store.WakePending(ctx, id)
			if err != nil {
				return
			}
			known[id] = def.Hash
			if n > 0 {
				e.wakeUp()
			}
		}
	})
}

// every calls f every d until ctx ends.
func (e *Engine) every(ctx context.Context, d time.Duration, f func()) {
	if e.o.NoPoll {
		return
	}
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			f()
		case <-ctx.Done():
			return
		}
	}
}
