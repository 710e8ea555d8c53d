package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/models"
)

// standard calls a function of the registry, as the engine would.
func standard(ctx context.Context, t *testing.T, name, input string) (json.RawMessage, error) {
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{})
	return r.Find(name).Function.Call(ctx, json.RawMessage(input))
}

func raw(texts ...string) []json.RawMessage {
	list := []json.RawMessage{}
	for _, text := range texts {
		list = append(list, json.RawMessage(text))
	}
	return list
}

// TestHandOver looks at what functions ask the engine to do.
func TestHandOver(t *testing.T) {
	tests := []struct {
		function, input string
		want            error
	}{
		{"loop", `{"count":"3"}`, &function.RunBody{Rounds: 3, Finish: true}},
		{"loop", `{"count":0}`, &function.RunBody{Items: raw(), Finish: true}},
		{"loop", `{"count":0,"over":[1]}`, &function.RunBody{Items: raw(), Finish: true}},
		{"loop", `{"while":{"true":"@{SESSION_ID}.a"},"count":2,"max_rounds":1}`,
			&function.RunBody{Rounds: 2, While: json.RawMessage(`{"true":"@{SESSION_ID}.a"}`), MaxRounds: 1, Finish: true}},
		{"loop", `{"until":"@{SESSION_ID}.a","over":"[1, {}]"}`,
			&function.RunBody{Until: json.RawMessage(`"@{SESSION_ID}.a"`), Items: raw(`1`, `{}`), Finish: true}},
		{"loop", `{}`, &function.RunBody{Finish: true}},
		{"iterate", `{"items":["a",null],"max_rounds":5}`, &function.RunBody{Items: raw(`"a"`, `null`), MaxRounds: 5, Finish: true}},
		{"iterate", `{"items":"[]"}`, &function.RunBody{Items: raw(), Finish: true}},
		{"group", `{}`, &function.RunBody{AtOnce: true, Finish: true}},
		{"group", `{"merge":"first","concurrency":4}`, &function.RunBody{AtOnce: true, First: true, Concurrency: 4, Finish: true}},
		{"map", `{"items":[7],"inputs":{"a":1,"index":"i"},"concurrency":2}`, &function.RunSessions{Concurrency: 2, Sessions: []function.ChildSession{
			{Body: true, Inputs: json.RawMessage(`{"item":7,"index":"i","a":1}`)}}}},
		{"map", `{"items":["x","y"],"workflow":"w","entry":"e","outputs":"last"}`, &function.RunSessions{Outputs: []string{"last"}, Sessions: []function.ChildSession{
			{Workflow: "w", Entry: "e", Inputs: json.RawMessage(`{"item":"x","index":0}`)},
			{Workflow: "w", Entry: "e", Inputs: json.RawMessage(`{"item":"y","index":1}`)}}}},
		{"map", `{"items":[]}`, &function.RunSessions{}},
		{"subflow", `{"workflow":"w"}`, &function.RunSessions{Sessions: []function.ChildSession{{Workflow: "w"}}}},
		{"subflow", `{"workflow":"w","entry":"e","inputs":"{\"a\": 1}","outputs":["x","y"]}`, &function.RunSessions{Outputs: []string{"x", "y"},
			Sessions: []function.ChildSession{{Workflow: "w", Entry: "e", Inputs: json.RawMessage(`{"a":1}`)}}}},
		{"wait", `{"for":"90s"}`, &function.Wait{For: 90 * time.Second}},
		{"wait", `{"duration":0,"note":1}`, &function.Wait{For: 1, Entry: json.RawMessage(`{"note":1}`)}},
		{"wait", `{"until":"2026-01-31T12:00:00Z"}`, &function.Wait{Until: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}},
		{"wait", `{"until":1769860800000}`, &function.Wait{Until: time.UnixMilli(1769860800000)}},
		{"wait", `{"signal":"paid","timeout":"1d"}`, &function.Wait{Signal: "paid", For: 24 * time.Hour}},
		{"wait", `{"signal":"paid"}`, &function.Wait{Signal: "paid"}},
	}
	for _, test := range tests {
		out, err := standard(t.Context(), t, test.function, test.input)
		if out != nil || !reflect.DeepEqual(err, test.want) {
			t.Errorf("%s %s: %s, %#v, want %#v", test.function, test.input, out, err, test.want)
		}
	}
}

// An archive asks the store for results of rounds of these functions' steps, and of those that it
// does not know.
func TestFunctionsThatLeaveRounds(t *testing.T) {
	registry := function.NewRegistry()
	functions.Standard(registry, functions.Options{})
	for name, want := range map[string]bool{"loop": true, "utils.loop": true, "iterate": true, "map": true, "group": true, "unknown": true,
		"subflow": false, "reply": false, "generate": false} {
		if got := registry.LeavesRounds(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestControlRefuses(t *testing.T) {
	for _, test := range []struct{ function, input, want string }{
		{"loop", `{"count":-1}`, "count: -1 is less than none"},
		{"loop", `{"over":{"a":1}}`, `over: want a list, not {"a":1}`},
		{"loop", `{"over":null}`, "over: want a list, not null"},
		{"loop", `{"over":null,"until":"@{SESSION_ID}.a"}`, "over: want a list, not null"},
		{"iterate", `{}`, "items: want a list, not null"},
		{"iterate", `{"items":"a, b"}`, `items: want a list, not "a, b"`},
		{"iterate", `{"items":"null"}`, `items: want a list, not "null"`},
		{"group", `{"merge":"best"}`, `merge: want list, concatenate, summarize or first, not "best"`},
		{"group", `{"concurrency":-1}`, `concurrency: -1 is less than none`},
		{"map", `{"items":7}`, "items: want a list, not 7"},
		{"map", `{"items":[1],"inputs":[]}`, "inputs: want an object, not []"},
		{"map", `{"items":[1],"on_error":"ignore"}`, `on_error: want continue or stop_path, not "ignore"`},
		{"subflow", `{}`, "workflow: is missing, so there is nothing to run"},
		{"subflow", `{"workflow":"w","outputs":[1]}`, "outputs: want the id of a step or a list of ids, not [1]"},
		{"wait", `{}`, "for: there is nothing to wait for; give for, until or signal"},
		{"wait", `{"for":1,"until":5}`, "until: there is a duration already; give one of them"},
		{"wait", `{"until":"tomorrow"}`, `until: want a time such as 2026-01-31T12:00:00Z or milliseconds since 1970, not "tomorrow"`},
		{"wait", `{"until":1e300}`, "until: 1e300 milliseconds is not a time between 1970 and 9999"},
		{"variable", `{"value":1,"global":true}`, "name: is missing, so nobody could refer to the global"},
		{"variable", `{"globals":[]}`, "globals: want an object, not []"},
		{"variable", `{"globals":{"a":{}},"merge":true,"previous":[1]}`, "previous: want an object with the globals so far by name, not [1]"},
	} {
		_, err := standard(t.Context(), t, test.function, test.input)
		if function.KindOf(err) != function.KindBadInput || err.Error() != test.want {
			t.Errorf("%s %s: %v, want %s", test.function, test.input, err, test.want)
		}
	}
}

func TestFinish(t *testing.T) {
	boom := &function.SessionError{Step: "s", Kind: "failed", Message: "boom"}
	done := func(output string) function.BodyResult {
		return function.BodyResult{Status: engine.StatusComplete, Session: "p/s/1/0", Output: json.RawMessage(output)}
	}
	named := func(name, output string) function.BodyResult {
		one := done(output)
		one.Name = name
		return one
	}
	failed := function.BodyResult{Status: engine.StatusError, Session: "p/s/1/0", Output: json.RawMessage(`{"error":{"message":"boom","kind":"failed"}}`), Error: boom}
	lost := function.BodyResult{Status: engine.StatusError, Name: "C", Error: boom}
	none := function.BodyResult{Status: engine.StatusSkipped, Name: "D"}

	tests := []struct {
		function, input string
		results         []function.BodyResult
		want            string
	}{
		{"loop", `{"count":3}`, []function.BodyResult{done(`{"text":"a","response":"b"}`), none, done(`{"result":1,"content":"c"}`)},
			`{"results":[{"text":"a","response":"b"},null,{"result":1,"content":"c"}],"count":3,"text":"a\n\nc"}`},
		{"loop", `{"count":0}`, nil, `{"results":[],"count":0,"text":""}`},
		{"iterate", `{"items":[1,2],"separator":", "}`, []function.BodyResult{done(`"x"`), failed},
			`{"results":["x",{"error":{"message":"boom","kind":"failed"}}],"outputs":["x",""],"count":2,"failed":1,"text":"x, "}`},
		{"iterate", `{"items":[1],"separator":""}`, []function.BodyResult{failed, done(`{"n":1}`), done(`null`)},
			`{"results":[{"error":{"message":"boom","kind":"failed"}},{"n":1},null],"outputs":["","{\"n\":1}",""],"count":3,"failed":1,"text":"{\"n\":1}"}`},
		{"group", `{}`, []function.BodyResult{named("A", `"a"`), lost, none, named("B", `{"response":"b"}`)},
			`{"results":["a",{"response":"b"}],"outputs":["a","b"],"text":"a\nb"}`},
		{"group", `{"merge":"concatenate"}`, []function.BodyResult{named("A", `"a"`), named("E", `" "`), lost, named("B", `"b"`)},
			`{"results":["a"," ","b"],"outputs":["a"," ","b"],"text":"## A\n\na\n\n---\n\n## B\n\nb"}`},
		{"group", `{"merge":"concatenate"}`, []function.BodyResult{named("A", `"a"`), lost}, `{"results":["a"],"outputs":["a"],"text":"a"}`},
		{"group", `{"merge":"summarize"}`, []function.BodyResult{lost, named("A", `"a"`)}, `{"results":["a"],"outputs":["a"],"text":"a"}`},
		{"group", `{"merge":"first"}`, []function.BodyResult{none, named("A", `"a"`)}, `{"results":["a"],"outputs":["a"],"text":"a"}`},
		{"group", `{"merge":"first"}`, []function.BodyResult{lost, named("A", `"a"`), named("B", `"b"`)}, `{"results":["a"],"outputs":["a"],"text":"a"}`},
		{"group", `{"merge":"first"}`, []function.BodyResult{none}, `{"results":[],"outputs":[],"text":""}`},
		{"map", `{"items":[1,2],"on_error":"continue"}`, []function.BodyResult{lost, done(`"x"`)},
			`{"results":[{"error":{"message":"boom","kind":"failed"}},"x"],"outputs":["","x"],"count":2,"failed":1,"text":"\nx"}`},
		{"map", `{"items":[]}`, nil, `{"results":[],"outputs":[],"count":0,"failed":0,"text":""}`},
		{"subflow", `{"workflow":"w"}`, []function.BodyResult{done(`{"response":"r"}`)},
			`{"session":"p/s/1/0","status":"complete","result":{"response":"r"},"text":"r"}`},
		{"subflow", `{"workflow":"w"}`, []function.BodyResult{{Status: engine.StatusComplete, Session: "c"}}, `{"session":"c","status":"complete","result":null,"text":""}`},
		{"subflow", `{"workflow":"w","on_error":"output"}`, []function.BodyResult{{Status: engine.StatusError, Session: "c", Error: boom}},
			`{"session":"c","status":"error","result":null,"text":"","error":{"message":"boom","kind":"failed"}}`},
		{"subflow", `{"workflow":"w","on_error":"output","outputs":"x"}`, []function.BodyResult{done(`["t"]`)},
			`{"session":"p/s/1/0","status":"complete","result":"t","outputs":["t"],"text":"t"}`},
		{"subflow", `{"workflow":"w","outputs":"x"}`, []function.BodyResult{done(`[{"text":"t"}]`)},
			`{"session":"p/s/1/0","status":"complete","result":{"text":"t"},"outputs":[{"text":"t"}],"text":"t"}`},
		{"subflow", `{"workflow":"w","outputs":["x","y"]}`, []function.BodyResult{done(`["t",null]`)},
			`{"session":"p/s/1/0","status":"complete","result":["t",null],"outputs":["t",null],"text":"t\n"}`},
	}
	for _, test := range tests {
		ctx := function.WithCall(t.Context(), &function.Call{Number: 2, Body: &function.BodyOutcome{Results: test.results}})
		out, err := standard(ctx, t, test.function, test.input)
		if err != nil || string(out) != test.want {
			t.Errorf("%s %s: %s, %v, want %s", test.function, test.input, out, err, test.want)
		}
	}
	for name, want := range map[string]string{"map": "2 of 3 items failed; item 1: boom", "subflow": "boom"} {
		results := []function.BodyResult{done(`1`), lost, lost}
		if name == "subflow" {
			results = results[1:2]
		}
		ctx := function.WithCall(t.Context(), &function.Call{Number: 2, Body: &function.BodyOutcome{Results: results}})
		_, err := standard(ctx, t, name, `{"workflow":"w","items":[1]}`)
		if function.KindOf(err) != name+"_failed" || err.Error() != want {
			t.Errorf("%s with failures: %v", name, err)
		}
	}
}

// TestSummarize checks that summarize is a call of generate, and fails as that does.
func TestSummarize(t *testing.T) {
	both := &function.BodyOutcome{Results: []function.BodyResult{
		{Status: engine.StatusComplete, Name: "A", Output: json.RawMessage(`"a"`)}, {Status: engine.StatusComplete, Name: "B", Output: json.RawMessage(`"b"`)}}}
	ctx := function.WithCall(t.Context(), &function.Call{Number: 2, Key: "s/g/1/2", Step: "g", Body: both})
	_, err := standard(ctx, t, "group", `{"merge":"summarize"}`)
	var failed *function.CallError
	if !errors.As(err, &failed) || failed.Kind != function.KindDisabled || !strings.Contains(failed.Message, "--model") {
		t.Errorf("without a model: %v", err)
	}
}

// summarizer is a model that keeps what it was asked.
type summarizer struct{ asked models.Request }

func (s *summarizer) Generate(_ context.Context, r models.Request) (models.Response, error) {
	s.asked = r
	return models.Response{Text: "both"}, nil
}

func (s *summarizer) Model(name string) (models.Model, string, error) { return s, name, nil }

func (s *summarizer) Endpoint(models.Endpoint) (models.Model, error) { return s, nil }

func TestSummarizeAsksTheModel(t *testing.T) {
	model := &summarizer{}
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{Models: model})
	body := &function.BodyOutcome{Results: []function.BodyResult{
		{Status: engine.StatusComplete, Name: "A", Output: json.RawMessage(`"a"`)}, {Status: engine.StatusComplete, Name: "B", Output: json.RawMessage(`"b"`)}}}
	ctx := function.WithCall(t.Context(), &function.Call{Number: 2, Key: "s/g/1/2", Step: "g", Body: body})
	out, err := r.Find("group").Function.Call(ctx, json.RawMessage(`{"merge":"summarize","model":"m","system":"Be brief.","prompt":"Join them."}`))
	if want := `{"results":["a","b"],"outputs":["a","b"],"text":"both"}`; err != nil || string(out) != want {
		t.Fatalf("%s, %v, want %s", out, err, want)
	}
	want := []models.Message{{Role: models.RoleSystem, Content: "Be brief."}, {Role: models.RoleUser, Content: "Join them.\n\n## A\n\na\n\n---\n\n## B\n\nb"}}
	if !reflect.DeepEqual(model.asked.Messages, want) || model.asked.Model != "m" || model.asked.Key != "s/g/1/2" {
		t.Errorf("asked %+v", model.asked)
	}
}

func TestGlobals(t *testing.T) {
	for _, test := range []struct {
		input, output string
		set           map[string]string
	}{
		{`{"name":"x","value":{"a":1},"global":true}`, `{"value":{"a":1},"x":{"a":1}}`, map[string]string{"x": `{"a":1}`}},
		{`{"name":"x","value":null,"global":"yes"}`, `{"value":null,"x":null}`, map[string]string{"x": `null`}},
		{`{"name":"x","value":{"b":2},"global":true,"merge":true,"previous":{"a":1,"b":1}}`, `{"value":{"b":2},"x":{"a":1,"b":2}}`, map[string]string{"x": `{"a":1,"b":2}`}},
		{`{"globals":{"x":1,"y":[2]}}`, `{"x":1,"y":[2]}`, map[string]string{"x": `1`, "y": `[2]`}},
		{`{"globals":{"s":{"b":2},"t":{"c":3},"u":4},"merge":true,"previous":{"s":{"a":1},"t":"","u":{"d":5}}}`,
			`{"s":{"a":1,"b":2},"t":{"c":3},"u":4}`, map[string]string{"s": `{"a":1,"b":2}`, "t": `{"c":3}`, "u": `4`}},
		{`{"globals":{"s":{"b":2}},"merge":true,"previous":""}`, `{"s":{"b":2}}`, map[string]string{"s": `{"b":2}`}},
		{`{"name":"x","value":1,"set":{"y":2},"z":3}`, `{"y":2,"value":1,"z":3,"x":1}`, nil},
	} {
		var said function.Recorder
		out, err := function.ObjectFunc(functions.Variable).Call(function.WithSink(t.Context(), &said), json.RawMessage(test.input))
		if err != nil || string(out) != test.output {
			t.Errorf("%s: %s, %v, want %s", test.input, out, err, test.output)
		}
		if len(said.Named) != len(test.set) {
			t.Errorf("%s sets %s", test.input, said.Named)
		}
		for name, want := range test.set {
			if string(said.Named[name]) != want {
				t.Errorf("%s sets %s to %s, want %s", test.input, name, said.Named[name], want)
			}
		}
	}
}

func TestChecks(t *testing.T) {
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{})
	for _, test := range []struct{ function, input, want string }{
		{"loop", `{}`, "nothing ends this loop but a path out of it: give count, while, until, over or at least max_rounds"},
		{"loop", `{"count":"@{SESSION_ID}.a.n"}`, ""},
		{"loop", `{"over":"abc"}`, `over: want a list, not "abc"`},
		{"loop", `{"max_rounds":"many"}`, `max_rounds: want a whole number, not "many"`},
		{"loop", `{"over":null}`, "over: want a list, not null"},
		{"loop", `{"over":null,"until":"@{SESSION_ID}.a"}`, "over: want a list, not null"},
		{"iterate", `{}`, "items: want a list, not null"},
		{"iterate", `{"items":"@{SESSION_ID}.a.list"}`, ""},
		{"iterate", `{"items":{"@literal":"x"}}`, ""},
		{"map", `{"items":[],"entry":"e"}`, "entry: names a step of a workflow, and no workflow is given"},
		{"map", `{"items":["@{SESSION_ID}.a"],"concurrency":-1}`, "concurrency: -1 is less than none"},
		{"subflow", `{"inputs":{}}`, "workflow: is missing, so there is nothing to run"},
		{"subflow", `{"workflow":"@{SESSION_ID}.a"}`, ""},
		{"subflow", `{"workflow":"w","on_error":"ignore"}`, `on_error: want output or nothing, not "ignore"`},
		{"wait", `{"for":"@{SESSION_ID}.a"}`, ""},
		{"wait", `{"until":"soon"}`, `until: want a time such as 2026-01-31T12:00:00Z or milliseconds since 1970, not "soon"`},
		{"wait", `{}`, "for: there is nothing to wait for; give for, until or signal"},
		{"group", `{"merge":"x"}`, `merge: want list, concatenate, summarize or first, not "x"`},
		{"group", `not json`, ""},
	} {
		got := ""
		if problems := r.Find(test.function).Check(json.RawMessage(test.input)); len(problems) > 0 {
			got = problems[0].Message
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.function, test.input, got, test.want)
		}
	}
}
