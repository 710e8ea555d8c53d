package flowisesteps_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise/flowisesteps"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
)

func call(ctx context.Context, name, input string) (json.RawMessage, error) {
	r := engine.NewRegistry()
	flowisesteps.Register(r, functions.Options{})
	return r.Find(name).Function.Call(ctx, json.RawMessage(input))
}

func TestIterateReadsLenientLists(t *testing.T) {
	for given, want := range map[string]string{
		`[1, 2]`:                   `[1 2]`,
		`"['a','b']"`:              `["a" "b"]`,
		`"[\\\"a\\\", \\\"b\\\"]"`: `["a" "b"]`,
		`"\\[{\"a\":1}\\]"`:        `[{"a":1}]`,
		`"[{a:1}, /* more */]"`:    `[{"a":1}]`,
		`"[]"`:                     `[]`,
	} {
		_, err := call(t.Context(), "iterate.flowise", `{"items": `+given+`}`)
		var body *function.RunBody
		if !errors.As(err, &body) || !body.KeepGoing || fmt.Sprintf("%s", body.Items) != want {
			t.Errorf("%s: %v, want %s", given, err, want)
		}
	}
	for _, given := range []string{`"{a:1}"`, `{"a": 1}`, `"[1, 2"`, `null`, `7`} {
		_, err := call(t.Context(), "iterate.flowise", `{"items": `+given+`, "items_error": "Invalid input array"}`)
		var bad *function.CallError
		if !errors.As(err, &bad) || bad.Kind != function.KindBadInput || bad.Message != "Invalid input array" {
			t.Errorf("%s: %v", given, err)
		}
	}
}

func TestTextsOfFailures(t *testing.T) {
	done := function.BodyResult{Status: engine.StatusComplete, Output: json.RawMessage(`"x"`)}
	failed := function.BodyResult{Status: engine.StatusError, Session: "c", Error: &engine.SessionError{Step: "s", Kind: "failed", Message: `step "s": a "b"`}}
	for _, c := range []struct {
		name, input string
		results     []function.BodyResult
		want        string
	}{
		{"iterate.flowise", `{"items":[1,2],"error_text":"#{number}: {message}"}`, []function.BodyResult{done, failed}, `x
#2: step "s": a "b"`},
		{"iterate.flowise", `{"items":[1],"error_text":"?","error_texts":{"s":"own"}}`, []function.BodyResult{failed}, "own"},
		{"subflow.flowise", `{"workflow":"w","on_error":"output","error_text":"it said {message}"}`, []function.BodyResult{failed}, `it said a "b"`},
		{"subflow.flowise", `{"workflow":"w","on_error":"output","error_text":"{\"message\": \"Error: {message}\"}"}`, []function.BodyResult{failed}, `{"message": "Error: a \"b\""}`},
		{"subflow.flowise", `{"workflow":"w"}`, []function.BodyResult{done}, "x"},
		{"calculate.flowise", `{"input":"1/0","on_error_text":"?"}`, nil, "?"},
		{"calculate.flowise", `{"input":"1+1","on_error_text":"?"}`, nil, "2"},
	} {
		ctx := function.WithCall(t.Context(), &function.Call{Number: 2, Body: &function.BodyOutcome{Results: c.results}})
		out, err := call(ctx, c.name, c.input)
		var got struct{ Text string }
		if err != nil || json.Unmarshal(out, &got) != nil || got.Text != c.want {
			t.Errorf("%s %s: %s, %v, want %s", c.name, c.input, out, err, c.want)
		}
	}
}

func TestSwitchIsLenient(t *testing.T) {
	for rules, branch := range map[string]string{
		`[{"left":"**Yes**","right":"Yes"}]`:                           "0",
		`[{"left":200,"right":"200"}]`:                                 "0",
		`[{"type":"number","left":"12px","right":"12"}]`:               "0",
		`[{"left":"a","operator":"matches","right":"("}]`:              "1",
		`[{"left":"a","right":"b"},{"left":"<p>ok</p>","right":"ok"}]`: "1",
	} {
		out, err := call(t.Context(), "switch.flowise", `{"rules":`+rules+`}`)
		var got struct{ Branch string }
		if err != nil || json.Unmarshal(out, &got) != nil || got.Branch != branch {
			t.Errorf("%s: %s, %v, want branch %s", rules, out, err, branch)
		}
	}
}
