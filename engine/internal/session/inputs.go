package session

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// inputs resolves the inputs of steps.
type inputs struct{ *ledger }

// inputOf returns the input with which the function of a suspended step is called again: the input
// of its first call or, after a retry, the newly resolved one if every reference has a value.
func (r *inputs) inputOf(step *graph.CompiledStep, d *state.Suspended, in resolvedInput) (given givenInput, problem *failure) {
	if d.Renew {
		if step.Fault != nil {
			return given, &failure{kind: function.KindBadInput, message: step.Fault.Error(), final: true}
		}
		if in.err != nil {
			return given, &failure{kind: referenceKind(in.err), message: in.err.Error(), final: true}
		}
		if in.ok {
			return in.given(), nil
		}
	}
	text, err := r.keptText(d.Input)
	if err != nil {
		problem = &failure{kind: function.KindFailed, message: err.Error()}
	}
	return givenInput{text: text, reads: d.Reads}, problem
}

// A resolvedInput is a step's input as resolved at the beginning of its wave.
type resolvedInput struct {
	result   references.Result
	bindings json.RawMessage
	reads    []store.Lineage
	ok       bool // every reference has a value
	err      error
}

func (in resolvedInput) given() givenInput {
	return givenInput{text: in.result.Value, fields: in.result.Members, bindings: in.bindings, reads: in.reads}
}

// resolveInputs resolves the inputs of a wave's steps, all against the current state.
func (r *inputs) resolveInputs(steps []string) map[string]resolvedInput {
	if len(steps) == 0 {
		return nil
	}
	r.chat = r.state.ChatNow()
	inputs := make(map[string]resolvedInput, len(steps))
	for _, id := range steps {
		step := r.def.Step(id)
		if step == nil || step.Fault != nil || step.Function == "" || step.Bypass || step.Inactive {
			continue // the step is not called
		}
		l := r.ensureVisit(id)
		if d := r.state.Suspended(id); d != nil && d.Visit == l.Visit && !d.Renew {
			continue // it continues with the input of its first call
		}
		if spec := r.e.Registry.Find(step.Function); spec != nil {
			inputs[id] = r.resolveNow(step, spec, l)
		}
	}
	return inputs
}

// resolveNow resolves one step's input against the current state.
func (r *inputs) resolveNow(step *graph.CompiledStep, spec *function.Spec, l *state.LiveStep) (in resolvedInput) {
	in.result, in.bindings, in.ok, in.err = r.resolveInput(step, spec, l)
	if in.ok && in.err == nil {
		in.reads = r.lineage(in.result.Reads)
	}
	return in
}

// resolveInput resolves all fields of a step's input against the current state.
func (r *inputs) resolveInput(step *graph.CompiledStep, spec *function.Spec, l *state.LiveStep) (references.Result, json.RawMessage, bool, error) {
	input, raw, err := step.InputFor(spec)
	if err != nil {
		return references.Result{}, nil, false, err
	}
	result, bindings, resolved, err := r.resolveWith(input, spec)
	if err != nil || !resolved {
		return result, nil, false, err
	}
	result.Value = jsontext.With(result.Value, raw)
	for _, f := range raw {
		result.Members = append(result.Members, references.Member{Name: f.Key, Value: f.Value})
	}
	if l != nil && l.Tool != nil {
		result.Members = nil
		if result.Value, err = r.overArguments(result.Value, step, spec, l.Tool); err != nil {
			return result, nil, false, err
		}
	}
	return result, bindings, true, nil
}

func (r *inputs) resolveWith(input *references.Input, spec *function.Spec) (references.Result, json.RawMessage, bool, error) {
	scope := references.Scope{Session: r.id, Outputs: r.ledger, Limit: r.e.MaxInput}
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

// mergeBindings combines the bindings of all program fields into one JSON object.
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

// stayPending keeps a step pending until its references have values, and records which of them have
// none and why. It returns true only when the step was not pending before.
func (r *inputs) stayPending(id string, l *state.LiveStep, missing []references.Missing) bool {
	names, why := make([]string, len(missing)), make([]string, len(missing))
	for i, m := range missing {
		names[i], why[i] = m.Reference, r.missingReason(m)
	}
	if r.state.Status(id) == store.StatusPending && slices.Equal(names, l.Missing) && slices.Equal(why, l.Why) {
		return false
	}
	first := r.state.Status(id) != store.StatusPending
	l.Missing, l.Why = names, why
	r.state.SetStatus(id, store.StatusPending, "")
	r.unwritten.touch()
	if first {
		r.show(id)
	}
	return first
}

// missingReason says why a reference has no value, and whether its source can no longer provide
// one.
func (r *inputs) missingReason(m references.Missing) string {
	if m.Step == "" {
		return m.Reason
	}
	if r.def.Step(m.Step) == nil && len(r.state.Outputs(m.Step)) == 0 {
		return m.Reason + fmt.Sprintf("; no step %q is in the workflow", m.Step)
	}
	if status := r.state.Status(m.Step); status == store.StatusSkipped || status == store.StatusError || status == store.StatusCancelled {
		return m.Reason + fmt.Sprintf("; step %q is %s", m.Step, status)
	}
	return m.Reason
}
