package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// visits begins, ends, fails and cancels single visits of steps. It knows a visit whose call is
// suspended only as a suspendedCall.
type visits struct {
	*ledger
	body, sessions, tools suspendedCall // set once, when the runner is created
}

// A suspendedCall handles one kind of call whose function has returned to wait for other work: the
// steps of a body, child sessions, or tool calls. Then the function is called again or the step ends.
// Keeping the call's goroutine instead would hold a slot for days and would not survive a
// restart. So the function returns what it waits for (RunBody, RunSessions, CallTools), the state
// stores it, and each wave checks its progress.
type suspendedCall interface {
	// settle advances the call and reports whether anything changed.
	settle(id string, d *state.Suspended) (moved bool)
	// resume adds the results to the Call with which the function is called again.
	resume(ctx context.Context, id string, d *state.Suspended, call *function.Call) error
	// retry gives a failed call a new allowance.
	retry(id string, d *state.Suspended)
	// stop cancels the work that the call waits for, because the step is cancelled or has failed.
	stop(id, reason string)
	// drop frees what the ended call stored, such as BLOBs.
	drop(d *state.Suspended)
}

// kind returns what handles the suspended call d, nil for a call that has returned no handover yet.
func (r *visits) kind(d *state.Suspended) suspendedCall {
	switch {
	case d.Body != nil:
		return r.body
	case d.Agent != nil:
		return r.tools
	case d.Children != nil:
		return r.sessions
	}
	return nil
}

// activate is called when a path leads to a step. A step that has not started merges with the
// activation; a step under way runs once more afterwards; a step in error waits for its retry; a
// join waits until no live step can reach it; any other step begins a new visit.
func (r *visits) activate(id string, from state.TakenPath) {
	step := r.def.Step(id)
	if step == nil {
		return // the problems of the session list the path
	}
	r.unwritten.touch()
	if step.Join == graph.JoinRequired {
		r.state.Arrive(step, from)
	}
	status := r.state.Status(id)
	if r.running[id] != nil || r.starting(id) || r.state.RunsAsTool(id) {
		r.state.RunAgain(id, from)
		return
	}
	switch status {
	case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
		l := r.ensureVisit(id)
		l.Took = append(l.Took, from)
		return
	case store.StatusError:
		if step.OnError != graph.OnErrorContinue && r.state.Failed(id) {
			return
		}
	}
	if step.Waits() {
		r.state.WaitToJoin(id, from)
		return
	}
	r.beginVisit(id, []state.TakenPath{from})
}

// beginVisit gives a step its next visit and makes it active.
func (r *visits) beginVisit(id string, took []state.TakenPath) *state.LiveStep {
	return r.beginVisitOf(nil, id, took)
}

// beginVisitOf is beginVisit with the agent's tool call that the visit serves, nil for any other visit.
func (r *visits) beginVisitOf(tool *state.ToolVisit, id string, took []state.TakenPath) *state.LiveStep {
	r.dropSuspended(id)
	r.state.EndLive(id)
	l := r.state.MakeLive(id)
	l.Visit, l.Took, l.Tool = r.counters.BeginVisit(id), took, tool
	r.state.SetStatus(id, store.StatusActive, "")
	r.unwritten.touch()
	ev := r.stepEvent(id, l, store.StatusActive)
	for _, p := range took {
		ev.Paths = append(ev.Paths, p.Path)
	}
	r.event(event.EventStep, ev)
	return l
}

// end removes a step from the live steps and sets its final status.
func (r *visits) end(id, status string) {
	ev := r.stepEvent(id, r.state.Live(id), status)
	entry := r.state.SetStatus(id, status, "")
	if status == store.StatusComplete {
		entry.LastExecuted = r.now()
	}
	if status != store.StatusError { // a step in error may be retried in the same visit, with the same key
		r.state.EndLive(id)
		r.dropSuspended(id)
	}
	r.state.CloseAsk(id)
	r.state.ClearFailure(id)
	r.unwritten.touch()
	r.event(event.EventStep, ev)
}

// open makes a step wait for the answer to a question; due is the time until its deadline.
func (r *visits) open(id string, q *state.Ask, due time.Duration) {
	l := r.ensureVisit(id)
	if q.Kind == "" {
		q.Kind = function.AskQuestion
	}
	q.Visit, q.Ask, q.Since = l.Visit, r.counters.NextAsk(id, l.Visit), r.now()
	if due > 0 {
		q.Due = q.Since + due.Milliseconds()
	}
	r.state.OpenAsk(id, q)
	r.state.SetStatus(id, store.StatusAwaitingInput, "")
	r.unwritten.visits++
	r.unwritten.touch()
	r.event(event.EventStep, r.stepEvent(id, l, store.StatusAwaitingInput))
}

// complete ends a visit with an output (nil for none) and returns its record.
func (r *visits) complete(id string, output json.RawMessage, v visitInfo) *store.Execution {
	if v.status == "" {
		v.status = store.StatusComplete
	}
	l := r.state.Live(id)
	record := r.record(id, v, output, nil)
	if d := r.state.Suspended(id); d != nil && output != nil {
		r.showOutput(id, d, output, record.Seq)
	} else if output != nil {
		r.keepOutput(id, output, record.Seq)
	}
	r.end(id, store.StatusComplete)
	return r.handOn(l, record, function.ToolResult{Output: output})
}

// handOn returns the record of a visit whose paths are to be followed. It returns nil when they
// are not: the visit was an agent's tool call, or the compensating step of a rollback, after which
// the step that the rollback names is activated.
func (r *visits) handOn(l *state.LiveStep, record *store.Execution, result function.ToolResult) *store.Execution {
	switch {
	case l == nil:
		return record
	case r.toolEnded(l, result):
		return nil
	case l.Then != "":
		r.activate(l.Then, state.TakenPath{Seq: record.Seq, Path: "rollback", Jump: true})
		return nil
	}
	return record
}

// cancelStep cancels a live step: its call is cancelled and its open question is closed. A
// further run that was planned after it is dropped. A visit that is an agent's tool call is
// cancelled alone, because the paths that led to the step meanwhile did not come from the agent.
func (r *visits) cancelStep(id, reason string) {
	if !r.state.RunsAsTool(id) {
		r.state.TakeAgain(id)
	}
	if a := r.running[id]; a != nil {
		r.unwritten.cancels = append(r.unwritten.cancels, cancelledCall{a, &function.CallError{Kind: function.KindCancelled, Message: reason}})
	}
	if r.starting(id) {
		r.unqueue(func(a *attempt) bool { return a.step == id })
	}
	r.stopSuspended(id, reason)
	v := visitInfo{status: store.StatusCancelled, started: r.nowTime()}
	l := r.state.Live(id)
	if ask := r.state.Ask(id); ask != nil {
		v.input, v.started = ask.Input, time.UnixMilli(ask.Started).UTC()
		r.unwritten.closing = true
	}
	r.record(id, v, nil, failure{kind: function.KindCancelled, message: reason, final: true}.json())
	r.end(id, store.StatusCancelled)
	r.toolEnded(l, function.ToolResult{Error: &function.SessionError{Step: id, Kind: function.KindCancelled, Message: reason}})
}

// dropSuspended removes the suspended call of a visit that has ended, and its BLOBs.
func (r *visits) dropSuspended(id string) {
	d := r.state.Suspended(id)
	if d == nil {
		return
	}
	r.state.EndSuspended(id)
	r.dropText(d.Input)
	if k := r.kind(d); k != nil {
		k.drop(d)
	}
}

// stopSuspended cancels the work that a cancelled or failed step waits for: body steps, tools,
// child sessions.
func (r *visits) stopSuspended(id, reason string) {
	if d := r.state.Suspended(id); d != nil {
		if k := r.kind(d); k != nil {
			k.stop(id, reason)
		}
	}
}

// settleError marks a failed step's error as handled: it stays visible, and it no longer affects
// the session's status.
func (r *visits) settleError(id string) {
	if !r.state.Failed(id) {
		return
	}
	r.state.Handle(id)
	r.dropSuspended(id)
	r.unwritten.touch()
	if step := r.def.Step(id); step != nil {
		for _, inner := range step.Body { // the errors of body steps that caused it are handled too
			r.settleError(inner)
		}
	}
}

// toolEnded gives an agent the result of one of its tool calls. It returns false when the visit is
// not a tool call.
func (r *visits) toolEnded(l *state.LiveStep, result function.ToolResult) bool {
	if l == nil || l.Tool == nil {
		return false
	}
	d := r.state.Suspended(l.Tool.Agent)
	if d == nil || d.Agent == nil {
		return true
	}
	for i := range d.Agent.Calls {
		if c := &d.Agent.Calls[i]; c.ID == l.Tool.Call && c.Visit == l.Visit && c.State == state.CallRuns {
			r.endCall(c, result)
		}
	}
	return true
}

// endCall stores the result of a tool call.
func (r *visits) endCall(c *state.AgentCall, result function.ToolResult) {
	result.ID, result.Tool, result.Step = c.ID, c.Tool, c.Step
	text, _ := jsontext.Marshal(result)
	c.End(r.keepText(text))
	r.unwritten.touch()
}

// failRound reports to the container of a step that its round ends in error; a group waits for its
// other end steps first.
func (r *visits) failRound(id string) {
	holder := r.holderOf(id)
	if holder == "" {
		return
	}
	if d := r.state.Suspended(holder); d != nil && d.Body != nil && !d.Body.AtOnce && d.Body.Failed == "" {
		d.Body.Failed = id
	}
}

// liveSteps returns the steps from which the session may still continue: those that run, wait or
// may be retried, waiting joins, and those whose paths are still to be followed.
func (r *visits) liveSteps() []*graph.CompiledStep {
	live := r.state.LiveIn(r.def)
	for _, a := range r.arrived { // ended in this wave; its paths are followed in the next wave
		if step := r.def.Step(a.step); step != nil {
			live = append(live, step)
		}
	}
	return live
}

// defaultConcurrency is the default number of children of a group or a map that run at once.
const defaultConcurrency = 32
