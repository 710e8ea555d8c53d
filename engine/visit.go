package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/references"
)

// runStep runs an active step or tries a pending one again. A pure step is finished when
// it returns; one with effects is put into r.toStart. record is set when the visit is
// complete and its paths are to be followed; moved when anything changed.
func (r *runner) runStep(ctx context.Context, id string) (record *Execution, moved bool) {
	l := r.ensureVisit(id)
	step := r.def.steps[id]
	if step == nil {
		r.fail(id, failure{kind: KindStepNotFound, final: true,
			message: fmt.Sprintf("step %q is not in workflow %q; move the session to another step, or add the step and retry", id, r.workflow)})
		return nil, true
	}
	if problem := r.overLimit(); problem != "" {
		r.fail(id, failure{kind: KindLimit, message: problem, final: true})
		return nil, true
	}
	if step.Inactive {
		r.end(id, StatusSkipped)
		return nil, true
	}
	if step.Function == "" || step.Bypass {
		r.state.engine.Visits++
		return r.complete(id, nil, visitInfo{started: r.nowTime()}), true
	}
	spec := r.e.registry.Find(step.Function)
	if spec == nil {
		r.state.engine.Visits++
		return r.failStep(id, failure{kind: KindNoFunction, message: r.noFunction(step.Function), final: true}), true
	}
	if step.fault != nil {
		r.state.engine.Visits++
		return r.failStep(id, failure{kind: KindBadInput, message: step.fault.Error(), final: true}), true
	}
	resolved, bindings, ok, err := r.resolveInput(step, spec)
	switch {
	case err != nil:
		r.state.engine.Visits++
		return r.failStep(id, failure{kind: KindBadReference, message: err.Error(), final: true}), true
	case !ok:
		return nil, r.stayPending(id, l, resolved.Missing)
	}
	if r.state.Status(id) == StatusPending {
		r.state.setStatus(id, StatusActive, "")
		l.Missing, l.Why = nil, nil
		r.show(id)
	}
	input := resolved.Value
	if step.Approval {
		if l.Approved == nil {
			r.askApproval(id, input, resolved.Reads)
			return nil, true
		}
		input = l.Approved
	}
	a := r.newAttempt(step, spec, input, bindings, r.lineage(resolved.Reads))
	if l.Tries == 0 {
		r.state.engine.Visits++
	}
	if spec.Effects {
		r.toStart = append(r.toStart, a)
		r.unwritten.touch()
		return nil, true
	}
	return r.finishAttempt(a.call(ctx)), true
}

// overLimit says which limit the session has reached, "" for none.
func (r *runner) overLimit() string {
	limit := r.def.Workflow.Settings.MaxSteps
	if limit == 0 {
		limit = r.e.o.MaxSteps
	}
	if r.state.engine.Visits < limit {
		return ""
	}
	return fmt.Sprintf("max_steps: %d steps have run since the last pause; retry gives a new allowance", limit)
}

func (r *runner) noFunction(name string) string {
	text := fmt.Sprintf("Function not found: %s", name)
	if near := r.e.registry.Near(name); len(near) > 0 {
		text += "; near it are " + strings.Join(near, ", ")
	}
	return text
}

// resolveInput resolves a step's whole input against the state as it is now.
func (r *runner) resolveInput(step *compiledStep, spec *Spec) (references.Result, json.RawMessage, bool, error) {
	scope := references.Scope{Session: r.id, Outputs: (*runnerOutputs)(r)}
	if len(spec.Program) == 0 {
		result, err := step.input.Resolve(scope)
		return result, nil, result.Resolved, err
	}
	fields := make([]references.ProgramField, len(spec.Program))
	for i, key := range spec.Program {
		fields[i] = references.ProgramField{Key: key}
	}
	result, programs, err := step.input.ResolveProgram(scope, fields...)
	if err != nil || !result.Resolved {
		return result, nil, false, err
	}
	return result, mergeBindings(spec.Program, programs), true, nil
}

// mergeBindings makes one object of the values of all program fields.
func mergeBindings(fields []string, programs map[string]references.Program) json.RawMessage {
	var merged []byte
	for _, key := range fields {
		values := programs[key].Values
		if len(values) <= len("{}") {
			continue
		}
		if merged == nil {
			merged = append(merged, values...)
			continue
		}
		merged[len(merged)-1] = ','
		merged = append(merged, values[1:]...)
	}
	return merged
}

// stayPending keeps a step waiting for values. Nothing has moved when it lacks what it
// lacked before.
func (r *runner) stayPending(id string, l *liveStep, missing []references.Missing) bool {
	names, why := make([]string, len(missing)), make([]string, len(missing))
	for i, m := range missing {
		names[i], why[i] = m.Reference, r.missingReason(m)
	}
	if r.state.Status(id) == StatusPending && equalTexts(names, l.Missing) && equalTexts(why, l.Why) {
		return false
	}
	first := r.state.Status(id) != StatusPending
	l.Missing, l.Why = names, why
	r.state.setStatus(id, StatusPending, "")
	r.unwritten.touch()
	if first {
		r.show(id)
	}
	return first
}

// missingReason says why a reference has no value, and where its source can give none
// any more, that.
func (r *runner) missingReason(m references.Missing) string {
	if m.Step == "" {
		return m.Reason
	}
	if r.def.steps[m.Step] == nil && len(r.state.Outputs(m.Step)) == 0 {
		return m.Reason + fmt.Sprintf("; no step %q is in the workflow", m.Step)
	}
	if status := r.state.Status(m.Step); status == StatusSkipped || status == StatusError || status == StatusCancelled {
		return m.Reason + fmt.Sprintf("; step %q is %s", m.Step, status)
	}
	return m.Reason
}

func equalTexts(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// visitInfo is what the record of a visit needs besides its output.
type visitInfo struct {
	started time.Time
	attempt int
	input   json.RawMessage
	reads   []Lineage
	usage   json.RawMessage
	status  string // of the record; complete when empty
}

// complete ends a visit with an output (nil for none) and returns its record.
func (r *runner) complete(id string, output json.RawMessage, v visitInfo) *Execution {
	if v.status == "" {
		v.status = StatusComplete
	}
	record := r.record(id, v, output, nil)
	if output != nil {
		r.keepOutput(id, output, record.Seq)
	}
	r.end(id, StatusComplete)
	return record
}

// end takes a step out of the live ones and gives it its last status.
func (r *runner) end(id, status string) {
	visit := 0
	if l := r.state.engine.Live[id]; l != nil {
		visit = l.Visit
	}
	entry := r.state.setStatus(id, status, "")
	if status == StatusComplete {
		entry.LastExecuted = r.now()
	}
	if status != StatusError { // what is in error may be retried: the same visit, the same key
		delete(r.state.engine.Live, id)
	}
	delete(r.state.engine.Asks, id)
	if f := r.state.engine.Failure; f != nil && f.Step == id {
		r.state.engine.Failure = nil
	}
	r.unwritten.touch()
	r.event(EventStep, StepEvent{Step: id, Visit: visit, Status: status})
}

// keepOutput appends an output to the state's window, on a BLOB when it is large.
func (r *runner) keepOutput(id string, output json.RawMessage, seq int64) {
	kept := r.def.steps[id].keep()
	value := r.intern(output)
	r.stateBytes += len(value)
	for _, old := range r.state.addOutput(id, value, kept) {
		r.stateBytes -= len(old)
		r.forget(old)
	}
	r.counters.noteOutput(id, seq, len(r.state.Outputs(id)))
}

// record writes the EXECUTION of a visit that has ended, as far as the workflow's level
// of history asks for it. The number is taken at every level.
func (r *runner) record(id string, v visitInfo, output, problem json.RawMessage) *Execution {
	r.counters.Seq++
	l := r.state.engine.Live[id]
	if l == nil {
		l = &liveStep{Visit: r.counters.Visits[id]}
	}
	e := &Execution{
		ID: fmt.Sprintf("%s/%d", r.id, r.counters.Seq), Session: r.id, Seq: r.counters.Seq,
		Workflow: r.workflow, Step: id, Visit: l.Visit, Attempt: max(v.attempt, 1), Status: v.status,
		Input: cut(v.input), Output: cut(output), Error: problem, Usage: v.usage,
		StartedAt: v.started, FinishedAt: r.nowTime(), Reads: v.reads, Took: r.tookLineage(l.Took),
	}
	if step := r.def.steps[id]; step != nil {
		e.Function, e.Definition = step.Function, step.hash
	}
	r.unwritten.all = append(r.unwritten.all, e)
	if r.keepsHistory(v.status) {
		r.unwritten.executions = append(r.unwritten.executions, e)
		r.unwritten.bytes += len(e.Input) + len(e.Output) + 256
	}
	r.unwritten.visits++
	r.unwritten.bytes += len(output)
	r.unwritten.touch()
	return e
}

func (r *runner) keepsHistory(status string) bool {
	switch r.def.Workflow.Settings.History {
	case HistoryNone:
		return false
	case HistoryErrors:
		return status != StatusComplete && status != StatusAnswered
	}
	return true
}

func (r *runner) tookLineage(took []takenPath) []Lineage {
	var out []Lineage
	for _, t := range took {
		if t.Seq > 0 {
			out = append(out, Lineage{Execution: fmt.Sprintf("%s/%d", r.id, t.Seq), Label: t.Path})
		}
	}
	return out
}

// lineage turns what an input read into relations to the executions that wrote it.
func (r *runner) lineage(reads []references.Read) []Lineage {
	var out []Lineage
	for _, read := range reads {
		kept := len(r.state.Outputs(read.Step))
		index := read.Index
		if index < 0 {
			index += kept
		}
		if seq := r.counters.outputSeq(read.Step, index, kept); seq > 0 {
			out = append(out, Lineage{Execution: fmt.Sprintf("%s/%d", r.id, seq), Label: read.Reference})
		}
	}
	return out
}

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
