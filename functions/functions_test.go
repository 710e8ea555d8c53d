package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
)

type fn = func(context.Context, function.Object) (json.RawMessage, error)

func TestQuestions(t *testing.T) {
	tests := []struct {
		name    string
		call    fn
		input   string
		prompt  string
		entry   string
		options string
	}{
		{"request keeps its input in order", functions.Request, `{"prompt":"Colour?","options":["red","blue"],"query":"q"}`,
			"Colour?", `{"prompt":"Colour?","options":["red","blue"],"query":"q"}`, `[{"text":"red","value":"red"},{"text":"blue","value":"blue"}]`},
		{"a null stays", functions.Request, `{"prompt": "Text:", "options": null}`, "Text:", `{"prompt":"Text:","options":null}`, `null`},
		{"message is a prompt", functions.Request, `{"message":"Hi"}`, "Hi", `{"message":"Hi","prompt":"Hi"}`, `null`},
		{"prompt from an object", functions.Request, `{"prompt":{"a":[1,true]}}`, `{"a":[1,true]}`, `{"prompt":{"a":[1,true]}}`, `null`},
		{"the engine's fields", functions.Request, `{"response":1,"prompt":"p","waiting_for_input":true}`, "p", `{"prompt":"p"}`, `null`},
		{"options as text", functions.Request, `{"prompt":"p","options":"[\"a\",2]"}`, "p", `{"prompt":"p","options":"[\"a\",2]"}`, `[{"text":"a","value":"a"},{"text":"2","value":2}]`},
		{"confirm", functions.Confirm, `{"message":"Sure?","confirm_text":"Aye"}`, "Sure?",
			`{"message":"Sure?","confirm_text":"Aye","prompt":"Sure?","options":[{"text":"Aye","value":true},{"text":"No","value":false}]}`,
			`[{"text":"Aye","value":true},{"text":"No","value":false}]`},
		{"select", functions.Select, `{"prompt":"Pick","choices":["x",{"text":"Y"},{"text":"Z","value":{"id":3},"note":"n"},4]}`, "Pick",
			`{"prompt":"Pick","choices":["x",{"text":"Y"},{"text":"Z","value":{"id":3},"note":"n"},4],"options":[{"text":"x","value":"x"},{"text":"Y","value":"Y"},{"text":"Z","value":{"id":3}},{"text":"4","value":4}]}`,
			`[{"text":"x","value":"x"},{"text":"Y","value":"Y"},{"text":"Z","value":{"id":3}},{"text":"4","value":4}]`},
		{"select normalises in place", functions.Select, `{"options":[{"label":"A","value":false}],"prompt":"p"}`, "p",
			`{"options":[{"text":"A","value":false}],"prompt":"p"}`, `[{"text":"A","value":false}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := function.ObjectFunc(test.call).Call(t.Context(), json.RawMessage(test.input))
			var ask *function.AwaitInput
			if out != nil || !errors.As(err, &ask) {
				t.Fatalf("got %s, %v, want a question", out, err)
			}
			if ask.Prompt != test.prompt {
				t.Errorf("prompt = %q, want %q", ask.Prompt, test.prompt)
			}
			if string(ask.Entry) != test.entry {
				t.Errorf("entry = %s, want %s", ask.Entry, test.entry)
			}
			if got, _ := json.Marshal(ask.Options); string(got) != test.options {
				t.Errorf("options = %s, want %s", got, test.options)
			}
		})
	}
}

func TestRequestSchemaAndDue(t *testing.T) {
	_, err := function.ObjectFunc(functions.Request).Call(t.Context(), json.RawMessage(`{"prompt":"n?","schema":"{\"type\":\"integer\"}","due":"1d","on_due":0}`))
	var ask *function.AwaitInput
	if !errors.As(err, &ask) {
		t.Fatal(err)
	}
	if ask.Kind != function.AskQuestion || string(ask.Schema) != `{"type":"integer"}` || ask.Due != 24*time.Hour || string(ask.OnDue) != `0` {
		t.Errorf("question = %+v", ask)
	}
}

func TestCalls(t *testing.T) {
	tests := []struct {
		name  string
		call  fn
		input string
		want  string
	}{
		{"reply", functions.Reply, `{"message":"n is 5","context_limit":3}`, `{"message":"n is 5","content":"n is 5","end_session":false,"context_limit":3}`},
		{"reply with a text of generate", functions.Reply, `{"llm_response":"plain one","content":"unused","extra":"kept"}`, `{"message":"plain one","content":"plain one","end_session":false,"extra":"kept"}`},
		{"reply with an output of generate", functions.Reply, `{"llm_response":{"n":1,"response":"r"}}`, `{"message":"r","content":"r","end_session":false}`},
		{"reply with an object of other fields", functions.Reply, `{"llm_response":{"n":1}}`, `{"message":"{\"n\":1}","content":"{\"n\":1}","end_session":false}`},
		{"reply with content", functions.Reply, `{"message":null,"content":"c"}`, `{"message":"c","content":"c","end_session":false}`},
		{"reply with nothing in it", functions.Reply, `{"message":""}`, `{"message":"","content":"","end_session":false}`},
		{"reply with a number", functions.Reply, `{"message":1.50,"end_session":true}`, `{"message":"1.50","content":"1.50","end_session":true}`},

		{"variable", functions.Variable, `{"name":"city","value":{"b":1,"a":2}}`, `{"value":{"b":1,"a":2},"city":{"b":1,"a":2}}`},
		{"variable null", functions.Variable, `{"name":"city","value":null}`, `{"value":null,"city":null}`},
		{"variable set", functions.Variable, `{"set":{"z":1,"a":null},"more":true}`, `{"z":1,"a":null,"more":true}`},
		{"variable without anything", functions.Variable, `{}`, `{}`},

		{"template", functions.Template, `{"template":"Hi Ada","tone":"warm"}`, `{"text":"Hi Ada","tone":"warm"}`},
		{"template of an object", functions.Template, `{"text":{"a": 1}}`, `{"text":"{\"a\":1}"}`},
		{"template of a list", functions.Template, `{"template":[" a",{"b":1},2],"trim":true}`, `{"text":"a\n{\"b\":1}\n2"}`},
		{"template that is said", functions.Template, `{"template":"Hi","say":true}`, `{"text":"Hi"}`},
		{"template with a separator", functions.Template, `{"template":["a","b"],"separator":""}`, `{"text":"ab"}`},

		{"append to nothing", functions.Accumulate, `{"value":{"n":1},"previous":""}`, `{"items":[{"n":1}],"count":1}`},
		{"append", functions.Accumulate, `{"value":[2],"previous":[1]}`, `{"items":[1,[2]],"count":2}`},
		{"append null", functions.Accumulate, `{"value":null,"previous":[1]}`, `{"items":[1,null],"count":2}`},
		{"append nothing", functions.Accumulate, `{"previous":""}`, `{"items":[],"count":0}`},
		{"append to what there is at first", functions.Accumulate, `{"value":2,"previous":"","initial":[1]}`, `{"items":[1,2],"count":2}`},
		{"concat the newest", functions.Accumulate, `{"mode":"concat","value":[3,4],"into":[1,2],"limit":3}`, `{"items":[2,3,4],"count":3}`},
		{"text", functions.Accumulate, `{"mode":"text","value":"a","previous":""}`, `{"text":"a"}`},
		{"more text", functions.Accumulate, `{"mode":"text","value":"b","previous":"a","separator":", "}`, `{"text":"a, b"}`},
		{"text after an empty start", functions.Accumulate, `{"mode":"text","value":"[0] x","initial":""}`, `{"text":"\n[0] x"}`},
		{"sum", functions.Accumulate, `{"mode":"sum","value":"9007199254740993","previous":9007199254740993}`, `{"total":18014398509481986}`},
		{"sum of fractions", functions.Accumulate, `{"mode":"sum","value":0.25,"previous":1}`, `{"total":1.25}`},
		{"merge", functions.Accumulate, `{"mode":"merge","value":{"a":2,"c":3},"previous":{"a":1,"b":1}}`, `{"object":{"a":2,"b":1,"c":3}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := function.ObjectFunc(test.call).Call(t.Context(), json.RawMessage(test.input))
			if err != nil || string(out) != test.want {
				t.Errorf("got %s, %v\nwant %s", out, err, test.want)
			}
		})
	}
}

func TestReplySays(t *testing.T) {
	heard := &function.Recorder{}
	ctx := function.WithSink(t.Context(), heard)
	for _, text := range []string{`{"message":"one"}`, `{"message":""}`, `{"llm_response":{"text":"two"}}`} {
		if _, err := function.ObjectFunc(functions.Reply).Call(ctx, json.RawMessage(text)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(heard.Said, []string{"one", "two"}) {
		t.Errorf("said %q", heard.Said)
	}
}

func TestBadInput(t *testing.T) {
	tests := []struct {
		name  string
		call  fn
		input string
		want  string
	}{
		{"no object", functions.Reply, `"x"`, `input: want a JSON object`},
		{"nothing to say", functions.Reply, `{"extra":1}`, `reply has nothing to say: give it message, llm_response or content`},
		{"options of a request", functions.Request, `{"prompt":"p","options":"red, blue"}`, `options: want a list of texts or {text, value}`},
		{"due now", functions.Request, `{"prompt":"p","due":0}`, `due: a question cannot be due at once; leave due out to wait for ever`},
		{"on_due alone", functions.Request, `{"prompt":"p","on_due":1}`, `on_due: needs due, the time after which it is the answer`},
		{"schema", functions.Request, `{"prompt":"p","schema":{"type":"txt"}}`, `schema: /type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'; /type: got string, want array`},
		{"same texts", functions.Confirm, `{"prompt":"p","deny_text":"yes"}`, `confirm_text and deny_text are both "Yes"`},
		{"no options", functions.Select, `{"prompt":"p","options":[]}`, `options: there is nothing to choose from, so nobody could answer`},
		{"null option", functions.Select, `{"prompt":"p","options":["a",null]}`, `options[1]: want a text or {text, value}, not null`},
		{"option without text", functions.Select, `{"prompt":"p","options":[{"id":1}]}`, `options[0]: want a text or {text, value}, not {"id":1}`},
		{"option twice", functions.Select, `{"prompt":"p","choices":["a","b","a"]}`, `choices[2]: "a" stands in the list twice, so an answer could mean either`},
		{"set", functions.Variable, `{"set":[1]}`, `set: want an object, not [1]`},
		{"no template", functions.Template, `{}`, `template: there is neither template nor text`},
		{"mode", functions.Accumulate, `{"mode":"push"}`, `mode: want append, concat, text, sum or merge, not "push"`},
		{"no list", functions.Accumulate, `{"previous":{"a":1},"value":1}`, `previous: want a list, not {"a":1}`},
		{"no number", functions.Accumulate, `{"mode":"sum","value":"x"}`, `value: want a number that can be added, not "x"`},
		{"no sum", functions.Accumulate, `{"mode":"sum","value":1e308,"previous":1e308}`, `value: want a number that can be added, not 1e308`},
		{"no merge", functions.Accumulate, `{"mode":"merge","value":1}`, `value: want an object, not 1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := function.ObjectFunc(test.call).Call(t.Context(), json.RawMessage(test.input))
			if err == nil || err.Error() != test.want || function.KindOf(err) != function.KindBadInput || function.IsTransient(err) {
				t.Errorf("got %s, %v (%s)\nwant %s", out, err, function.KindOf(err), test.want)
			}
		})
	}
}
