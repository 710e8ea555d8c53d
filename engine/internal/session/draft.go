package session

import (
	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A draft holds every decision a runner has made since its last written checkpoint: the state and
// the counters with all that belongs to them (statuses, timers, rounds of containers, what a
// parent was notified of), the requests taken from the inbox, finished visits whose paths are
// still to be followed, effects to start, calls to cancel, and the records of the next checkpoint.
//
// The store may refuse that checkpoint because a request arrived first (see Checkpoint.Closing).
// Then none of the decisions has taken effect. Undoing single decisions does not work: each place
// that decides something would need its own undo, and one that is forgotten leaves a parent
// waiting for ever. Applying the new requests on top does not work either: an answer would find
// its question already closed. So a refused draft is dropped as a whole (see revert), and every
// field that belongs to the session's decisions has to be a field of this type. What remains on
// the runner has really happened or is not about the session: the lease, calls under way, caches.
type draft struct {
	stored   string // the session's status in the last written checkpoint
	state    *state.State
	counters *state.Counters

	unapplied []store.Request                 // taken from the inbox, to be applied in order
	arrived   []arrival                       // finished visits and call results that wait for the next wave
	toStart   []*attempt                      // effects to start after the next checkpoint
	unwritten unwritten                       // the content of the next checkpoint
	rounds    map[string][]store.StoredResult // results of containers' rounds, by step and visit

	open       map[string]state.AskRef // questions that were open in the last written checkpoint, by step
	stateBytes int                     // size of the state's JSON, as far as outputs make it grow
	failing    string                  // the step that fails the session when the current wave is over
	chat       *state.ChatWindow       // the state's chat messages when the wave began
	unsettled  bool                    // something was decided outside a wave: another wave has to run before the session goes idle
	lookedAt   int64                   // time of the newest wave, ms; timers up to it have been handled
	overflowed bool                    // the state exceeded its size limit, see overflow
	fault      error                   // a read that decisions depend on has failed: the draft is never written
}

// closes reports whether the draft closes a question other than by its answer. Then an answer
// that was accepted meanwhile has to be applied first.
func (d *draft) closes() bool {
	if d.unwritten.closing {
		return true
	}
	for step, was := range d.open {
		if !d.state.IsOpen(step, was) && d.unwritten.answered[step] != was {
			return true
		}
	}
	return false
}

// durable does what had to wait until the draft is written: calls that it ended are cancelled, and
// those that it lists may start.
func (r *draft) durable() {
	for _, c := range r.unwritten.cancels {
		c.attempt.cancel(c.cause)
	}
	for _, a := range r.unwritten.starting {
		a.durable = true
	}
	r.unwritten, r.overflowed = unwritten{}, false
	r.open = r.state.OpenAsks()
}

// invalidate marks the draft as never to be written, because of err.
func (r *draft) invalidate(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// finished reports whether the session has ended according to the draft: no step is live, and no
// finished visit has paths to be followed.
func (r *draft) finished() bool {
	return len(r.arrived) == 0 && store.Ended(r.state.SessionStatus())
}

// event adds an event that is published once the next checkpoint is written.
func (r *draft) event(kind event.Type, data event.Data) {
	r.unwritten.events = append(r.unwritten.events, event.Noted{Kind: kind, Data: data, Seq: r.counters.Seq(), N: r.counters.Messages()})
}

// show adds the event that a step's status has changed.
func (r *draft) show(step string) {
	r.event(event.EventStep, r.stepEvent(step, r.state.Live(step), r.state.Status(step)))
}

// stepEvent returns the event for a step with a new status; l may be nil.
func (r *draft) stepEvent(step string, l *state.LiveStep, status string) event.StepEvent {
	ev := event.StepEvent{Step: step, Status: status}
	if l != nil {
		ev.Visit = l.Visit
		if l.Tool != nil {
			ev.Caller = l.Tool.Agent
		}
	}
	return ev
}

// ensureVisit gives a visit number to a step that was made active by an edit of the state.
func (r *draft) ensureVisit(step string) *state.LiveStep {
	l, made := r.state.EnsureVisit(step, r.counters)
	if made {
		r.unwritten.dirty = true
	}
	return l
}

// starting reports whether a step's call is queued to be started.
func (r *draft) starting(step string) bool {
	l := r.state.Live(step)
	return l != nil && l.Queued
}

// queue adds a call to those that start after the next checkpoint.
func (r *draft) queue(a *attempt) {
	r.toStart = append(r.toStart, a)
	r.state.MakeLive(a.step).Queued = true
	r.unwritten.touch()
}

// nextQueued takes the first call out of the queue.
func (r *draft) nextQueued() *attempt {
	a := r.toStart[0]
	r.toStart = r.toStart[1:]
	if l := r.state.Live(a.step); l != nil {
		l.Queued = false
	}
	return a
}

// unqueue removes the queued calls for which drop returns true; their steps keep their status.
func (r *draft) unqueue(drop func(a *attempt) bool) {
	kept := r.toStart[:0:0]
	for _, a := range r.toStart {
		if !drop(a) {
			kept = append(kept, a)
		} else if l := r.state.Live(a.step); l != nil {
			l.Queued = false
		}
	}
	r.toStart = kept
}

// unqueueAll empties the queue. The steps stay active, so the next wave, of this runner or of the
// engine that claims the session next, queues them again.
func (r *draft) unqueueAll() {
	r.unqueue(func(*attempt) bool { return true })
}

// notifyChildren schedules a request to every child session that has not ended, to be sent once
// the next checkpoint is written.
func (r *draft) notifyChildren(kind, reason string) {
	if r.state.HasChildren() {
		r.notify(state.Notice{Kind: kind, Reason: reason, N: r.counters.Seen()})
	}
}

func (r *draft) notify(n state.Notice) {
	r.state.Notify(n)
	r.unwritten.touch()
}
