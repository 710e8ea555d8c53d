package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// An attempt is one call of a step's function with a resolved input.
type attempt struct {
	by       *claim
	step     string
	compiled *graph.CompiledStep
	spec     *Spec
	call_    Call
	input    json.RawMessage // as it is recorded
	given    json.RawMessage // what the function gets: input, with the names of secrets bound
	reads    []Lineage
	timeout  time.Duration
	cancel   context.CancelCauseFunc // of an attempt under way
	leave    context.CancelCauseFunc // takes it back while it waits for a slot
	salt     int                     // of the key
	since    int64                   // ms; when it was decided
	durable  bool                    // a written checkpoint lists it: it may start

	mu     sync.Mutex // guards what the function tells its Call
	said   []spoken
	usage  []Usage
	named  []namedValue // values kept under names of their own
	window []Message    // newest messages when it started
}

// attemptResult is what an attempt came to.
type attemptResult struct {
	attempt  *attempt
	made     bool // the function was called; false for one that ended in the queue
	output   json.RawMessage
	err      error
	started  time.Time
	finished time.Time
}

// newAttempt prepares a call; nothing has been done yet.
func (r *steps) newAttempt(step *graph.CompiledStep, spec *Spec, input, bindings json.RawMessage, reads []Lineage) *attempt {
	l := r.state.Live(step.ID)
	number := 1
	if d := r.state.Suspended(step.ID); d != nil && d.Visit == l.Visit {
		number = d.Call + 1
	}
	key := callKey(r.id, step.ID, l.Visit, number, l.Salt)
	a := &attempt{
		by: r.claim, step: step.ID, compiled: step, spec: spec, input: input, reads: reads,
		window: r.chat, salt: l.Salt, since: r.now(),
		call_: Call{
			Session: r.id, Workflow: r.workflow, Step: step.ID, Function: step.Function,
			Visit: l.Visit, Attempt: r.counters.Attempts(step.ID) + 1, Key: key, Bindings: bindings,
			Number: number, OnError: step.OnError,
		},
	}
	if len(step.ToolPaths) > 0 {
		a.call_.Tools = r.def.ToolInfos(step.ID, r.e.registry)
	}
	a.given, a.call_.Secrets = function.BindSecretsIn(spec, json.RawMessage(step.Input), input, references.Scope{Session: r.id, Outputs: r.ledger, Limit: r.e.o.MaxInput})
	a.call_.Sink = a
	switch {
	case step.AttemptTimeout > 0:
		a.timeout = step.AttemptTimeout
	case spec.Timeout > 0:
		a.timeout = spec.Timeout
	default:
		a.timeout = r.e.o.CallTimeout
	}
	return a
}

// callKey is the key of a call. salt counts retries that asked for a fresh one.
func callKey(session, step string, visit, number, salt int) string {
	if salt > 0 {
		return fmt.Sprintf("%s/%s/%d/%d.%d", session, step, visit, number, salt)
	}
	return fmt.Sprintf("%s/%s/%d/%d", session, step, visit, number)
}

// call makes the call and waits for it. A panic of the function is an error of its step.
func (a *attempt) call(ctx context.Context) *attemptResult {
	res := &attemptResult{attempt: a, started: a.by.nowTime()}
	if a.spec.Disabled != "" {
		res.err = &CallError{Kind: KindDisabled, Message: a.spec.Disabled}
		res.finished = res.started
		return res
	}
	late := &CallError{Kind: KindTimeout, Transient: true, Message: fmt.Sprintf("no result after %s", a.timeout)}
	ctx, done := context.WithTimeoutCause(WithCall(ctx, &a.call_), a.timeout, late)
	defer done()
	res.output, res.err = a.guarded(ctx)
	if res.err != nil && errors.Is(res.err, context.DeadlineExceeded) && context.Cause(ctx) == error(late) {
		res.err = late
	}
	res.finished = a.by.nowTime()
	return res
}

func (a *attempt) guarded(ctx context.Context) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.by.log.Error("function panicked", logStep, a.step, logFunction, a.spec.Name, "panic", p, "stack", string(debug.Stack()))
			err = &CallError{Kind: KindFailed, Message: fmt.Sprintf("function %s panicked: %v", a.spec.Name, p)}
		}
	}()
	out, err = a.spec.Function.Call(ctx, a.given)
	if names := a.call_.Secrets; names != nil {
		out, err = names.RestoreResult(out, err)
	}
	return out, err
}

// spoken is what a call adds to the chat.
type spoken struct{ role, text string }

func (a *attempt) Say(role, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, spoken{role, text})
}

func (a *attempt) Token(audience, text string) {
	a.by.e.events.publish(Event{Type: EventToken, Session: a.by.id,
		Data: TokenEvent{Step: a.step, Visit: a.call_.Visit, Call: a.call_.Number, Text: text, Audience: audience, Provisional: true}})
}

func (a *attempt) Meter(u Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = append(a.usage, u)
}

func (a *attempt) Messages(ctx context.Context, n int) ([]Message, error) {
	switch {
	case n == 0 || n > 0 && n <= len(a.window):
		if n > 0 {
			return a.window[len(a.window)-n:], nil
		}
		return a.window, nil
	case n > 0:
		return a.by.e.store.Messages(ctx, a.by.id, HistoryQuery{Newest: true, Limit: n})
	}
	var all []Message
	for after := int64(0); ; {
		page, err := a.by.e.store.Messages(ctx, a.by.id, HistoryQuery{After: after, Limit: 500})
		if err != nil || len(page) == 0 {
			return all, err
		}
		all = append(all, page...)
		after = page[len(page)-1].N
	}
}

// info is what the record of the attempt's visit needs.
func (res *attemptResult) info() visitInfo {
	a := res.attempt
	v := visitInfo{started: res.started, attempt: a.call_.Attempt, input: a.input, reads: a.reads}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.usage) > 0 {
		v.usage, _ = jsontext.Marshal(sumUsage(a.usage))
	}
	return v
}

func sumUsage(list []Usage) Usage {
	sum := list[0]
	for _, u := range list[1:] {
		sum.InputTokens += u.InputTokens
		sum.OutputTokens += u.OutputTokens
		sum.CachedTokens += u.CachedTokens
		sum.Cost += u.Cost
		sum.Estimated = sum.Estimated || u.Estimated
		sum.Model = u.Model
	}
	return sum
}

// finishAttempt puts what an attempt came to into the state. It returns a record when
// the visit is complete and its paths are to be followed.
func (r *steps) finishAttempt(res *attemptResult) *Execution {
	a := res.attempt
	l := r.state.Live(a.step)
	if l == nil || l.Visit != a.call_.Visit || r.state.Status(a.step) != StatusActive {
		r.recordLate(res) // cancelled or moved away meanwhile: recorded, activates nothing
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
	if record, handed := r.handOver(res); handed {
		return record
	}
	var ask *AwaitInput
	switch {
	case errors.As(res.err, &ask):
		return r.questions.ask(a.step, ask, a, res)
	case res.err != nil:
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
