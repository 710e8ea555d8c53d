package session

import (
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// checkpoint writes all unwritten decisions and keeps the lease.
func (r *Runner) checkpoint(ctx context.Context) error {
	if !r.unwritten.dirty {
		return nil
	}
	_, err := r.write(ctx, false)
	return err
}

// goIdle writes all unwritten decisions and gives up the lease, when nothing more can be done now.
// It returns false when the session has to go on: a request arrived meanwhile, or child sessions
// had to be notified first.
func (r *Runner) goIdle(ctx context.Context) (bool, error) {
	select {
	case <-r.poke:
		if r.stopNow = r.mustRest(); !r.stopNow {
			return false, r.fetchRequests(ctx)
		}
	default:
	}
	// Child sessions are notified while the lease is held: if this engine dies first, the engine
	// that claims the session next notifies them.
	if len(r.state.Notices()) > 0 {
		r.unwritten.touch()
		return false, r.checkpoint(ctx)
	}
	return r.write(ctx, true)
}

// write builds and commits one checkpoint. It reports whether the lease was given up. When the
// store refuses a checkpoint because unread requests exist, the draft is dropped and those
// requests are applied first.
func (r *Runner) write(ctx context.Context, release bool) (rested bool, err error) {
	if r.fault != nil {
		return false, r.fault
	}
	cp := r.build(release)
	if len(cp.State) > r.e.MaxState && !r.overflowed {
		return false, r.overflow(ctx, len(cp.State))
	}
	asked := time.Now()
	res, err := r.e.Committer.Commit(ctx, cp)
	if err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	switch res.Outcome {
	case store.Lost:
		return false, ErrLost
	case store.Refused:
		if err := r.revert(ctx); err != nil {
			return false, err
		}
		return false, r.fetchRequests(ctx)
	}
	if r.settled(cp, asked, res); release {
		return true, nil
	}
	if err := r.notices.sendNotices(ctx); err != nil {
		return false, err
	}
	if r.inbox > r.counters.Seen() {
		return false, r.fetchRequests(ctx)
	}
	return false, nil
}

// settled notes that a checkpoint, asked for at that time, is durable. It returns the session if the
// checkpoint gave up the lease.
func (r *Runner) settled(cp *store.Checkpoint, asked time.Time, res store.CommitResult) (rest *store.SessionRecord) {
	if cp.LeaseFor > 0 {
		r.extended = true
		r.beat.Store(asked.UnixNano())
	}
	r.offset.adjust(asked, res.Now, time.Now())
	r.e.clock.Store(r.offset.Load())
	r.e.measured.Store(true)
	if rest = r.written(cp, res); rest == nil {
		return nil
	}
	if r.inbox > r.counters.Seen() {
		r.e.WakeUp() // a request arrived while the lease was given up
	}
	if r.state.Lacks() || r.yielding.Load() && cp.Status == store.StatusActive {
		r.e.LeaveAlone(r.id)
	} else {
		r.e.DueAt(cp.DueAt, r.offset.get())
	}
	return rest
}

// written runs the work that had to wait for the checkpoint to be durable, and begins a new draft
// from the same state. It returns the session if the checkpoint gave up the lease.
func (r *Runner) written(cp *store.Checkpoint, res store.CommitResult) (rested *store.SessionRecord) {
	r.version++
	r.stored = cp.Status
	r.inbox = res.Inbox
	events := append(r.unwritten.events, r.statusEvents(cp.Status, string(cp.Awaiting))...)
	r.durable()
	if cp.Release {
		rested = recordAfter(r.from, r.version, cp, res)
		state.Keep(cp.State, r.state) // callers that wait for the session read it next
	}
	r.e.PublishAll(r.id, r.version, events, rested)
	if len(cp.Children) > 0 {
		r.e.WakeUp()
	}
	if cp.ToParent != nil {
		r.e.Poke(cp.ToParent.Session)
	}
	return rested
}

// recordAfter returns a session, claimed as rec, as a checkpoint that gave up the lease has left it, see
// Host.PublishAll.
func recordAfter(rec store.SessionRecord, version int64, cp *store.Checkpoint, res store.CommitResult) *store.SessionRecord {
	if res.Outcome != store.Committed {
		return &rec
	}
	rec.State, rec.Counters, rec.Status, rec.Version = cp.State, cp.Counters, cp.Status, version
	rec.Awaiting, rec.AwaitingSince = cp.Awaiting, cp.AwaitingSince
	rec.UpdatedAt, rec.Transition, rec.Inbox, rec.Claims = res.Now, cp.Transition, res.Inbox, 0
	rec.Lease, rec.LeaseOwner, rec.LeaseUntil = "", "", time.Time{}
	if rec.DueAt = cp.DueAt; rec.Inbox > cp.Seen {
		rec.DueAt = res.Now
	}
	if rec.CreatedAt.IsZero() { // made by hand
		rec.CreatedAt = res.Now
	}
	return &rec
}

// build makes the checkpoint of everything that is not yet written.
func (r *Runner) build(release bool) *store.Checkpoint {
	status := r.state.SessionStatus()
	awaiting, since := r.state.Awaiting()
	calls, starting := r.effects.callsUnderWay()
	r.counters.ListCalls(calls)
	r.unwritten.starting = starting
	cp := &store.Checkpoint{
		Session: r.id, Version: r.version, Lease: r.lease, Transition: r.e.NewID(),
		Closing: r.closes() || store.Ended(status), Seen: r.counters.Seen(),
		Counters: r.counters.AppendJSON(), Status: status, Awaiting: awaiting, AwaitingSince: since,
		Release: release, LeaseFor: r.extension(),
		Records: store.Records{Messages: r.unwritten.messages, Applied: r.unwritten.applied, Blobs: r.unwritten.blobs,
			DropBlobs: r.unwritten.drop, Results: r.unwritten.stored},
		Children: r.unwritten.children,
	}
	if status == store.StatusPending {
		cp.Tried = r.def.Hash
	}
	if release && store.Ended(status) {
		cp.ToParent = r.children.tellParent(status)
	}
	cp.State = r.state.AppendJSON(make([]byte, 0, r.stateBytes+512))
	r.stateBytes = len(cp.State)
	for _, e := range r.unwritten.executions {
		e.Paths = jsontext.Cut(e.Paths)
		cp.Executions = append(cp.Executions, *e)
	}
	if release {
		cp.DueAt = r.nextTimer(false)
		if r.stopNow && status == store.StatusActive {
			cp.DueAt = r.nowTime()
		}
	}
	return cp
}

// extension returns by how much a checkpoint extends the lease. It is zero while two thirds of
// the lease are left, since each extension moves the session in the index of due times. The first
// checkpoint after a claim always extends: it resets the back-off that repeated claims without a
// checkpoint have accumulated.
func (r *Runner) extension() time.Duration {
	if r.extended && time.Since(r.Leased()) < r.e.LeaseFor/3 {
		return 0
	}
	return r.e.LeaseFor
}

// nextTimer returns when the session has something to do without outside input: a retry, or a
// question whose deadline passes. The zero time means that only outside input moves it. With calls
// under way it ignores timers up to the newest wave; in an idle session, a step left active is due at once.
func (r *Runner) nextTimer(underWay bool) time.Time {
	if r.state.Resting() {
		return time.Time{}
	}
	var next int64
	sooner := func(at int64) {
		if underWay && at <= r.lookedAt {
			return
		}
		if at > 0 && (next == 0 || at < next) {
			next = at
		}
	}
	for id, l := range r.state.LiveSteps() {
		if underWay && l.Wait == nil && l.RetryAt <= r.lookedAt {
			continue
		}
		switch {
		case r.state.Status(id) != store.StatusActive || r.state.SuspendedNow(id) != nil || r.running[id] != nil:
		case l.Wait != nil:
			sooner(l.Wait.Due)
		case l.Lacks != "":
			sooner(r.now()) // for another engine to take up
		default:
			sooner(max(l.RetryAt, 1))
		}
	}
	for _, q := range r.state.Asks() {
		sooner(q.Due)
	}
	return state.Time(next)
}

// statusEvents returns the events for a changed status or changed open questions.
func (r *Runner) statusEvents(status, awaiting string) []event.Noted {
	shown := status + awaiting
	if shown == r.shown {
		return nil
	}
	r.shown = shown
	data := event.StatusEvent{Status: status, Awaiting: event.Questions(r.state)}
	return []event.Noted{{Kind: event.EventSession, Data: data, Seq: r.counters.Seq(), N: r.counters.Messages()}}
}
