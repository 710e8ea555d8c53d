package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A failure is why an attempt did not succeed.
type failure struct {
	kind    string
	message string
	final   bool // not to be tried again, whatever the policy says
	atLeast time.Duration
	retried bool // another attempt is made
	info    visitInfo
	output  json.RawMessage // what the call came to all the same, for the history
}

func (f failure) json() json.RawMessage {
	fields := map[string]any{"kind": f.kind, "message": f.message, "transient": !f.final}
	if f.retried {
		fields["retried"] = true
	}
	b, _ := jsontext.Marshal(fields)
	return b
}

// failStep ends an attempt that failed: tried again later where the policy allows, else
// the step is in error and on_error decides. It returns a record when the step's paths
// are to be followed all the same (on_error: continue).
func (r *visits) failStep(id string, f failure) *Execution {
	r.logRefusal(id, f)
	step := r.def.Step(id)
	l := r.ensureVisit(id)
	l.Tries++
	if policy := r.retryPolicy(step, f.kind); !f.final && l.Tries < policy.MaxAttempts {
		l.RetryAt = r.now() + policy.Wait(l.Tries, f.atLeast).Milliseconds()
		f.retried = true
		r.recordFailure(id, f)
		r.unwritten.touch()
		ev := r.stepEvent(id, l, StatusActive)
		ev.Retry = &RetryEvent{Attempt: r.counters.Attempts(id) + 1, At: state.Time(l.RetryAt), Kind: f.kind, Message: f.message}
		r.event(EventStep, ev)
		return nil
	}
	if step != nil && step.OnError == OnErrorContinue {
		return r.failAndContinue(id, f)
	}
	r.fail(id, f)
	if step != nil && step.OnError == OnErrorFailSession && r.failing == "" {
		r.failing = id
		r.unsettled = true
	}
	return nil
}

// retryPolicy returns the policy of a step for a kind of failure: its own, else that of its
// function. A function's policy does not apply to the step's own timeout: its author has said
// how long the step may take, and three attempts would take three times as long.
func (r *visits) retryPolicy(step *graph.CompiledStep, kind string) RetryPolicy {
	switch {
	case step == nil:
		return RetryPolicy{}
	case jsontext.Blank(step.Retry):
		if kind == KindTimeout && step.Timeout != "" {
			return RetryPolicy{}
		}
		if spec := r.e.registry.Find(step.Function); spec != nil && spec.Retry.MaxAttempts > 0 {
			return spec.Retry
		}
	}
	return step.Policy
}

// fail puts a step into error: its own path stops here.
func (r *visits) fail(id string, f failure) {
	r.ensureVisit(id)
	l := r.state.Live(id)
	r.recordFailure(id, f)
	r.stopSuspended(id, "the step failed: "+f.message)
	if l != nil {
		l.Kind = f.kind
	}
	r.end(id, StatusError)
	r.state.SetStatus(id, StatusError, f.message)
	r.state.Fail(&SessionError{Step: id, Kind: f.kind, Message: f.message})
	if r.toolEnded(l, ToolResult{Error: problemOf(id, f)}) {
		r.settleError(id)
		return
	}
	r.failRound(id)
}

// failRound tells the container that holds a step that its round ends in error; groups
// wait for their other ends.
func (r *visits) failRound(id string) {
	holder := r.holderOf(id)
	if holder == "" {
		return
	}
	if d := r.state.Suspended(holder); d != nil && d.Body != nil && !d.Body.AtOnce && d.Body.Failed == "" {
		d.Body.Failed = id
	}
}

// failStepFor fails a step outside the wave's own list of steps; where on_error lets its
// paths be followed, that is in the next wave.
func (r *visits) failStepFor(id string, f failure) {
	if record := r.failStep(id, f); record != nil {
		r.arrived = append(r.arrived, arrival{step: id, record: record})
	}
}

// failAndContinue keeps the error as an output and lets the paths be followed.
func (r *visits) failAndContinue(id string, f failure) *Execution {
	record := r.recordFailure(id, f)
	output, _ := jsontext.Marshal(map[string]any{"error": map[string]any{"message": f.message, "kind": f.kind}})
	if d := r.state.Suspended(id); d != nil {
		r.stopSuspended(id, "the step failed: "+f.message)
		r.showOutput(id, d, output, record.Seq)
		r.dropSuspended(id)
	} else {
		r.keepOutput(id, output, record.Seq)
	}
	l := r.state.Live(id)
	if l != nil {
		l.Kind = f.kind
	}
	r.end(id, StatusError)
	r.state.SetStatus(id, StatusError, f.message)
	r.state.Fail(&SessionError{Step: id, Kind: f.kind, Message: f.message})
	if r.toolEnded(l, ToolResult{Error: problemOf(id, f)}) {
		r.settleError(id)
		return nil
	}
	return record
}

// failSession cancels everything else of the session. What it cuts off is kept for a retry.
func (r *visits) failSession(cause string) {
	h := r.state.Halt(cause)
	for _, id := range r.state.StepIDs() {
		switch r.state.Status(id) {
		case StatusActive, StatusPending, StatusAwaitingInput:
			r.noteHalted(h, id)
			r.cancelStep(id, fmt.Sprintf("step %q failed the session", cause))
		}
	}
	r.state.DropActivations()
	r.unwritten.closing = true
}

// callFailure reads what a call's error says.
func callFailure(err error) failure {
	f := failure{kind: KindOf(err), message: err.Error(), final: !IsTransient(err)}
	var call *CallError
	if errors.As(err, &call) {
		f.atLeast = call.RetryAfter
	}
	return f
}

// logRefusal tells the operator of a step that policy has refused.
func (r *visits) logRefusal(id string, f failure) {
	if f.kind != KindDisabled || !r.e.refusals.isNew(r.workflow, id, f.message) {
		return
	}
	function := ""
	if step := r.def.Step(id); step != nil {
		function = step.Function
	}
	r.log.Warn("step refused by policy", logWorkflow, r.workflow, logStep, id, logFunction, function, logError, f.message)
}
