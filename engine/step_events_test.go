package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// follow plays a session of w to its end and returns what its step events say.
func follow(t *testing.T, registry *engine.Registry, w *engine.Workflow) ([]engine.StepEvent, []engine.Execution) {
	t.Helper()
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, w, ""); err != nil {
		t.Fatal(err)
	}
	s, events, err := e.StartAndSubscribe(ctx, engine.StartRequest{Workflow: w.ID})
	if err != nil {
		t.Fatal(err)
	}
	var told []engine.StepEvent
	for ev := range events {
		if step, ok := ev.Data.(engine.StepEvent); ok {
			told = append(told, step)
		}
		if status, ok := ev.Data.(engine.StatusEvent); ok && status.Status == engine.StatusError {
			break
		}
	}
	history, err := e.Executions(ctx, s.ID, engine.HistoryQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return told, history
}

// busy fails for a while before it answers, as a provider at its limit does.
func busy(failures int, after time.Duration) *engine.Registry {
	registry, calls := engine.NewRegistry(), 0
	registry.Add(engine.Spec{Name: "ask model", Effects: true, Retry: function.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Millisecond, Backoff: 1, MaxInterval: time.Second},
		Function: function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
			if calls++; calls <= failures {
				return nil, &function.CallError{Kind: "rate_limit", Message: "too many", Transient: true, RetryAfter: after}
			}
			return json.RawMessage(`{}`), nil
		})})
	return registry
}

// A function may say how its failures that pass are tried again where a step says nothing; each
// wait is told as it begins, and the history marks attempts that were not the last one.
func TestFunctionsRetryByDefault(t *testing.T) {
	for name, c := range map[string]struct {
		failures int
		after    time.Duration
		retry    string
		waits    int
		ends     string
	}{
		"busy for a while":     {2, 0, "", 2, engine.StatusComplete},
		"as long as asked":     {1, 300 * time.Millisecond, "", 1, engine.StatusComplete},
		"busy for good":        {9, 0, "", 2, engine.StatusError},
		"the step has its own": {9, 0, `{"max_attempts": 1}`, 0, engine.StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			told, history := follow(t, busy(c.failures, c.after), &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "ask model", Retry: c.retry}}})
			waits := 0
			for _, ev := range told {
				if ev.Retry == nil {
					continue
				}
				waits++
				if ev.Status != engine.StatusActive || ev.Retry.Attempt != waits+1 || ev.Retry.Message != "too many" || ev.Retry.Kind != "rate_limit" || ev.Retry.At.Before(began.Add(c.after-time.Millisecond)) {
					t.Errorf("told %+v of %+v", ev.Retry, ev)
				}
			}
			if last := told[len(told)-1]; waits != c.waits || last.Status != c.ends || time.Since(began) < c.after {
				t.Errorf("%d waits, then %s after %s", waits, last.Status, time.Since(began))
			}
			for i, x := range history {
				if x.Retried() != (i < c.waits) {
					t.Errorf("execution %d is %s %s", x.Seq, x.Status, x.Error)
				}
			}
		})
	}
}

// An event of a tool's visit says who called it, and the one that begins a visit over which
// paths it came.
func TestStepEventsSayWhoCalled(t *testing.T) {
	registry := engine.NewRegistry()
	registry.Add(engine.Spec{Name: "agent", Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		if call := engine.CallOf(ctx); len(call.Transcript) == 0 {
			return nil, &function.CallTools{Entry: json.RawMessage(`{}`), Calls: []function.ToolCall{{ID: "1", Tool: call.Tools[0].Name, Arguments: json.RawMessage(`{}`)}}}
		}
		return json.RawMessage(`{}`), nil
	})})
	registry.Add(engine.Spec{Name: "look", Function: function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{}`), nil })})
	told, _ := follow(t, registry, &engine.Workflow{ID: "w",
		Steps: []engine.Step{{ID: "root", Function: "look"}, {ID: "clerk", Function: "agent"}, {ID: "tool", Function: "look"}},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "clerk"}, {Kind: engine.Tool, Source: "clerk", Target: "tool"}}})
	var lines []string
	for _, ev := range told {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", ev.Step, ev.Status, ev.Caller, strings.Join(ev.Paths, ","))))
	}
	got := strings.Join(lines, "; ")
	if !strings.HasSuffix(got, "clerk active  root>clerk; tool active clerk clerk>tool:TOOL; tool complete clerk; clerk complete") {
		t.Errorf("told %s", got)
	}
}
