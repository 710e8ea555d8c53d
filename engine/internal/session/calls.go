package session

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// steps runs single steps: it resolves the input, calls the function and puts the result into
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

// newAttempt prepares a call without starting it or changing the state.
func (r *steps) newAttempt(step *graph.CompiledStep, spec *function.Spec, input givenInput) *attempt {
	l := r.state.Live(step.ID)
	number := 1
	if d := r.state.Suspended(step.ID); d != nil && d.Visit == l.Visit {
		number = d.Call + 1
	}
	key := callKey(r.id, step.ID, l.Visit, number, l.Salt)
	a := &attempt{
		by: r.claim, step: step.ID, compiled: step, spec: spec, input: input,
		window: r.chat, salt: l.Salt, since: r.now(),
		callInfo: function.Call{
			Session: r.id, Workflow: r.workflow, Step: step.ID, Function: step.Function,
			Visit: l.Visit, Attempt: r.counters.Attempts(step.ID) + 1, Key: key, Bindings: input.bindings,
			Number: number, OnError: step.OnError,
		},
	}
	if len(step.ToolPaths) > 0 {
		a.callInfo.Tools = r.def.ToolInfos(step.ID, r.e.Registry)
	}
	a.marked, a.callInfo.Secrets = function.BindSecretsIn(spec, json.RawMessage(step.Input), input.text, references.Scope{Session: r.id, Outputs: r.ledger, Limit: r.e.MaxInput})
	a.callInfo.Sink = a
	switch {
	case step.AttemptTimeout > 0:
		a.timeout = step.AttemptTimeout
	case spec.Timeout > 0:
		a.timeout = spec.Timeout
	default:
		a.timeout = r.e.CallTimeout
	}
	return a
}

// finishAttempt puts the result of an attempt into the state. It returns a record when the visit
// is complete and its paths are to be followed.
func (r *steps) finishAttempt(res *attemptResult) *store.Execution {
	a := res.attempt
	l := r.state.Live(a.step)
	if l == nil || l.Visit != a.callInfo.Visit || r.state.Status(a.step) != store.StatusActive {
		r.recordLate(res) // cancelled or moved meanwhile: recorded in the history, activates no path
		return nil
	}
	if r.def.Step(a.step) == nil {
		what := "its call was under way"
		if res.err != nil {
			what += " (" + res.err.Error() + ")"
		}
		r.stepGone(a.step, res.info(), res.output, what)
		return nil
	}
	if res.err != nil {
		if record, handed := r.handOver(res); handed {
			return record
		}
		f := callFailure(res.err)
		f.info = res.info()
		return r.failStep(a.step, f)
	}
	if problem := r.checkOutput(a.compiled, res.output); problem != nil {
		problem.info = res.info()
		return r.failStep(a.step, *problem)
	}
	if problem := r.setNamed(a); problem != nil {
		problem.info = res.info()
		return r.failStep(a.step, *problem)
	}
	for _, s := range a.said {
		r.say(s.role, s.text, a.step)
	}
	if d := r.state.Suspended(a.step); d != nil && d.Body != nil {
		r.bodies.finishSuspended(a.step, res.output, res.info())
		return nil
	}
	return r.complete(a.step, res.output, res.info())
}

// handOver handles a function that returned a question, a body, child sessions, tool calls or a wait
// instead of an output. handed is false when it returned none of these. record is set when the step's paths
// are to be followed at once.
func (r *steps) handOver(res *attemptResult) (record *store.Execution, handed bool) {
	var (
		ask      *function.AwaitInput
		body     *function.RunBody
		sessions *function.RunSessions
		tools    *function.CallTools
		wait     *function.Wait
	)
	switch {
	case errors.As(res.err, &body):
		return r.bodies.beginBody(res, body), true
	case errors.As(res.err, &sessions):
		return r.children.beginChildren(res, sessions), true
	case errors.As(res.err, &tools):
		return r.agents.beginTools(res, tools), true
	case errors.As(res.err, &wait):
		return r.waits.beginWait(res, wait), true
	case errors.As(res.err, &ask):
		return r.questions.ask(res.attempt.step, ask, res.attempt, res), true
	}
	return nil, false
}

// setNamed stores the values that a function set under other names: all of them, or none with a failure.
func (r *steps) setNamed(a *attempt) *failure {
	values := make([]json.RawMessage, len(a.named))
	grown := map[string]json.RawMessage{} // lists with the values appended so far
	for i, n := range a.named {
		value := n.value
		if n.adds {
			list, err := r.grow(n, grown[n.name])
			if err != nil {
				return &failure{kind: function.KindOutputInvalid, final: true, message: fmt.Sprintf("nothing can be added to the value %q: %v", n.name, err)}
			}
			if value = list; value == nil {
				continue
			}
		}
		switch {
		case r.def.Step(n.name) != nil:
			return &failure{kind: function.KindOutputInvalid, final: true, message: fmt.Sprintf("the value %q cannot be kept: a step has that name", n.name)}
		case n.name == "" || !json.Valid(value):
			return &failure{kind: function.KindOutputInvalid, final: true, message: fmt.Sprintf("the value %q has no name, or is not valid JSON", n.name)}
		}
		if problem := r.tooLarge(len(value)); problem != "" {
			return &failure{kind: function.KindTooLarge, message: problem, final: true}
		}
		values[i], grown[n.name] = value, value
	}
	for i, n := range a.named {
		if values[i] != nil {
			r.keepOutput(n.name, values[i], 0)
		}
	}
	return nil
}

// grow returns the list stored under a name with the new values appended; soFar is the list as
// this call has already changed it. It returns nil when nothing is added to it.
func (r *steps) grow(n namedValue, soFar json.RawMessage) (json.RawMessage, error) {
	list := []json.RawMessage{}
	if soFar == nil {
		found, ok, err := r.ledger.Output(n.name, -1)
		if err != nil {
			return nil, err
		}
		if ok {
			soFar = found
		}
	}
	if soFar != nil && (json.Unmarshal(soFar, &list) != nil || list == nil) {
		list = []json.RawMessage{} // any value that is not a list starts a new list
	}
	switch {
	case len(list) == 0:
		list = append(list, n.first...)
	case len(n.values) == 0:
		return nil, nil
	}
	return jsontext.Marshal(append(list, n.values...))
}
