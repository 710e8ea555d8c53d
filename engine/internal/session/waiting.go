package session

import (
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// waits handles steps that wait for a time or a signal.
type waits struct{ *visits }

// beginWait makes a step wait for a time or a signal.
func (r *waits) beginWait(res *attemptResult, w *function.Wait) *store.Execution {
	a := res.attempt
	if len(w.Entry) > 0 && (!json.Valid(w.Entry) || w.Entry[0] != '{') {
		return r.badHandover(res, "the wait's entry is not a JSON object")
	}
	var due int64
	switch {
	case !w.Until.IsZero():
		due = max(w.Until.UnixMilli(), 1)
	case w.For > 0:
		due = r.now() + w.For.Milliseconds()
	case w.Signal == "":
		return r.badHandover(res, "a wait needs a time, a duration or the name of a signal")
	}
	l := r.ensureVisit(a.step)
	l.Wait = &state.Wait{Due: due, Signal: w.Signal, Entry: w.Entry, Started: res.started.UnixMilli(), Input: jsontext.Cut(a.input.text), Reads: a.input.reads}
	r.unwritten.touch()
	if w.Signal == "" {
		r.show(a.step)
		return nil
	}
	if s, sent := r.state.TakeSignal(w.Signal); sent {
		return r.endWait(a.step, &s)
	}
	r.open(a.step, &state.Ask{Kind: function.AskSignal, Prompt: w.Signal, Started: res.started.UnixMilli(), Input: jsontext.Cut(a.input.text), Reads: a.input.reads}, 0)
	r.state.Ask(a.step).Due = due
	return nil
}

// endWait completes a step whose time has come (signal is nil) or that received its signal.
func (r *waits) endWait(id string, signal *state.Signal) *store.Execution {
	l := r.state.Live(id)
	w := l.Wait
	fields := jsontext.Fields(w.Entry)
	put := func(key string, value any) {
		text, _ := jsontext.Marshal(value)
		fields = append(fields, jsontext.Field{Key: key, Value: text})
	}
	switch {
	case w.Signal == "":
		put("waited_until", state.Time(w.Due).Format(time.RFC3339Nano))
	case signal == nil:
		put("timed_out", true)
		put("signal", w.Signal)
		put("body", nil)
	default:
		put("timed_out", false)
		put("signal", w.Signal)
		put("body", signal.Body)
	}
	v := visitInfo{started: state.Time(w.Started), input: w.Input, reads: w.Reads}
	l.Wait = nil
	r.state.RenewAllowance(r.countedIn(id))
	output := jsontext.With(json.RawMessage("{}"), fields)
	if r.def.Step(id) == nil {
		r.stepGone(id, v, output, "it waited")
		return nil
	}
	return r.complete(id, output, v)
}

// fireTimers completes the waits whose time has come.
func (r *waits) fireTimers() {
	if r.state.Resting() {
		return
	}
	now := r.now()
	var due []string
	for id, l := range r.state.LiveSteps() {
		if l.Wait != nil && l.Wait.Due != 0 && l.Wait.Due <= now && r.state.HasBegun(id) {
			due = append(due, id)
		}
	}
	r.state.SortByActivation(due)
	for _, id := range due {
		l := r.state.Live(id)
		if l == nil || l.Wait == nil {
			continue
		}
		if l.Wait.Signal != "" {
			r.unwritten.closing = true
		}
		if record := r.endWait(id, nil); record != nil {
			r.arrived = append(r.arrived, arrival{step: id, record: record})
		}
	}
}

// applySignal delivers a signal to the step that has waited longest for it, or keeps the signal
// for a later wait.
func (r *waits) applySignal(q *store.Request) string {
	b := BodyOf(q)
	s := state.Signal{Name: b.Name, Body: b.Body, N: q.N}
	step, waits := r.state.LongestWaiting(func(step string, q *state.Ask) bool {
		if q.Kind != function.AskSignal {
			return false
		}
		l := r.state.Live(step)
		return l != nil && l.Wait != nil && l.Wait.Signal == b.Name
	})
	if waits == nil {
		r.state.KeepSignal(s)
		return "kept"
	}
	if record := r.endWait(step, &s); record != nil {
		r.arrived = append(r.arrived, arrival{step: step, record: record})
	}
	if r.def.Step(step) == nil { // kept for a step that waits for it after a retry or a move
		r.state.KeepSignal(s)
		return "kept; step " + step + ", which waited for it, is gone"
	}
	return "taken by step " + step
}
