package engine

import (
	"context"
	"errors"
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
	for _, loop := range []func(context.Context){e.pollLoop, e.heartbeatLoop, e.inboxLoop, e.pendingLoop, e.batchLoop, e.announceLoop, e.Retention().Run,
		func(ctx context.Context) { watchBacklog(ctx, e) }} {
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
	e.polled.begin()
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

// runNow starts the runner of a session whose lease was just taken. def, if not nil, is a
// definition read for it.
func (e *Engine) runNow(p *place, c Claimed, def *Definition) {
	r := e.newRunner(c)
	r.def = def
	e.mu.Lock()
	e.occupy(p, r)
	if e.stopping {
		e.leave(r)
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
	e.leave(r)
	e.mu.Unlock()
	select {
	case <-r.poke: // told of something after it had looked for the last time
		e.wakeUp()
	default:
	}
	late := r.abandon(errOr(err, errStopped))
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
	if r != nil {
		r.pokeNow() // under the lock: a runner looks once more after it has left the list
	}
	e.mu.Unlock()
	if r == nil {
		e.wakeUp()
	}
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
