package functions_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
)

func TestCondition(t *testing.T) {
	for _, test := range []struct{ input, bindings, want string }{
		{`{"expression":"len(input) == 1","input":"é"}`, ``, `{"result":true,"branch":"true","text":"é","input":"é"}`},
		{`{"expression":"input['n'] > 1234567890123456788","input":{"n":1234567890123456789,"text":"t"}}`, ``,
			`{"result":true,"branch":"true","text":"t","input":{"n":1234567890123456789,"text":"t"}}`},
		{`{"expression":"ref_0 > 1.5 and input == ''"}`, `{"ref_0":1.50}`, `{"result":false,"branch":"false","text":"","input":""}`},
		{`{"expression":"input + x == 'ab'","variables":{"input":"a","x":"b"}}`, ``, `{"result":true,"branch":"true","text":"","input":""}`},
		{`{"expression":"input == 'b'","input":"b","variables":{"input":"a"}}`, ``, `{"result":true,"branch":"true","text":"b","input":"b"}`},
		{`{"expression":"ref_0 is None"}`, `{"ref_0":null}`, `{"result":true,"branch":"true","text":"","input":""}`},
	} {
		ctx := function.WithCall(t.Context(), &function.Call{Bindings: json.RawMessage(test.bindings)})
		out, err := function.ObjectFunc(functions.Condition).Call(ctx, json.RawMessage(test.input))
		if err != nil || string(out) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.input, out, err, test.want)
		}
	}
	for input, want := range map[string]string{
		`{}`:                                 "expression: column 1: there is no expression",
		`{"expression":"1 +"}`:               "expression: column 4: the expression ends too early",
		`{"expression":"1 / 0"}`:             "expression: column 3: division by zero",
		`{"expression":"1 > 'a'"}`:           "expression: column 3: > does not work between int and str",
		`{"expression":"1","variables":[1]}`: "variables: want an object, not [1]",
	} {
		_, err := function.ObjectFunc(functions.Condition).Call(t.Context(), json.RawMessage(input))
		if function.KindOf(err) != function.KindBadInput || err.Error() != want {
			t.Errorf("%s: %v, want %s", input, err, want)
		}
	}
}

func TestSwitch(t *testing.T) {
	const rules = `"rules":[{"left":"a","right":"b"},{"type":"number","left":"2","operator":"larger","right":1,"branch":"big"},{"left":"x","right":"x","branch":"big"}]`
	for _, test := range []struct{ input, want string }{
		{`{` + rules + `}`, `{"branch":"big","index":1,"matched":true,"branches":{"0":false,"1":true,"2":false,"3":false,"big":true}}`},
		{`{"rules":"[{\"left\":1,\"operator\":\"is_empty\"}]","otherwise":"none"}`,
			`{"branch":"none","index":1,"matched":false,"branches":{"0":false,"1":true,"none":true}}`},
		{`{"rules":[{"left":"a","right":"b","branch":"1"},{"left":"a","right":"a","branch":"2"}],"otherwise":"3"}`,
			`{"branch":"2","index":1,"matched":true,"branches":{"0":false,"1":true,"2":false,"3":false},"names":{"1":false,"2":true,"3":false}}`},
		{`{"rules":[]}`, `{"branch":"0","index":0,"matched":false,"branches":{"0":true}}`},
		{`{"rules":[{"left":"**Yes**","right":"Yes"}],"strip_markup":true}`, `{"branch":"0","index":0,"matched":true,"branches":{"0":true,"1":false}}`},
		{`{"rules":[{"left":200,"right":"200"}],"strip_markup":true,"lenient_numbers":true,"lenient_patterns":true}`, `{"branch":"0","index":0,"matched":true,"branches":{"0":true,"1":false}}`},
		{`{"rules":[{"type":"number","left":"12px","right":"12"}],"lenient_numbers":"true"}`, `{"branch":"0","index":0,"matched":true,"branches":{"0":true,"1":false}}`},
		{`{"rules":[{"left":"a","operator":"matches","right":"("}],"lenient_patterns":true}`, `{"branch":"1","index":1,"matched":false,"branches":{"0":false,"1":true}}`},
		{`{"rules":[{"left":200,"operator":"starts_with","right":"2"},{"left":true,"right":"true"}]}`, `{"branch":"0","index":0,"matched":true,"branches":{"0":true,"1":false,"2":false}}`},
		{`{"rules":[{"left":"a","right":"a"},{"left":"a","operator":"matches","right":"("}]}`, `{"branch":"0","index":0,"matched":true,"branches":{"0":true,"1":false,"2":false}}`},
	} {
		out, err := function.ObjectFunc(functions.Switch).Call(t.Context(), json.RawMessage(test.input))
		if err != nil || string(out) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.input, out, err, test.want)
		}
	}
	for input, want := range map[string]string{
		`{}`:                          "rules: want a list, not null",
		`{"rules":[1]}`:               "rules[0]: input: want a JSON object",
		`{"rules":[{"type":"date"}]}`: `rules[0]: type: want text, number or boolean, not "date"`,
		`{"rules":[{"type":"number","left":"a","right":1}]}`: `rules[0]: left: want a number, not "a"`,
	} {
		_, err := function.ObjectFunc(functions.Switch).Call(t.Context(), json.RawMessage(input))
		if function.KindOf(err) != function.KindBadInput || err.Error() != want {
			t.Errorf("%s: %v, want %s", input, err, want)
		}
	}
}

func TestBranchChecks(t *testing.T) {
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{})
	for _, test := range []struct{ function, input, want string }{
		{"condition", `{"expression":"@{SESSION_ID}.a.b|3 > 2 and input"}`, ""},
		{"condition", `{"expression":{"@text":["1 +"]}}`, ""},
		{"condition", `{"expression":"@{SESSION_ID}.a.b >"}`, "expression: column 8: the expression ends too early"},
		{"condition", `{}`, "expression: column 1: there is no expression"},
		{"switch", `{}`, "rules: are missing, so every session takes the last branch"},
		{"switch", `{"rules":"@{SESSION_ID}.a.rules"}`, ""},
		{"switch", `{"rules":[{"left":"@{SESSION_ID}.a","operator":"@{SESSION_ID}.b"}]}`, ""},
		{"switch", `{"rules":[{"left":"@{SESSION_ID}.a","operator":"like"}]}`,
			`rules[0]: operator: text has contains, not_contains, starts_with, ends_with, equal, not_equal, matches, smaller, smaller_equal, larger, larger_equal, is_empty, not_empty, not "like"`},
		{"switch", `{"rules":[7]}`, "rules[0]: input: want a JSON object"},
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
