package engine

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// startEffects starts the effects of the last wave. Everything before them is durable now.
func (r *runner) startEffects(ctx context.Context) {
	if r.state.Resting() || r.failing != "" {
		r.unqueueAll() // a request came with the checkpoint: they stay active until a pause is lifted, or are cancelled
	}
	for len(r.toStart) > 0 && len(r.running) < r.e.o.StepsAtOnce {
		r.startEffect(ctx, r.nextQueued())
	}
}

// startEffect makes a call beside the runner, when its function has a free slot. The lease is
// looked at after that: a call may wait for its slot for minutes, and one that starts when
// the lease is nearly over is made twice, here and by whoever claims the session next.
func (r *runner) startEffect(ctx context.Context, a *attempt) {
	ctx, a.cancel = context.WithCancelCause(ctx)
	r.running[a.step] = a
	whose := r.caller()
	go func() {
		defer a.cancel(nil)
		res := attemptResult{attempt: a, started: r.nowTime()}
		free, err := r.e.slots.take(ctx, a.spec.Name, whose)
		if err == nil {
			r.e.reseat(r, func(s *seat) { s.calls++ })
			if err = r.leaseForCall(ctx); err == nil {
				res = *a.call(ctx)
				res.made = true
			}
			r.e.reseat(r, func(s *seat) { s.calls-- })
			free()
		}
		if !res.made {
			res.err, res.finished = err, res.started
		}
		r.results <- res // capacity StepsAtOnce: never blocks
	}()
}

// caller is whose calls this runner makes.
func (r *runner) caller() caller {
	if r.person.Load() {
		return caller{r.workflow, levelOfPeople}
	}
	return caller{r.workflow, defaultPriority}
}

// leaseForCall returns when the lease is not in its last third, extending it if need be. No
// call starts while the store cannot be asked.
func (r *runner) leaseForCall(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		if time.Since(r.leased()) <= r.e.o.LeaseFor*2/3 {
			return context.Cause(ctx)
		}
		switch err := r.extend(ctx); {
		case err == nil:
		case errors.Is(err, errLost):
			r.loseOnce()
			return err
		default:
			if cause := sleep(ctx, backoff(attempt)); cause != nil {
				return cause
			}
		}
	}
}

func (r *runner) extend(ctx context.Context) error {
	asked := time.Now()
	lost, err := r.e.store.Extend(ctx, []LeaseRef{{Session: r.id, Token: r.lease}}, r.e.o.LeaseFor)
	switch {
	case err != nil:
		return err
	case len(lost) > 0:
		return errLost
	}
	r.beat.Store(asked.UnixNano())
	return nil
}

// cancelStep ends a live step from outside: its call is told to stop, and a question of
// it is closed.
func (r *runner) cancelStep(id, reason string) {
	if a := r.running[id]; a != nil {
		r.unwritten.cancels = append(r.unwritten.cancels, cancelledCall{a, &CallError{Kind: KindCancelled, Message: reason}})
	}
	if r.starting(id) {
		r.unqueue(func(a *attempt) bool { return a.step == id })
	}
	r.stopDriven(id, reason)
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
func (r *runner) abandon(cause error) []attemptResult {
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

// reportLost leaves word of calls whose results could not be recorded because another
// worker has the session: their effects may have happened twice, and people must see it. A
// call that was told to stop counts too, its effect may have happened before; one that
// never left the queue does not.
func (e *Engine) reportLost(session string, late []attemptResult) {
	for _, res := range late {
		if !res.made {
			continue
		}
		body, err := jsontext.Marshal(lostCall{
			Step: res.attempt.step, Visit: res.attempt.call_.Visit, Attempt: res.attempt.call_.Attempt,
			Function: res.attempt.spec.Name, Output: cut(res.output), Error: errorText(res.err),
			Started: res.started.UnixMilli(), Finished: res.finished.UnixMilli(),
		})
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(e.life), e.o.StopGrace, errStopped)
		_, err = e.committer.deliver(ctx, Delivery{Session: session, Key: e.o.NewID(), Decide: func(InboxView) (*Request, error) {
			return &Request{Kind: RequestLost, Step: res.attempt.step, Visit: res.attempt.call_.Visit, Body: body}, nil
		}})
		cancel()
		if err != nil && !errors.Is(err, ErrSessionNotFound) {
			e.o.Log.Warn("lost call not recorded", logSession, session, logStep, res.attempt.step, logError, err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
