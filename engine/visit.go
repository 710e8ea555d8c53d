package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A resolvedInput is what a step's input came to when its wave began.
type resolvedInput struct {
	result   references.Result
	bindings json.RawMessage
	reads    []Lineage
	ok       bool // all of it has a value
	err      error
}

// inputs resolve what steps are given.
type inputs struct{ *ledger }

// resolveInputs resolves the inputs of a wave's steps, all against the state as it is now.
func (r *inputs) resolveInputs(steps []string) map[string]resolvedInput {
	if len(steps) == 0 {
		return nil
	}
	r.chat = r.state.Messages()
	inputs := make(map[string]resolvedInput, len(steps))
	for _, id := range steps {
		step := r.def.Step(id)
		if step == nil || step.Fault != nil || step.Function == "" || step.Bypass || step.Inactive {
			continue // it is not called
		}
		l := r.ensureVisit(id)
		if d := r.state.Suspended(id); d != nil && d.Visit == l.Visit && !d.Renew {
			continue // it goes on with the input of its first call
		}
		if spec := r.e.registry.Find(step.Function); spec != nil {
			inputs[id] = r.resolveNow(step, spec, l)
		}
	}
	return inputs
}

// resolveNow resolves one input against the state as it is now.
func (r *inputs) resolveNow(step *graph.CompiledStep, spec *Spec, l *state.LiveStep) (in resolvedInput) {
	in.result, in.bindings, in.ok, in.err = r.resolveInput(step, spec, l)
	if in.ok && in.err == nil {
		in.reads = r.lineage(in.result.Reads)
	}
	return in
}

// steps run single steps: each gets its input, is called, and what came of the call is put into
// the state.
type steps struct {
	*visits
	inputs    *inputs
	bodies    *bodies
	children  *children
	agents    *agents
	waits     *waits
	questions *questions
}

// runStep runs an active step or tries a pending one again, with its input as it was when the
// wave began. A pure step is finished when it returns; one with effects is put into
// r.toStart. record is set when the visit is complete and its paths are to be followed;
// moved when anything changed.
func (r *steps) runStep(ctx context.Context, id string, in resolvedInput) (record *Execution, moved bool) {
	l := r.ensureVisit(id)
	step := r.def.Step(id)
	if step == nil && (l.Tries > 0 || l.Approved != nil || r.state.Suspended(id) != nil) {
		r.stepGone(id, visitInfo{}, nil, "its visit was under way")
		return nil, true
	}
	if step == nil {
		r.fail(id, failure{kind: KindStepNotFound, final: true,
			message: fmt.Sprintf("step %q is not in workflow %q; move the session to another step, or add the step and retry", id, r.workflow)})
		return nil, true
	}
	if problem := r.overLimit(id); problem != "" && !l.Counted {
		r.fail(id, failure{kind: KindLimit, message: problem, final: true})
		return nil, true
	}
	if step.Inactive {
		r.end(id, StatusSkipped)
		return nil, true
	}
	if step.Function == "" || step.Bypass {
		r.count(id, l)
		return r.complete(id, r.bypassed(step), visitInfo{started: r.nowTime()}), true
	}
	if seed, ok := r.state.TakeSeed(id); ok {
		r.count(id, l)
		return r.complete(id, seed, visitInfo{started: r.nowTime()}), true
	}
	if d := r.state.Suspended(id); d != nil && d.Visit == l.Visit {
		return r.callAgain(ctx, step, d, in)
	}
	spec := r.e.registry.Find(step.Function)
	if spec == nil && r.leave(id, step.Function) {
		return nil, false
	}
	l.Lacks, l.LackedBy = "", ""
	if spec == nil {
		r.count(id, l)
		return r.failStep(id, failure{kind: KindNoFunction, message: r.noFunction(step.Function), final: true}), true
	}
	if step.Fault != nil {
		r.count(id, l)
		return r.failStep(id, failure{kind: KindBadInput, message: step.Fault.Error(), final: true}), true
	}
	switch {
	case in.err != nil:
		r.count(id, l)
		return r.failStep(id, failure{kind: referenceKind(in.err), message: in.err.Error(), final: true}), true
	case !in.ok:
		return nil, r.inputs.stayPending(id, l, in.result.Missing)
	}
	if r.state.Status(id) == StatusPending {
		r.state.SetStatus(id, StatusActive, "")
		l.Missing, l.Why = nil, nil
		r.show(id)
	}
	input := in.result.Value
	if step.Approval {
		if l.Approved == nil {
			r.questions.askApproval(step, input, in.reads)
			return nil, true
		}
		input = l.Approved
	}
	a := r.newAttempt(step, spec, input, in.bindings, in.reads)
	r.count(id, l)
	if spec.Effects {
		r.queue(a)
		return nil, true
	}
	return r.finishAttempt(a.call(ctx)), true
}

// callAgain calls the function of a step that had handed control to the engine, with what
// came of it. A step with child sessions that is retried is called as the first time.
func (r *steps) callAgain(ctx context.Context, step *graph.CompiledStep, d *state.Suspended, in resolvedInput) (*Execution, bool) {
	fail := func(f failure) (*Execution, bool) {
		f.info = visitInfo{started: state.Time(d.Started), reads: d.Reads}
		return r.failStep(step.ID, f), true
	}
	spec := r.e.registry.Find(step.Function)
	if spec == nil && r.leave(step.ID, step.Function) {
		return nil, false
	}
	if l := r.state.MakeLive(step.ID); l.Lacks != "" {
		l.Lacks, l.LackedBy = "", ""
	}
	if spec == nil {
		return fail(failure{kind: KindNoFunction, message: r.noFunction(step.Function), final: true})
	}
	input, bindings, reads, problem := r.inputs.inputOf(step, d, in)
	if problem != nil {
		return fail(*problem)
	}
	a := r.newAttempt(step, spec, input, bindings, reads)
	if k := r.kind(d); k != nil {
		if err := k.resume(ctx, step.ID, d, &a.call_); err != nil {
			return fail(callFailure(err))
		}
	}
	if spec.Effects {
		r.queue(a)
		return nil, true
	}
	return r.finishAttempt(a.call(ctx)), true
}

// count counts a visit against max_steps, once however often it is begun anew. The calls
// of tools count against their agent's limits instead.
func (r *steps) count(id string, l *state.LiveStep) {
	if !l.Counted && l.Tool == nil {
		l.Counted = true
		r.state.CountVisit(r.countedIn(id))
	}
}

// overLimit says which limit the session has reached, "" for none.
func (r *steps) overLimit(id string) string {
	limit := r.allowance()
	if r.state.Visits(r.countedIn(id)) < limit {
		return ""
	}
	return fmt.Sprintf("max_steps: %d steps have run since the last pause; retry gives a new allowance", limit)
}

func (r *steps) noFunction(name string) string {
	text := fmt.Sprintf("Function not found: %s", name)
	if near := r.e.registry.Near(name); len(near) > 0 {
		text += "; near it are " + strings.Join(near, ", ")
	}
	return text
}

// resolveInput resolves a step's whole input against the state as it is now.
func (r *inputs) resolveInput(step *graph.CompiledStep, spec *Spec, l *state.LiveStep) (references.Result, json.RawMessage, bool, error) {
	input, raw, err := step.InputFor(spec)
	if err != nil {
		return references.Result{}, nil, false, err
	}
	result, bindings, resolved, err := r.resolveWith(input, spec)
	if err != nil || !resolved {
		return result, nil, false, err
	}
	result.Value = jsontext.With(result.Value, raw)
	if l != nil && l.Tool != nil {
		if result.Value, err = r.overArguments(result.Value, step, spec, l.Tool); err != nil {
			return result, nil, false, err
		}
	}
	return result, bindings, true, nil
}

func (r *inputs) resolveWith(input *references.Input, spec *Spec) (references.Result, json.RawMessage, bool, error) {
	scope := references.Scope{Session: r.id, Outputs: r.ledger, Limit: r.e.o.MaxInput}
	if len(spec.Program) == 0 {
		result, err := input.Resolve(scope)
		return result, nil, result.Resolved, err
	}
	fields := make([]references.ProgramField, len(spec.Program))
	for i, key := range spec.Program {
		fields[i] = references.ProgramField{Key: key}
	}
	result, programs, err := input.ResolveProgram(scope, fields...)
	if err != nil || !result.Resolved {
		return result, nil, false, err
	}
	return result, mergeBindings(spec.Program, programs), true, nil
}

// referenceKind is the kind of a failure to resolve.
func referenceKind(err error) string {
	var large *references.TooLargeError
	if errors.As(err, &large) {
		return KindTooLarge
	}
	return KindBadReference
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
func (r *inputs) stayPending(id string, l *state.LiveStep, missing []references.Missing) bool {
	names, why := make([]string, len(missing)), make([]string, len(missing))
	for i, m := range missing {
		names[i], why[i] = m.Reference, r.missingReason(m)
	}
	if r.state.Status(id) == StatusPending && equalTexts(names, l.Missing) && equalTexts(why, l.Why) {
		return false
	}
	first := r.state.Status(id) != StatusPending
	l.Missing, l.Why = names, why
	r.state.SetStatus(id, StatusPending, "")
	r.unwritten.touch()
	if first {
		r.show(id)
	}
	return first
}

// missingReason says why a reference has no value, and where its source can give none
// any more, that.
func (r *inputs) missingReason(m references.Missing) string {
	if m.Step == "" {
		return m.Reason
	}
	if r.def.Step(m.Step) == nil && len(r.state.Outputs(m.Step)) == 0 {
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

// bypassed is the output of a step that is not called: nil keeps the one it has. A bypassed step
// without one gets that of its property bypass_output, JSON text, because in the system that its
// workflow came from such a node shows an empty text.
func (r *steps) bypassed(step *graph.CompiledStep) json.RawMessage {
	text, _ := step.Extra["bypass_output"].(string)
	if !step.Bypass || !json.Valid([]byte(text)) || len(r.state.Outputs(step.ID)) > 0 {
		return nil
	}
	return json.RawMessage(text)
}
