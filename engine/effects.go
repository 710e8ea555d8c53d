package engine

import (
	"context"
	"errors"
	"time"
)

// effects are the calls that run beside the session's goroutine.
type effects struct{ *ledger }

// startEffects starts the effects of the last wave. Everything before them is durable now.
func (r *effects) startEffects(ctx context.Context) {
	if r.state.Resting() || r.failing != "" {
		r.unqueueAll() // a request came with the checkpoint: they stay active until a pause is lifted, or are cancelled
	}
	r.startDurable(ctx)
	if len(r.toStart) > 0 && len(r.running) < r.e.o.StepsAtOnce { // none that the store knows of is left
		r.unwritten.touch()
		r.unsettled = true
	}
}

// startDurable starts the calls that the last checkpoint lists, see callsUnderWay.
func (r *effects) startDurable(ctx context.Context) {
	for len(r.toStart) > 0 && r.toStart[0].durable && len(r.running) < r.e.o.StepsAtOnce {
		r.startEffect(ctx, r.nextQueued())
	}
}

// startEffect makes a call beside the runner, when its function has a free slot. The lease is
// looked at after that: a call may wait for its slot for minutes, and one that starts when
// the lease is nearly over is made twice, here and by whoever claims the session next.
func (r *effects) startEffect(ctx context.Context, a *attempt) {
	ctx, a.cancel = context.WithCancelCause(ctx)
	inQueue, leave := context.WithCancelCause(ctx)
	a.leave = leave
	r.running[a.step] = a
	whose := r.caller()
	go func() {
		defer a.cancel(nil)
		defer leave(nil)
		res := attemptResult{attempt: a, started: r.nowTime()}
		free, err := r.e.slots.take(inQueue, a.spec.Name, whose)
		if err == nil {
			r.e.reseat(r.claim, func(s *seat) { s.calls++ })
			if err = r.leaseForCall(inQueue); err == nil {
				res = *a.call(ctx)
				res.made = true
			}
			r.e.reseat(r.claim, func(s *seat) { s.calls-- })
			free()
		}
		if !res.made {
			res.err, res.finished = err, res.started
		}
		r.results <- res // capacity StepsAtOnce: never blocks
	}()
}

// leaveQueues takes back the calls that wait for a slot: the engine stops, and whoever claims
// the session next makes them. Calls that have begun go on.
func leaveQueues(running map[string]*attempt) {
	for _, a := range running {
		a.leave(errStopped)
	}
}

// notBegun reports whether a call never began, because the engine stops or has lost the
// session. It has not failed: its step stays active.
func (res *attemptResult) notBegun() bool {
	return !res.made && (errors.Is(res.err, errStopped) || errors.Is(res.err, errLost))
}

// cancelStep ends a live step from outside: its call is told to stop, and a question of it is
// closed. What was to run once more after it does not run. A visit that is an agent's call of
// a tool ends alone: the paths that led to the step meanwhile did not come from the agent.
func (r *visits) cancelStep(id, reason string) {
	if !r.state.RunsAsTool(id) {
		r.state.TakeAgain(id)
	}
	if a := r.running[id]; a != nil {
		r.unwritten.cancels = append(r.unwritten.cancels, cancelledCall{a, &CallError{Kind: KindCancelled, Message: reason}})
	}
	if r.starting(id) {
		r.unqueue(func(a *attempt) bool { return a.step == id })
	}
	r.stopSuspended(id, reason)
	v := visitInfo{status: StatusCancelled, started: r.nowTime()}
	l := r.state.Live(id)
	if ask := r.state.Ask(id); ask != nil {
		v.input, v.started = ask.Input, time.UnixMilli(ask.Started).UTC()
		r.unwritten.closing = true
	}
	r.record(id, v, nil, failure{kind: KindCancelled, message: reason, final: true}.json())
	r.end(id, StatusCancelled)
	r.toolEnded(l, ToolResult{Error: &SessionError{Step: id, Kind: KindCancelled, Message: reason}})
}

// abandon tells the calls of a runner that ends to stop, and waits until they have: a
// call never outlives its runner. It returns what they came to.
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
