package session

import "context"

// effects manages the calls that run beside the session's goroutine.
type effects struct{ *ledger }

// startEffects starts the effects of the last wave, whose checkpoint is now written.
func (r *effects) startEffects(ctx context.Context) {
	if r.state.Resting() || r.failing != "" {
		r.unqueueAll() // a request arrived with the checkpoint: the steps stay active until the pause ends, or are cancelled
	}
	r.startDurable(ctx)
	if len(r.toStart) > 0 && len(r.running) < stepsAtOnce(r.ledger) { // these calls are in no written checkpoint yet: the next one lists them
		r.unwritten.touch()
		r.unsettled = true
	}
}

// stepsAtOnce is how many effects of the session may run at once: the engine's bound, or less
// where the workflow says so.
func stepsAtOnce(r *ledger) int {
	if n := r.def.Workflow.Settings.StepsAtOnce; n > 0 {
		return min(n, r.e.StepsAtOnce)
	}
	return r.e.StepsAtOnce
}

// startDurable starts the calls that the last checkpoint lists, see callsUnderWay.
func (r *effects) startDurable(ctx context.Context) {
	for len(r.toStart) > 0 && r.toStart[0].durable && len(r.running) < stepsAtOnce(r.ledger) {
		r.startEffect(ctx, r.nextQueued())
	}
}

// startEffect starts a call in its own goroutine once its function has a free slot. The lease is
// checked after the wait for the slot, which may take minutes: a call that starts when the lease
// has nearly expired is made twice, here and by the engine that claims the session next.
func (r *effects) startEffect(ctx context.Context, a *attempt) {
	ctx, a.cancel = context.WithCancelCause(ctx)
	inQueue, leave := context.WithCancelCause(ctx)
	a.leave = leave
	r.running[a.step] = a
	person := r.person.Load()
	go func() {
		defer a.cancel(nil)
		defer leave(nil)
		res := attemptResult{attempt: a, started: r.nowTime()}
		free, err := r.e.Slot(inQueue, a.spec.Name, r.id, r.workflow, person)
		if err == nil {
			a.begun.Store(true)
			r.seat.Calls(1)
			if err = r.leaseForCall(inQueue); err == nil {
				res = *a.call(ctx)
				res.made = true
			}
			r.seat.Calls(-1)
			free()
		}
		if !res.made {
			res.err, res.finished = err, res.started
		}
		r.results <- res // capacity StepsAtOnce: never blocks
	}()
}

// leaveQueues cancels the calls that wait for a slot, because the engine stops; the engine that
// claims the session next makes them. Calls that have begun go on.
func leaveQueues(running map[string]*attempt) {
	for _, a := range running {
		a.leave(ErrStopped)
	}
}

// abandon cancels the calls of a runner that ends and waits until they have returned: a call
// never outlives its runner. It returns their results.
func (r *effects) abandon(cause error) []attemptResult {
	for _, a := range r.running {
		a.cancel(cause)
	}
	var late []attemptResult
	for range r.running {
		res := <-r.results
		late = append(late, res)
	}
	r.running = nil
	return late
}

// drainResults takes the results that are available without waiting.
func (r *effects) drainResults() {
	for {
		select {
		case res := <-r.results:
			r.arrive(res)
		default:
			return
		}
	}
}

func (r *effects) takeArrivals() []arrival {
	r.drainResults()
	out := r.arrived
	r.arrived = nil
	return out
}
