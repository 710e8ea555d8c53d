package session

import (
	"context"
	"time"
)

// In a session of thousands of steps each wave and each checkpoint costs time in proportion to
// all of them. One of each for every call that ends makes a fan-out of n calls cost n²: 8,000
// calls took twenty times as long as 1,000. So in a large session (manySteps) a result waits
// for others, as long as four times what the last wave and its checkpoint took: the session
// then spends about a fifth of its time on them. Calls that the last checkpoint lists start
// meanwhile, in the places of those that have ended.
//
// Nothing that was acknowledged waits: a request ends the wait at once, and so does a result
// that is not plain success (an error, a question, a handover). What waits is what a crash would
// have the next engine do again, as it does the calls under way.

// gather takes the results that have come, and in a large session those that come soon.
func (r *Runner) gather(ctx context.Context) {
	r.pace.rest()
	defer func() { r.pace.began = time.Now() }()
	if len(r.state.StepIDs()) < manySteps || r.unwritten.dirty || r.stopNow {
		return
	}
	if r.effects.drainResults(); !succeeded(r.arrived) {
		return
	}
	left := time.NewTimer(r.pace.left())
	defer left.Stop()
	for {
		r.effects.startDurable(ctx)
		if len(r.running) == 0 || len(r.toStart) > 0 && len(r.running) < stepsAtOnce(r.ledger) {
			return // what else may start has to be listed first
		}
		select {
		case res := <-r.results:
			r.arrive(res)
			if res.err != nil {
				return
			}
		case <-r.poke:
			r.Poke() // for whoever looks after this wave
			return
		case <-left.C:
			return
		case <-r.lost:
			return
		case <-ctx.Done():
			return
		}
	}
}
