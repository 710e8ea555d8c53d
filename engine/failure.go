package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A failure is why an attempt did not succeed.
type failure struct {
	kind    string
	message string
	final   bool // not to be tried again, whatever the policy says
	atLeast time.Duration
	info    visitInfo
}

func (f failure) json() json.RawMessage {
	b, _ := encodePlain(map[string]any{"kind": f.kind, "message": f.message, "transient": !f.final})
	return b
}

// failStep ends an attempt that failed: tried again later where the policy allows, else
// the step is in error and on_error decides. It returns a record when the step's paths
// are to be followed all the same (on_error: continue).
func (r *runner) failStep(id string, f failure) *Execution {
	step := r.def.steps[id]
	l := r.ensureVisit(id)
	l.Tries++
	if !f.final && step != nil && l.Tries < step.retry.MaxAttempts {
		r.recordFailure(id, f)
		l.RetryAt = r.now() + step.retry.Wait(l.Tries, f.atLeast).Milliseconds()
		r.unwritten.touch()
		return nil
	}
	if step != nil && step.OnError == OnErrorContinue {
		return r.failAndContinue(id, f)
	}
	r.fail(id, f)
	if step != nil && step.OnError == OnErrorFailSession {
		r.failSession(id, f)
	}
	return nil
}

func (r *runner) recordFailure(id string, f failure) *Execution {
	f.info.status = StatusError
	f.info.attempt = r.counters.failed(id)
	if f.info.started.IsZero() {
		f.info.started = r.nowTime()
	}
	return r.record(id, f.info, nil, f.json())
}

// fail puts a step into error: its own path stops here.
func (r *runner) fail(id string, f failure) {
	r.ensureVisit(id)
	r.recordFailure(id, f)
	r.end(id, StatusError)
	r.state.setStatus(id, StatusError, f.message)
	r.state.engine.Failure = &SessionError{Step: id, Kind: f.kind, Message: f.message}
}

// failAndContinue keeps the error as an output and lets the paths be followed.
func (r *runner) failAndContinue(id string, f failure) *Execution {
	record := r.recordFailure(id, f)
	output, _ := encodePlain(map[string]any{"error": map[string]any{"message": f.message, "kind": f.kind}})
	r.keepOutput(id, output, record.Seq)
	r.end(id, StatusError)
	r.state.setStatus(id, StatusError, f.message)
	r.state.engine.Failure = &SessionError{Step: id, Kind: f.kind, Message: f.message}
	return record
}

// failSession cancels everything else of the session.
func (r *runner) failSession(cause string, f failure) {
	for _, id := range r.state.stepOrder {
		switch r.state.Status(id) {
		case StatusActive, StatusPending, StatusAwaitingInput:
			r.cancelStep(id, fmt.Sprintf("step %q failed the session", cause))
		}
	}
	r.state.engine.Joins, r.state.engine.Again = nil, nil
	r.unwritten.closing = true
	r.failed = true
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
