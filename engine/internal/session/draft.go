package session

import (
	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A draft is everything a runner has decided since the last checkpoint that was written: the
// state and the counters with all that hangs on them (statuses, timers, rounds of containers,
// what a parent was notified of), the requests taken from the inbox, finished visits whose
// paths are still to be followed, effects to be started, calls to be cancelled, and the
// records of the next checkpoint.
//
// The store may refuse that checkpoint, because a request came first (see
// Checkpoint.Closing). Then none of it has happened. Taking back single decisions does not
// work: each place that decides something would have to remember it, and the one that
// forgets leaves a parent waiting for ever. Leaving the decisions and applying the new
// requests on top does not work either: an answer would meet a question that is closed. So
// a refused draft is dropped as a whole (see revert), and whatever belongs to the session's
// decisions has to be a field of this type. What is left on the runner has really happened,
// or says nothing about the session: the lease, calls under way, caches.
type draft struct {
	stored   string // the session's status in the last written checkpoint
	state    *state.State
	counters *state.Counters

	unapplied []store.Request                 // taken from the inbox, to be applied in order
	arrived   []arrival                       // ended visits and results that wait for the next wave
	toStart   []*attempt                      // effects to start after the next checkpoint
	unwritten unwritten                       // what the next checkpoint carries
	rounds    map[string][]store.StoredResult // of containers, by step and visit

	open       map[string]state.AskRef // questions that were open in the last written checkpoint, by step
	stateBytes int                     // of the state's text, as far as outputs make it grow
	failing    string                  // the step that fails the session when its wave is over
	chat       []function.Message      // the messages of the state when the wave began
	unsettled  bool                    // something was decided outside a wave: no rest before the next one
	lookedAt   int64                   // the clock of the newest wave, ms: timers up to then have had their chance
	overflowed bool                    // the state had grown too large, see overflow
	fault      error                   // a read that decisions rest on has failed: never written
}

// closes reports whether the draft closes a question other than by its answer. An answer
// that was accepted meanwhile then comes first.
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

// spoil keeps the draft from ever being written.
func (r *draft) spoil(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// finished reports whether the session has come to its end as far as is decided: nothing is
// live, and no finished visit has its paths still to be followed.
func (r *draft) finished() bool {
	return len(r.arrived) == 0 && store.Ended(r.state.SessionStatus())
}

// event notes what the next checkpoint's watchers are told.
func (r *draft) event(kind string, data any) {
	r.unwritten.events = append(r.unwritten.events, event.Noted{Kind: kind, Data: data, Seq: r.counters.Seq(), N: r.counters.Messages()})
}

// show tells watchers that a step has changed its status.
func (r *draft) show(step string) {
	r.event(event.EventStep, r.stepEvent(step, r.state.Live(step), r.state.Status(step)))
}

// stepEvent returns the event of a step that has a status now; l may be nil.
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

// ensureVisit gives a step that somebody made active by hand its visit number.
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

// queue puts a call among those that start after the next checkpoint.
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

// unqueue takes the calls out of the queue that drop says; their steps stay as they are.
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

// unqueueAll empties the queue: whoever looks at the active steps next queues them again.
func (r *draft) unqueueAll() {
	r.unqueue(func(*attempt) bool { return true })
}

// notifyChildren passes a request on to every child session that has not ended, once the next
// checkpoint is written.
func (r *draft) notifyChildren(kind, reason string) {
	if r.state.HasChildren() {
		r.notify(state.Notice{Kind: kind, Reason: reason, N: r.counters.Seen()})
	}
}

func (r *draft) notify(n state.Notice) {
	r.state.Notify(n)
	r.unwritten.touch()
}
