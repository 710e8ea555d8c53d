package engine

import (
	"context"
	"fmt"
	"time"
)

// checkpoint writes what has happened and keeps the lease.
func (r *runner) checkpoint(ctx context.Context) error {
	if !r.unwritten.dirty {
		return nil
	}
	_, err := r.write(ctx, false)
	return err
}

// rest writes what has happened and gives the lease up, when nothing more can be done
// now. It tells whether the session rests; it does not when something came meanwhile.
func (r *runner) rest(ctx context.Context) (bool, error) {
	select {
	case <-r.poke:
		if r.stopNow = r.stopping.Load(); !r.stopNow {
			return false, r.fetchRequests(ctx)
		}
	default:
	}
	return r.write(ctx, true)
}

// write builds and commits one checkpoint. It returns false without an error when the
// checkpoint was refused because requests had come first: they are applied now.
func (r *runner) write(ctx context.Context, release bool) (bool, error) {
	cp := r.build(release)
	if len(cp.State) > r.e.o.MaxState {
		if err := r.overflow(ctx, len(cp.State)); err != nil {
			return false, err
		}
		cp = r.build(release)
	}
	asked := time.Now()
	res, err := r.e.committer.commit(ctx, cp)
	if err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	switch res.Outcome {
	case Lost:
		return false, errLost
	case Refused:
		r.inbox = res.Inbox
		return false, r.fetchRequests(ctx)
	}
	r.version++
	r.beat.Store(asked.UnixNano())
	r.inbox = res.Inbox
	events := append(r.unwritten.events, r.statusEvents(cp.Status, string(cp.Awaiting))...)
	children := len(r.unwritten.children) > 0
	r.unwritten = unwritten{}
	r.e.events.publishAll(r.id, r.version, events, release)
	if children {
		r.e.wakeUp()
	}
	if cp.ToParent != nil {
		r.e.pokeHolder(cp.ToParent.Session)
	}
	if release {
		if r.inbox > r.counters.Seen {
			r.e.wakeUp() // something came while the lease was given up
		}
		r.e.dueAt(cp.DueAt, r.offset)
		return true, nil
	}
	if r.inbox > r.counters.Seen {
		return true, r.fetchRequests(ctx)
	}
	return true, nil
}

// build makes the checkpoint of all that is unwritten.
func (r *runner) build(release bool) *Checkpoint {
	status := r.state.SessionStatus()
	awaiting, since := r.state.awaiting()
	cp := &Checkpoint{
		Session: r.id, Version: r.version, Lease: r.lease, Transition: r.e.o.NewID(),
		Closing: r.unwritten.closing || release && ended(status), Seen: r.counters.Seen,
		Counters: r.counters.appendJSON(), Status: status, Awaiting: awaiting, AwaitingSince: since,
		Release: release, LeaseFor: r.e.o.LeaseFor,
		Messages: r.unwritten.messages, Applied: r.unwritten.applied, Blobs: r.unwritten.blobs, DropBlobs: r.unwritten.drop,
		Results: r.unwritten.stored, Children: r.unwritten.children,
	}
	if release && ended(status) {
		cp.ToParent = r.tellParent(status)
	}
	cp.State = r.state.AppendJSON(make([]byte, 0, r.stateBytes+512))
	r.stateBytes = len(cp.State)
	for _, e := range r.unwritten.executions {
		e.Paths = cut(e.Paths)
		cp.Executions = append(cp.Executions, *e)
	}
	if release {
		cp.DueAt = r.nextTimer()
		if r.stopNow && status == StatusActive {
			cp.DueAt = r.nowTime()
		}
	}
	return cp
}

// ended tells whether a session of this status has come to an end.
func ended(status string) bool {
	return status == StatusComplete || status == StatusCancelled || status == StatusError
}

// nextTimer is when the session has something to do by itself: a retry, a question that
// falls due. Zero when only the world can move it.
func (r *runner) nextTimer() time.Time {
	if r.resting() {
		return time.Time{}
	}
	var next int64
	sooner := func(at int64) {
		if at > 0 && (next == 0 || at < next) {
			next = at
		}
	}
	for id, l := range r.state.engine.Live {
		switch {
		case r.state.Status(id) != StatusActive || r.state.driven(id) != nil:
		case l.Wait != nil:
			sooner(l.Wait.Due)
		default:
			sooner(max(l.RetryAt, 1))
		}
	}
	for _, q := range r.state.engine.Asks {
		sooner(q.Due)
	}
	return milli(next)
}

// overflow ends a session whose state has grown beyond what may be stored: it goes back
// to the state of the last checkpoint, with the error.
func (r *runner) overflow(ctx context.Context, size int) error {
	rec, err := r.e.store.Session(ctx, r.id)
	if err != nil {
		return err
	}
	for _, a := range r.running {
		a.cancel(&CallError{Kind: KindTooLarge, Message: "the session's state is too large"})
	}
	message := fmt.Sprintf("the state would have %d bytes, at most %d are kept; keep large data outside and pass references", size, r.e.o.MaxState)
	applied, seen := r.unwritten.applied, r.counters.Seen
	for i := range applied {
		applied[i].Outcome = "not applied: " + message
	}
	r.toStart, r.arrived, r.unwritten = nil, nil, unwritten{applied: applied}
	if err := r.load(*rec); err != nil {
		return err
	}
	r.counters.Seen = max(r.counters.Seen, seen)
	for _, id := range r.activeSteps() {
		r.fail(id, failure{kind: KindTooLarge, message: message, final: true})
	}
	r.state.engine.Failure = &SessionError{Kind: KindTooLarge, Message: message}
	r.unwritten.touch()
	return nil
}
