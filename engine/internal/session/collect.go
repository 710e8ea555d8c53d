package session

import (
	"context"
	"time"
)

// In a session with thousands of steps, each wave and each checkpoint costs time in proportion to
// the number of steps. One wave and one checkpoint for every call that ends makes a fan-out of n
// calls cost n²: 8,000 calls took twenty times as long as 1,000. So in a large session (manySteps)
// a result waits for others, for at most four times as long as the last wave and its checkpoint
// took: the session then spends about a fifth of its time on them. Calls that the last checkpoint
// lists start meanwhile, in place of those that have ended.
//
// Nothing that was acknowledged waits: a request ends the wait at once, and so does a result that
// is not a plain success (an error, a question, a handover). The waiting results are those that a
// crash would make the next engine produce again, like the calls under way.

// collectResults takes the results that have arrived; in a large session it also waits for those that arrive soon.
func (r *Runner) collectResults(ctx context.Context) {
	r.pace.waveEnded()
	defer func() { r.pace.began = time.Now() }()
	if len(r.state.StepIDs()) < manySteps || r.unwritten.dirty || r.stopNow {
		return
	}
	if r.effects.drainResults(); !succeeded(r.arrived) {
		return
	}
	left := time.NewTimer(r.pace.waitLeft())
	defer left.Stop()
	for {
		r.effects.startDurable(ctx)
		if len(r.running) == 0 || len(r.toStart) > 0 && len(r.running) < stepsAtOnce(r.ledger) {
			return // the other calls may start only once a checkpoint lists them
		}
		select {
		case res := <-r.results:
			r.arrive(res)
			if res.err != nil {
				return
			}
		case <-r.poke:
			r.Poke() // so that the inbox is read after this wave
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
