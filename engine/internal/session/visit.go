package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// runStep runs an active step, or tries a pending one again, with its input as resolved when the
// wave began. A pure step is finished when runStep returns; a step with effects is added to
// r.toStart. record is set when the visit is complete and its paths are to be followed; moved is
// true when anything changed.
func (r *steps) runStep(ctx context.Context, id string, in resolvedInput) (record *store.Execution, moved bool) {
	l := r.ensureVisit(id)
	step := r.def.Step(id)
	if step == nil && (l.Tries > 0 || l.Approved != nil || r.state.Suspended(id) != nil) {
		r.stepGone(id, visitInfo{}, nil, "its visit was under way")
		return nil, true
	}
	if step == nil {
		r.fail(id, failure{kind: function.KindStepNotFound, final: true,
			message: fmt.Sprintf("step %q is not in workflow %q; move the session to another step, or add the step and retry", id, r.workflow)})
		return nil, true
	}
	if problem := r.overLimit(id); problem != "" && !l.Counted {
		r.fail(id, failure{kind: function.KindLimit, message: problem, final: true})
		return nil, true
	}
	if step.Inactive {
		r.end(id, store.StatusSkipped)
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
	return r.callFirst(ctx, step, l, in)
}

// callFirst makes the first call of a visit: at once, or after the next checkpoint if the function
// has effects. A step stays pending while its input refers to a missing value, and waits while its
// call has not been approved.
func (r *steps) callFirst(ctx context.Context, step *graph.CompiledStep, l *state.LiveStep, in resolvedInput) (record *store.Execution, moved bool) {
	id := step.ID
	spec := r.e.Registry.Find(step.Function)
	if spec == nil && r.leave(id, step.Function) {
		return nil, false
	}
	l.Lacks, l.LackedBy = "", ""
	if spec == nil {
		r.count(id, l)
		return r.failStep(id, failure{kind: function.KindNoFunction, message: r.noFunction(step.Function), final: true}), true
	}
	if step.Fault != nil {
		r.count(id, l)
		return r.failStep(id, failure{kind: function.KindBadInput, message: step.Fault.Error(), final: true}), true
	}
	switch {
	case in.err != nil:
		r.count(id, l)
		return r.failStep(id, failure{kind: referenceKind(in.err), message: in.err.Error(), final: true}), true
	case !in.ok:
		return nil, r.inputs.stayPending(id, l, in.result.Missing)
	}
	if r.state.Status(id) == store.StatusPending {
		r.state.SetStatus(id, store.StatusActive, "")
		l.Missing, l.Why = nil, nil
		r.show(id)
	}
	input := in.given()
	if step.Approval {
		if l.Approved == nil {
			r.questions.askApproval(step, input.text, in.reads)
			return nil, true
		}
		input.text, input.fields = l.Approved, nil
	}
	a := r.newAttempt(step, spec, input)
	r.count(id, l)
	if spec.Effects {
		r.queue(a)
		return nil, true
	}
	return r.finishAttempt(a.call(ctx)), true
}

// callAgain calls the function of a suspended step again, with the results it waited for. A
// retried step with child sessions is called as the first time.
func (r *steps) callAgain(ctx context.Context, step *graph.CompiledStep, d *state.Suspended, in resolvedInput) (*store.Execution, bool) {
	fail := func(f failure) (*store.Execution, bool) {
		f.info = visitInfo{started: state.Time(d.Started), reads: d.Reads}
		return r.failStep(step.ID, f), true
	}
	spec := r.e.Registry.Find(step.Function)
	if spec == nil && r.leave(step.ID, step.Function) {
		return nil, false
	}
	if l := r.state.MakeLive(step.ID); l.Lacks != "" {
		l.Lacks, l.LackedBy = "", ""
	}
	if spec == nil {
		return fail(failure{kind: function.KindNoFunction, message: r.noFunction(step.Function), final: true})
	}
	input, problem := r.inputs.inputOf(step, d, in)
	if problem != nil {
		return fail(*problem)
	}
	a := r.newAttempt(step, spec, input)
	if k := r.kind(d); k != nil {
		if err := k.resume(ctx, step.ID, d, &a.callInfo); err != nil {
			return fail(callFailure(err))
		}
	}
	if spec.Effects {
		r.queue(a)
		return nil, true
	}
	return r.finishAttempt(a.call(ctx)), true
}

// count counts a visit against max_steps, once even if the visit begins again. Calls of tools
// count against their agent's limits instead.
func (r *steps) count(id string, l *state.LiveStep) {
	if !l.Counted && l.Tool == nil {
		l.Counted = true
		r.state.CountVisit(r.countedIn(id))
	}
}

// overLimit names the limit that the session has reached, "" for none.
func (r *steps) overLimit(id string) string {
	limit := r.allowance()
	if r.state.Visits(r.countedIn(id)) < limit {
		return ""
	}
	return fmt.Sprintf("max_steps: %d steps have run since the last pause; retry gives a new allowance", limit)
}

func (r *steps) noFunction(name string) string {
	text := fmt.Sprintf("Function not found: %s", name)
	if near := r.e.Registry.Near(name); len(near) > 0 {
		text += "; near it are " + strings.Join(near, ", ")
	}
	return text
}

// bypassed returns the output of a step that is not called (bypassed, or without a function); nil
// keeps the output it has. A bypassed step without an output gets the JSON text of its property bypass_output,
// because the system that the workflow was imported from shows an empty text for such a node.
func (r *steps) bypassed(step *graph.CompiledStep) json.RawMessage {
	text, _ := step.Extra["bypass_output"].(string)
	if !step.Bypass || !json.Valid([]byte(text)) || len(r.state.Outputs(step.ID)) > 0 {
		return nil
	}
	return json.RawMessage(text)
}

// leave leaves a step whose function this engine lacks to an engine that has it. It returns false
// when no engine has announced the function.
func (r *steps) leave(id, function string) bool {
	others, ok := required(r.ledger, func() ([]store.Announcement, error) { return r.e.Store.Engines(r.ctx, lackFor) })
	if !ok {
		return true // the draft is spoiled and will not be written
	}
	for i := range others {
		if others[i].ID == r.e.ID || !others[i].Has(function) {
			continue
		}
		if l := r.state.MakeLive(id); l.Lacks != function || l.LackedBy != r.e.Name {
			l.Lacks, l.LackedBy = function, r.e.Name
			r.unwritten.touch()
		}
		return true
	}
	return false
}

// runSteps runs the steps of a wave and returns those whose paths are to be followed.
func (r *steps) runSteps(ctx context.Context, steps []string) (done []arrival, moved bool) {
	inputs := r.inputs.resolveInputs(steps)
	for _, step := range steps {
		if ctx.Err() != nil || r.stopNow {
			break
		}
		if s := r.state.Status(step); s != store.StatusActive && s != store.StatusPending {
			continue // a step that failed earlier in this wave has cancelled it
		}
		record, stirred := r.runStep(ctx, step, inputs[step])
		moved = moved || stirred
		if record != nil {
			done = append(done, arrival{step: step, record: record})
		}
	}
	return done, moved
}
