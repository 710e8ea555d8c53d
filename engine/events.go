package engine

import "github.com/stepgraph/stepgraph/engine/state"

// event notes what the next checkpoint's watchers are told.
func (r *runner) event(kind string, data any) {
	r.unwritten.events = append(r.unwritten.events, notedEvent{kind, data, r.counters.Seq(), r.counters.Messages()})
}

// show tells watchers that a step has changed its status.
func (r *runner) show(step string) {
	r.event(EventStep, r.stepEvent(step, r.state.Live(step), r.state.Status(step)))
}

// stepEvent returns the event of a step that has a status now; l may be nil.
func (r *runner) stepEvent(step string, l *state.LiveStep, status string) StepEvent {
	ev := StepEvent{Step: step, Status: status}
	if l != nil {
		ev.Visit = l.Visit
		if l.Tool != nil {
			ev.Caller = l.Tool.Agent
		}
	}
	return ev
}

// statusEvents tells of a changed status or changed questions.
func (r *runner) statusEvents(status, awaiting string) []notedEvent {
	shown := status + awaiting
	if shown == r.shown {
		return nil
	}
	r.shown = shown
	data := StatusEvent{Status: status, Awaiting: questionsOf(r.state)}
	return []notedEvent{{EventSession, data, r.counters.Seq(), r.counters.Messages()}}
}
