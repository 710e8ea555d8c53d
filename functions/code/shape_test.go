package code_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code"
)

// shaped runs a JavaScript with further fields of the input and returns the output as it is
// written, and the globals it set.
func shaped(t *testing.T, script, more string) (string, map[string]json.RawMessage, error) {
	t.Helper()
	in := map[string]any{"language": "javascript", "code": script}
	if err := json.Unmarshal([]byte(more), &in); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	heard := &function.Recorder{}
	out, err := code.Spec(code.Options{}).Function.Call(function.WithSink(t.Context(), heard), text)
	return string(out), heard.Named, err
}

func TestShapes(t *testing.T) {
	for _, test := range []struct{ name, script, more, want string }{
		{"as output", `return {b: 1, a: null}`, `{"as_output":true}`, `{"b":1,"a":null}`},
		{"as output, printed is lost", `console.log(1); return {}`, `{"as_output":"true"}`, `{}`},
		{"as output with a text", `return {b: [1]}`, `{"as_output":true,"text":"pretty"}`, "{\"b\":[1],\"text\":\"{\\n  \\\"b\\\": [\\n    1\\n  ]\\n}\"}"},
		{"as output with a text of its own", `return {text: "x"}`, `{"as_output":true,"text":"pretty"}`, `{"text":"x"}`},
		{"the text of an object is the output", `return '{"n": 1}'`, `{"as_output":true,"text":"pretty"}`, `{"n":1,"text":"{\n  \"n\": 1\n}"}`},
		{"text", `return "a\nb"`, `{"text":"pretty"}`, `{"result":"a\nb","error":null,"traceback":null,"text":"a\nb"}`},
		{"text of a number", `return 42`, `{"text":"pretty"}`, `{"result":42,"error":null,"traceback":null,"text":"42"}`},
		{"text of a truth value", `return false`, `{"text":"pretty"}`, `{"result":false,"error":null,"traceback":null,"text":"false"}`},
		{"text of nothing", `const q = 1`, `{"text":"pretty"}`, `{"result":null,"error":null,"traceback":null}`},
		{"no text", `return ""`, `{"text":"pretty"}`, `{"result":"","error":null,"traceback":null,"text":""}`},
		{"text of JSON text", `return '{"x": [1,2]}'`, `{"text":"pretty"}`, `{"result":{"x":[1,2]},"error":null,"traceback":null,"text":"{\n  \"x\": [\n    1,\n    2\n  ]\n}"}`},
		{"text of JSON5 text", `return " [{a: 1,}] "`, `{"text":"pretty"}`, `{"result":[{"a":1}],"error":null,"traceback":null,"text":"[\n  {\n    \"a\": 1\n  }\n]"}`},
		{"text that only looks so", `return "{x}"`, `{"text":"pretty"}`, `{"result":"{x}","error":null,"traceback":null,"text":"{x}"}`},
		{"empty structures", `return {a: {}, b: []}`, `{"text":"pretty"}`, `{"result":{"a":{},"b":[]},"error":null,"traceback":null,"text":"{\n  \"a\": {},\n  \"b\": []\n}"}`},
		{"no text unless asked for", `return '{"x":1}'`, `{}`, `{"result":"{\"x\":1}","error":null,"traceback":null}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := shaped(t, test.script, test.more)
			if err != nil || got != test.want {
				t.Errorf("got %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func TestErrorHasNoText(t *testing.T) {
	got, _, err := shaped(t, `throw new Error("kaput")`, `{"text":"pretty","raise":false}`)
	if err != nil || !strings.HasPrefix(got, `{"result":null,"error":"Error: kaput",`) || strings.Contains(got, `"text"`) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestGlobals(t *testing.T) {
	for _, test := range []struct{ name, script, more, want, fault string }{
		{"some", `return {a: 1, b: {c: 2}, d: null}`, `{"globals":["b","d","none"]}`, `{"b":{"c":2},"d":null}`, ""},
		{"one name", `return {a: 1}`, `{"globals":"a"}`, `{"a":1}`, ""},
		{"a list as its text", `return {a: 1}`, `{"globals":"[\"a\"]"}`, `{"a":1}`, ""},
		{"of the output", `return {a: 1}`, `{"globals":["a"],"as_output":true}`, `{"a":1}`, ""},
		{"of a JSON text", `return '{"a":1}'`, `{"globals":["a"],"text":"pretty"}`, `{"a":1}`, ""},
		{"none", `return 7`, `{"globals":[]}`, `null`, ""},
		{"no object", `return 7`, `{"globals":["a","b"],"raise":true}`, `null`, "globals: the result is not an object, so it has no field a or b"},
		{"after an error", `throw 1`, `{"globals":["a"]}`, `null`, ""},
		{"no list", `return 7`, `{"globals":{"a":1}}`, `null`, "globals: want a list of names of fields"},
		{"no name", `return 7`, `{"globals":[""]}`, `null`, "globals: a name is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, set, err := shaped(t, test.script, test.more)
			got, _ := json.Marshal(set)
			if string(got) != test.want || (test.fault == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.fault) {
				t.Errorf("set %s, %v\nwant %s, %q", got, err, test.want, test.fault)
			}
		})
	}
}

func TestRaise(t *testing.T) {
	for _, test := range []struct{ name, script, more, want string }{
		{"in words of the step", `throw new Error("kaput")`, `{"raise":"Error: NodeVM Execution Error: {message}"}`, "Error: NodeVM Execution Error: Error: kaput"},
		{"true", `throw new Error("kaput")`, `{"raise":"true"}`, "Error: kaput"},
		{"with as_output", `null.x`, `{"as_output":true}`, "TypeError: cannot read property 'x' of null"},
		{"even if not wanted", `throw "no"`, `{"as_output":true,"raise":false}`, "no"},
		{"as_output wants an object", `return [1]`, `{"as_output":true,"raise":"oh: {message}"}`, "oh: as_output: the result is not an object, so it cannot be the output"},
		{"a text without a place", `return 1`, `{"raise":"oh"}`, `raise: want true, false or a text with {message}, not "oh"`},
		{"no such layout", `return 1`, `{"text":"ugly"}`, `text: want pretty or nothing, not "ugly"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := shaped(t, test.script, test.more)
			var step *function.CallError
			if !errors.As(err, &step) || step.Message != test.want || step.Transient {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestCheckOfShape(t *testing.T) {
	for in, want := range map[string]string{
		`{"code":"result = 1","text":"ugly"}`:                       "text: want pretty",
		`{"code":"result = 1","raise":"oh"}`:                        "raise: want true",
		`{"code":"result = 1","globals":7}`:                         "globals: want a list",
		`{"code":"result = 1","raise":"@{SESSION_ID}.a.b"}`:         "",
		`{"code":"result = 1","globals":"a","raise":"x {message}"}`: "",
	} {
		problems := code.Spec(code.Options{}).Check(json.RawMessage(in))
		if want == "" && problems != nil || want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, want)) {
			t.Errorf("%s: %v", in, problems)
		}
	}
}
