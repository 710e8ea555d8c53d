package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An attempt is one call of a step's function with a resolved input.
type attempt struct {
	by       *claim
	step     string
	compiled *graph.CompiledStep
	spec     *function.Spec
	callInfo function.Call
	input    givenInput
	marked   json.RawMessage // the input with marks for the names of secrets, if callInfo.Secrets is set
	timeout  time.Duration
	cancel   context.CancelCauseFunc // cancels a call under way
	leave    context.CancelCauseFunc // removes the call from the queue for a slot
	salt     int                     // part of the key; changed by a retry that asks for a new key
	since    int64                   // ms; when the call was decided
	durable  bool                    // a written checkpoint lists the call, so it may start
	begun    atomic.Bool             // the call has its slot

	mu     sync.Mutex // guards what the function reports through its Call
	said   []spoken
	usage  []function.Usage
	named  []namedValue      // values stored under names other than the step's id
	window *state.ChatWindow // newest chat messages when the call started
}

// A givenInput is the input of one call: its text, which the history records, and its fields,
// which the function receives. fields is nil if only the text is known, because it was stored or
// changed after its references were resolved; the function then reads the text.
type givenInput struct {
	text     json.RawMessage
	fields   function.Object
	bindings json.RawMessage
	reads    []store.Lineage
}

// An attemptResult is the result of an attempt: an output, an error, or a handover such as a question.
type attemptResult struct {
	attempt  *attempt
	made     bool // the function was called; false when the attempt ended while it waited for a slot
	output   json.RawMessage
	err      error
	started  time.Time
	finished time.Time
}

// callKey returns the idempotency key of a call. salt is 0 until a retry asks for a new key.
func callKey(session, step string, visit, number, salt int) string {
	if salt > 0 {
		return fmt.Sprintf("%s/%s/%d/%d.%d", session, step, visit, number, salt)
	}
	return fmt.Sprintf("%s/%s/%d/%d", session, step, visit, number)
}

// call calls the function and waits for it. A panic of the function becomes an error of its step.
func (a *attempt) call(ctx context.Context) *attemptResult {
	res := &attemptResult{attempt: a, started: a.by.nowTime()}
	if a.spec.Disabled != "" {
		res.err = &function.CallError{Kind: function.KindDisabled, Message: a.spec.Disabled}
		res.finished = res.started
		return res
	}
	late := &function.CallError{Kind: function.KindTimeout, Transient: true, Message: fmt.Sprintf("no result after %s", a.timeout)}
	ctx, done := context.WithTimeoutCause(function.WithCall(ctx, &a.callInfo), a.timeout, late)
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
			err = &function.CallError{Kind: function.KindFailed, Message: fmt.Sprintf("function %s panicked: %v", a.spec.Name, p)}
		}
	}()
	if names := a.callInfo.Secrets; names != nil {
		return names.RestoreResult(a.spec.Function.Call(ctx, a.marked))
	}
	if f, ok := a.spec.Function.(function.ObjectFunction); ok && a.input.fields != nil {
		return f.CallObject(ctx, a.input.fields)
	}
	return a.spec.Function.Call(ctx, a.input.text)
}

// spoken is one chat message that a call adds.
type spoken struct{ role, text string }

func (a *attempt) Say(role, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, spoken{role, text})
}

func (a *attempt) Token(audience, text string) {
	ev := event.Event{Type: event.EventToken, Session: a.by.id,
		Data: event.TokenEvent{Step: a.step, Visit: a.callInfo.Visit, Call: a.callInfo.Number, Text: text, Audience: audience, Provisional: true}}
	if t := a.by.trial; t != nil {
		t.keep(ev)
		return
	}
	a.by.e.Publish(ev)
}

func (a *attempt) Meter(u function.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage = append(a.usage, u)
}

func (a *attempt) Messages(ctx context.Context, n int) ([]function.Message, error) {
	if n >= 0 {
		window := a.window.Messages()
		switch {
		case n == 0:
			return window, nil
		case n <= len(window):
			return window[len(window)-n:], nil
		}
		return a.by.e.Store.Messages(ctx, a.by.id, store.HistoryQuery{Newest: true, Limit: n})
	}
	var all []function.Message
	for after := int64(0); ; {
		page, err := a.by.e.Store.Messages(ctx, a.by.id, store.HistoryQuery{After: after, Limit: 500})
		if err != nil || len(page) == 0 {
			return all, err
		}
		all = append(all, page...)
		after = page[len(page)-1].N
	}
}

// info returns the fields of the attempt that the record of its visit needs.
func (res *attemptResult) info() visitInfo {
	a := res.attempt
	v := visitInfo{started: res.started, attempt: a.callInfo.Attempt, input: a.input.text, reads: a.input.reads}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.usage) > 0 {
		v.usage, _ = jsontext.Marshal(sumUsage(a.usage))
	}
	return v
}

func sumUsage(list []function.Usage) function.Usage {
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

// An arrival is a finished visit, or the result of an effect, whose paths the next wave
// evaluates.
type arrival struct {
	step   string
	result *attemptResult   // of an effect; nil for a visit that has already ended
	record *store.Execution // of a visit that has already ended
}

// A namedValue is a value that a function stores under a name of its own, in addition to its
// output: one value, or several values that are appended to the list stored under that name.
type namedValue struct {
	name   string
	value  json.RawMessage
	adds   bool
	first  []json.RawMessage // with adds: placed before them when the list is empty
	values []json.RawMessage
}

func (a *attempt) Set(name string, value json.RawMessage) {
	a.name(namedValue{name: name, value: append(json.RawMessage(nil), value...)})
}

func (a *attempt) Append(name string, first, values []json.RawMessage) {
	a.name(namedValue{name: name, adds: true, first: copied(first), values: copied(values)})
}

func (a *attempt) name(v namedValue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.named = append(a.named, v)
}

func copied(list []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, v := range list {
		out[i] = append(json.RawMessage(nil), v...)
	}
	return out
}

// notBegun reports whether a call never began because the engine stopped or lost the session's
// lease. Such a call has not failed: its step stays active.
func (res *attemptResult) notBegun() bool {
	return !res.made && (errors.Is(res.err, ErrStopped) || errors.Is(res.err, ErrLost))
}

// visitInfo holds the fields of a visit's record other than its output.
type visitInfo struct {
	started time.Time
	attempt int
	input   json.RawMessage
	reads   []store.Lineage
	usage   json.RawMessage
	status  string // of the record; empty means complete
}

// succeeded reports whether there is at least one arrival and every arrival is a successful call.
func succeeded(arrived []arrival) bool {
	for i := range arrived {
		if res := arrived[i].result; res == nil || res.err != nil {
			return false
		}
	}
	return len(arrived) > 0
}
