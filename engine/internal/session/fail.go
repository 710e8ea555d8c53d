package session

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// failStep handles a failed attempt: the call is retried later if the retry policy allows it;
// otherwise the step goes into error and on_error decides. It returns a record when the step's
// paths are to be followed nevertheless (on_error: continue).
func (r *visits) failStep(id string, f failure) *store.Execution {
	r.logRefusal(id, f)
	step := r.def.Step(id)
	l := r.ensureVisit(id)
	l.Tries++
	if policy := r.retryPolicy(step, f.kind); !f.final && l.Tries < policy.MaxAttempts {
		l.RetryAt = r.now() + policy.Wait(l.Tries, f.atLeast).Milliseconds()
		f.retried = true
		r.recordFailure(id, f)
		r.unwritten.touch()
		ev := r.stepEvent(id, l, store.StatusActive)
		ev.Retry = &event.RetryEvent{Attempt: r.counters.Attempts(id) + 1, At: state.Time(l.RetryAt), Kind: f.kind, Message: f.message}
		r.event(event.EventStep, ev)
		return nil
	}
	if step != nil && step.OnError == graph.OnErrorContinue {
		return r.failAndContinue(id, f)
	}
	r.fail(id, f)
	if step != nil && step.OnError == graph.OnErrorFailSession && r.failing == "" {
		r.failing = id
		r.unsettled = true
	}
	return nil
}

// retryPolicy returns the retry policy of a step for a kind of failure: the step's own, otherwise
// that of its function. A function's policy does not apply to the step's own timeout: the author
// has set how long the step may take, and three attempts would take three times as long.
func (r *visits) retryPolicy(step *graph.CompiledStep, kind string) function.RetryPolicy {
	switch {
	case step == nil:
		return function.RetryPolicy{}
	case jsontext.Blank(step.Retry):
		if kind == function.KindTimeout && step.Timeout != "" {
			return function.RetryPolicy{}
		}
		if spec := r.e.Registry.Find(step.Function); spec != nil && spec.Retry.MaxAttempts > 0 {
			return spec.Retry
		}
	}
	return step.Policy
}

// fail puts a step into status error; none of its paths is followed.
func (r *visits) fail(id string, f failure) {
	r.ensureVisit(id)
	l := r.state.Live(id)
	r.recordFailure(id, f)
	r.stopSuspended(id, "the step failed: "+f.message)
	if !r.putError(id, l, f) {
		r.failRound(id)
	}
}

// putError ends the visit of a step with status error. settled is true when the step was a tool
// call, whose agent gets the error.
func (r *visits) putError(id string, l *state.LiveStep, f failure) (settled bool) {
	if l != nil {
		l.Kind = f.kind
	}
	r.end(id, store.StatusError)
	r.state.SetStatus(id, store.StatusError, f.message)
	r.state.Fail(&function.SessionError{Step: id, Kind: f.kind, Message: f.message})
	if settled = r.toolEnded(l, function.ToolResult{Error: problemOf(id, f)}); settled {
		r.settleError(id)
	}
	return settled
}

// failStepFor fails a step that the current wave did not run itself. If on_error lets its paths
// be followed, the next wave follows them.
func (r *visits) failStepFor(id string, f failure) {
	if record := r.failStep(id, f); record != nil {
		r.arrived = append(r.arrived, arrival{step: id, record: record})
	}
}

// failAndContinue stores the error as the step's output and lets its paths be followed.
func (r *visits) failAndContinue(id string, f failure) *store.Execution {
	record := r.recordFailure(id, f)
	output, _ := jsontext.Marshal(map[string]any{"error": map[string]any{"message": f.message, "kind": f.kind}})
	if d := r.state.Suspended(id); d != nil {
		r.stopSuspended(id, "the step failed: "+f.message)
		r.showOutput(id, d, output, record.Seq)
		r.dropSuspended(id)
	} else {
		r.keepOutput(id, output, record.Seq)
	}
	if r.putError(id, r.state.Live(id), f) {
		return nil
	}
	return record
}

// failSession cancels every other live step. What it cancels is kept so that a retry can resume it.
func (r *visits) failSession(cause string) {
	h := r.state.Halt(cause)
	for _, id := range r.state.StepIDs() {
		switch r.state.Status(id) {
		case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
			r.noteHalted(h, id)
			r.cancelStep(id, fmt.Sprintf("step %q failed the session", cause))
		}
	}
	r.state.DropActivations()
	r.unwritten.closing = true
}

// logRefusal logs, for the operator, that the engine's policy has refused a step's call.
func (r *visits) logRefusal(id string, f failure) {
	if f.kind != function.KindDisabled || !r.e.refusals.isNew(r.workflow, id, f.message) {
		return
	}
	function := ""
	if step := r.def.Step(id); step != nil {
		function = step.Function
	}
	r.log.Warn("step refused by policy", logWorkflow, r.workflow, logStep, id, logFunction, function, logError, f.message)
}

// badHandover fails a step whose function returned a handover that is not valid.
func (r *visits) badHandover(res *attemptResult, format string, args ...any) *store.Execution {
	return r.failStep(res.attempt.step, failure{kind: function.KindBadInput, final: true, info: res.info(), message: fmt.Sprintf(format, args...)})
}
