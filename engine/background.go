package engine

import (
	"context"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/inspect"
	"github.com/stepgraph/stepgraph/engine/internal/session"
)

// Run claims due sessions and advances them until ctx ends. Then it lets calls under way finish
// for Options.StopGrace, releases all leases and returns. Run may be called once per engine.
func (e *Engine) Run(ctx context.Context) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	defer e.listenInbox(e.o.Relay)()
	b := background{e}
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){b.pollLoop, b.heartbeatLoop, b.inboxLoop, b.pendingLoop, b.batchLoop, b.announceLoop, b.backlogLoop, b.limitLoop, b.turnLoop, b.schemaLoop, e.Retention().Run} {
		loops.Go(func() { loop(ctx) })
	}
	<-ctx.Done()
	loops.Wait()
	b.sayGoodbye(inspect.EngineDraining)
	e.stop()
	b.sayGoodbye(inspect.EngineStopped)
	return nil
}

// stop ends all runners: it asks them to go to rest, and after the grace period cancels their calls.
func (e *Engine) stop() {
	e.mu.Lock()
	e.stopping, e.running = true, false
	for _, r := range e.runners {
		r.Stop()
	}
	e.mu.Unlock()
	done := make(chan struct{})
	go func() { e.work.Wait(); close(done) }()
	grace := time.NewTimer(e.o.StopGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		e.end(session.ErrStopped)
		grace.Reset(e.o.StopGrace)
		select {
		case <-done:
		case <-grace.C:
			e.o.Log.Error("calls that do not heed their context are left behind")
		}
	}
	e.end(session.ErrStopped)
}
