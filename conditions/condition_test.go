package conditions_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/references"
)

var state = resolver("sess", []byte(`{"a":[{"yes":true,"no":false,"nul":null,"f":"FALSE","zero":0.0,"text":"hello"}]}`))

// short writes @{SESSION_ID} for § in the tables below.
func short(text string) string { return strings.ReplaceAll(text, "§", "@{SESSION_ID}") }

func TestConditions(t *testing.T) {
	tests := []struct {
		stored   any
		operator string
		want     bool
	}{
		{nil, "", true},
		{nil, "OR", true},
		{"", "", true},
		{" \n\t", "OR", true},
		{"§.a.yes", "", true},
		{" §.a.yes ", "", true},
		{"§.a.f", "", false},
		{"§.a.zero", "", false},
		{"§.x.y", "", false},
		{"v §.x.y", "", false},
		{"v §.a.text", "", true},
		{"False", "", false},
		{"no", "", true},
		{"0", "", true},
		{`"[]"`, "", true},
		{`{"true":"§.a.yes"}`, "", true},
		{` {"false":"§.a.yes"}`, "", false},
		{`{"operator":"or","true":"§.a.no","false":"§.a.no"}`, "", true},
		{`{"operator":" Or ","true":"§.a.no","false":"§.a.no"}`, "", true},
		{`{"operator":"","true":"§.a.yes","false":"§.a.yes"}`, "", false},
		{`{"operator":null,"true":"§.a.yes","false":"§.a.yes"}`, "", false},
		{`{"true":"§.a.yes","false":"§.a.yes"}`, "OR", false},
		{`[{"true":"§.a.no"},"§.a.yes"]`, "oR", true},
		{`[ {"true" : "§.a.yes"} , "§.a.yes" , true , 1 , [ 0 , "" ] ]`, "", false},
		{`[ {"true" : "§.a.yes"} , "§.a.yes" , true , 1 , [ 2 , "x" ] ]`, "", true},
		{`[]`, "", true},
		{`[ ]`, "or", false},
		{`[[]]`, "", true},
		{`[[]]`, "OR", false},
		{`[["§.a.no","§.a.yes"],"§.a.yes"]`, "", false},
		{`[["§.a.no","§.a.yes"],"§.a.no"]`, "OR", true},
		{`["{\"false\":\"§.a.no\"}"]`, "", true},
		{`[" [\"§.a.no\"]"]`, "", false},
		{`["  "]`, "", true},
		{`{"true":"[]"}`, "", true},
		{`{"true":"{oops"}`, "", true},
		{`{"true":[]}`, "", false},
		{`{"true":["§.x.y"]}`, "", true},
		{`{"true":{}}`, "", false},
		{`{"false":{"a":0}}`, "", false},
		{`{"true":-0.0e9}`, "", false},
		{`{"true":"falſe"}`, "", true},
		{`{"true":"\u0046alse"}`, "", false},
		{[]string{}, "", true},
		{[]string{}, "OR", false},
		{[]string{"§.a.yes", "§.a.no"}, "OR", true},
		{[]string{`{"false":"§.a.no"}`, "§.a.yes"}, "", true},
		{[]string{""}, "", false},
		{[]any{"§.a.yes", true, 1.5, nil}, "", false},
		{[]any{"§.a.yes", true, int64(1)}, "", true},
		{[]any{map[string]any{"false": "§.a.no"}}, "", true},
		{[]any{[]any{"§.a.no"}}, "", false},
		{map[string]any{"true": "§.a.yes"}, "", true},
		{true, "", true},
		{int64(0), "", false},
		{json.RawMessage(`["§.a.yes"]`), "", true},
	}
	for _, test := range tests {
		c := conditions.Parse(expand(test.stored), test.operator)
		got := c.Evaluate(state)
		if got.Open != test.want || got.Err != nil || c.Err() != nil {
			t.Errorf("%v (%q) opens: %t, %v, want %t", test.stored, test.operator, got.Open, got.Err, test.want)
		}
	}
}

// expand applies short to a stored condition.
func expand(stored any) any {
	switch v := stored.(type) {
	case string:
		return short(v)
	case json.RawMessage:
		return json.RawMessage(short(string(v)))
	case []string:
		out := make([]string, len(v))
		for i := range v {
			out[i] = short(v[i])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = expand(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k := range v {
			out[k] = expand(v[k])
		}
		return out
	}
	return stored
}

func TestUnreadableConditionsAreClosed(t *testing.T) {
	tests := []struct {
		stored   any
		operator string
		want     string
	}{
		{`[`, "", "not JSON at character 1: unexpected end of JSON input"},
		{`[{"true": @{SESSION_ID}.a.yes}]`, "", "not JSON at character 11: invalid character '@' looking for beginning of value: a reference stands in quotes"},
		{`{"é": x}`, "", "not JSON at character 7: invalid character 'x' looking for beginning of value"},
		{`[true] x`, "OR", "not JSON at character 8: invalid character 'x' after top-level value"},
		{nil, "XOR", `unknown operator "XOR": write AND or OR`},
		{"true", "NOT", `unknown operator "NOT": write AND or OR`},
		{`[true,{"operator":"XOR","true":"x"}]`, "OR", `[1]: unknown operator "XOR": write AND or OR`},
		{`{"operator":1,"true":"x"}`, "", `unknown operator 1: write AND or OR`},
		{`{"equals":"x"}`, "", `unknown key "equals": an object has true, false, when and operator`},
		{`{"true":"x","True":"x"}`, "", `unknown key "True": an object has true, false, when and operator`},
		{`{"true":"x","true":"y"}`, "", `key "true" stands twice`},
		{`{"operator":"OR","operator":"AND","true":"y"}`, "", `key "operator" stands twice`},
		{`{}`, "", `an object with neither "true" nor "false" nor "when" asks nothing`},
		{`["x",["y",{"operator":"OR"}]]`, "OR", `[1][1]: an object with neither "true" nor "false" nor "when" asks nothing`},
		{[]string{"x", "[oops]"}, "OR", `[1]: not JSON at character 2: invalid character 'o' looking for beginning of value`},
		{[]any{"x", math.NaN()}, "OR", `[1]: a condition cannot be a float64`},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), "", strings.Repeat("[0]", 65) + ": nested deeper than 64 levels"},
		{strings.Repeat("[", 20_000), "", "not JSON at character 10001: invalid character '[' exceeded max depth"},
	}
	for _, test := range tests {
		c := conditions.Parse(test.stored, test.operator)
		got := c.Evaluate(state)
		if got.Open || got.Err == nil || got.Err.Error() != test.want || c.Err() == nil || got.Clauses != nil {
			t.Errorf("%v (%q): %+v, want closed with %s", test.stored, test.operator, got, test.want)
		}
		if c.Operands() != nil {
			t.Errorf("%v: operands %q of what cannot be read", test.stored, c.Operands())
		}
	}
}

func TestExplanation(t *testing.T) {
	c := conditions.Parse(short(`["§.a.no",{"false":"§.x.y","true":"§.a.text|d"},"{\"true\":null}",["x <"]]`), "or")
	got := c.Evaluate(state)
	want := []conditions.Clause{
		{Path: "[0]", Operand: []byte(short(`"§.a.no"`)), Value: []byte(`false`), Result: false},
		{Path: "[1].false", Operand: []byte(short(`"§.x.y"`)), Result: true},
		{Path: "[1].true", Operand: []byte(short(`"§.a.text|d"`)), Value: []byte(`"hello"`), Result: true},
		{Path: "[2].true", Operand: []byte(`null`), Value: []byte(`null`), Result: false},
		{Path: "[3][0]", Operand: []byte(`"x <"`), Value: []byte(`"x <"`), Result: true},
	}
	if !got.Open || got.Err != nil || !reflect.DeepEqual(got.Clauses, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if operands := []string{short("§.a.no"), short("§.x.y"), short("§.a.text|d"), "x <"}; !reflect.DeepEqual(c.Operands(), operands) {
		t.Errorf("operands %q, want %q", c.Operands(), operands)
	}
	if bare := conditions.Parse("x", "").Evaluate(state); bare.Clauses[0].Path != "" {
		t.Errorf("a bare text stands at %q", bare.Clauses[0].Path)
	}
	if object := conditions.Parse(`{"true":"x"}`, "").Evaluate(state); object.Clauses[0].Path != "true" {
		t.Errorf("an object's clause stands at %q", object.Clauses[0].Path)
	}
}

func TestVerdictAsJSON(t *testing.T) {
	tests := []struct {
		stored any
		want   string
	}{
		{nil, `{"result":true,"clauses":[],"error":""}`},
		{`{"false":"§.x.y"}`, `{"result":true,"clauses":[{"path":"false","operand":"§.x.y","result":true}],"error":""}`},
		{`§.a.nul`, `{"result":false,"clauses":[{"path":"","operand":"§.a.nul","value":null,"result":false}],"error":""}`},
		{`{}`, `{"result":false,"clauses":[],"error":"an object with neither \"true\" nor \"false\" nor \"when\" asks nothing"}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(conditions.Parse(expand(test.stored), "").Evaluate(state))
		if err != nil || string(got) != short(test.want) {
			t.Errorf("%v: %s, %v, want %s", test.stored, got, err, test.want)
		}
	}
}

func TestResolverErrorClosesThePath(t *testing.T) {
	broken := errors.New("disk on fire")
	calls := 0
	r := conditions.ResolverFunc(func(operand string) (json.RawMessage, bool, error) {
		calls++
		if operand == "bad" {
			return json.RawMessage("true"), true, broken
		}
		return json.RawMessage("true"), true, nil
	})
	for _, stored := range []string{`["good","bad","good"]`, `["good",{"false":"bad"},"good"]`} {
		calls = 0
		got := conditions.Parse(stored, "OR").Evaluate(r)
		if got.Open || !errors.Is(got.Err, broken) || !strings.HasPrefix(got.Err.Error(), "[1]") {
			t.Errorf("%s: %+v, want closed by the error at [1]", stored, got)
		}
		if calls != 3 || len(got.Clauses) != 3 || got.Clauses[1].Result || got.Clauses[1].Value != nil || !got.Clauses[2].Result {
			t.Errorf("%s: %d calls, clauses %+v", stored, calls, got.Clauses)
		}
	}
	got := conditions.Parse(`["@{other}.a.yes"]`, "OR").Evaluate(state)
	var foreign *references.ForeignSessionError
	if got.Open || !errors.As(got.Err, &foreign) {
		t.Errorf("another session's id: %+v", got)
	}
}

func TestTruth(t *testing.T) {
	for _, value := range []string{"", "null", "false", "0", "-0", "0.00", "0e7", "-0.0E-5", `""`, `"false"`, `"FaLsE"`, `"\u0066alse"`, "[]", "{}", " [ \n] ", "{ }"} {
		if conditions.Truth(json.RawMessage(value)) {
			t.Errorf("%q is true", value)
		}
	}
	for _, value := range []string{"true", "1", "-0.01", "1e-400", "0.10e0", `" "`, `"0"`, `"no"`, `"null"`, `" false"`, `"falsey"`, "[0]", "[null]", `{"a":null}`, `"` + strings.Repeat("false", 20) + `"`} {
		if !conditions.Truth(json.RawMessage(value)) {
			t.Errorf("%q is false", value)
		}
	}
}

func TestZeroConditionIsOpen(t *testing.T) {
	if got := (conditions.Condition{}).Evaluate(state); !got.Open || got.Err != nil {
		t.Errorf("%+v", got)
	}
}
