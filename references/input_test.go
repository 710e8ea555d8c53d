package references_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

func TestInputs(t *testing.T) {
	tests := []struct{ text, want string }{
		{` { } `, `{}`},
		{`{"a": 1.0, "b" : [ ], "c":{"d":null}}`, `{"a":1.0,"b":[],"c":{"d":null}}`},
		{`{"a":"§.gen.n","b":["§.gen.response",{"c":"x §.gen.n"}]}`, `{"a":1.50,"b":["r2",{"c":"x 1.50"}]}`},
		{`{"§.gen.n":"§.gen.n"}`, `{"§.gen.n":1.50}`},
		{`{"a":"\u0040{SESSION_ID}.gen.n","b":"@\u007bSESSION_ID}.gen.n"}`, `{"a":1.50,"b":1.50}`},
		{`{"a":"§.\u00e9tape.na\u00efve"}`, `{"a":"é"}`},
		{`{"a":"say \"§.gen.n\"\n"}`, `{"a":"say \"1.50\"\n"}`},
		{`{"a":"caf\u00e9 \/ @{}"}`, `{"a":"caf\u00e9 \/ @{}"}`},
		{`{"a":"§.vals.obj"}`, `{"a":{ "b" : [ 1 , 2 ] , "a":"x" }}`},
		{`{"a":"§.gen.n","a":"§.gen.response"}`, `{"a":1.50,"a":"r2"}`},
		{`{"z":"§.gen.n","a":123456789012345678901234567890.10e+5}`, `{"z":1.50,"a":123456789012345678901234567890.10e+5}`},
		{`{"a":"§.gen.n","b":"§.x.y"}`, missing},
		{`{"a":[[["§.x.y"]]]}`, missing},
		{`{"a":"§.vals.nul"}`, `{"a":null}`},
		{`{"a":"§.x.y|"}`, `{"a":""}`},
	}
	for _, test := range tests {
		in, err := references.ParseInput([]byte(short(test.text)))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		got, err := in.Resolve(scope)
		value := string(got.Value)
		if !got.Resolved {
			value = missing
		}
		if err != nil || value != short(test.want) {
			t.Errorf("%s gives %s, %v, want %s", test.text, value, err, test.want)
		}
	}
}

func TestInputMissesEverythingAtOnce(t *testing.T) {
	in, err := references.ParseInput([]byte(short(`{"a":"§.x.y","b":["§.gen.n","v §.z.y"],"c":"§.x.y"}`)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := in.Resolve(scope)
	if err != nil || got.Resolved || got.Value != nil || got.Reads != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(got.Missing) != 2 || got.Missing[0].Step != "x" || got.Missing[1].Step != "z" {
		t.Errorf("missing %+v", got.Missing)
	}
	if refs := in.References(); len(refs) != 4 || !in.HasReference() {
		t.Errorf("references %+v", refs)
	}
}

func TestInputErrors(t *testing.T) {
	tests := []struct {
		text string
		want references.InputError
	}{
		{"", references.InputError{Offset: 0, Line: 1, Column: 1, Reason: "the JSON text ends too early"}},
		{"{\n \"é\": 1,\n", references.InputError{Offset: 12, Line: 3, Column: 1, Reason: "the JSON text ends too early"}},
		{"{\n \"é\": x}", references.InputError{Offset: 9, Line: 2, Column: 7, Reason: "not JSON: invalid character 'x' looking for beginning of value"}},
		{"{\"a\": \"x\ny\"}", references.InputError{Offset: 8, Line: 1, Column: 9, Reason: `a line break inside a JSON text is written \n, and \\n where the JSON stands in quotes of Cypher`}},
		{`{"a":1,}`, references.InputError{Offset: 7, Line: 1, Column: 8, Reason: "not JSON: invalid character '}' looking for beginning of object key string"}},
		{`{} x`, references.InputError{Offset: 3, Line: 1, Column: 4, Reason: "not JSON: invalid character 'x' after top-level value"}},
		{" [1]", references.InputError{Offset: 1, Line: 1, Column: 2, Reason: "an input is an object, this is a list"}},
		{`"@{SESSION_ID}.a"`, references.InputError{Offset: 0, Line: 1, Column: 1, Reason: "an input is an object, this is text"}},
		{"{\"a\":\"\xff\"}", references.InputError{Offset: 6, Line: 1, Column: 7, Reason: "not UTF-8"}},
	}
	for _, test := range tests {
		_, err := references.ParseInput([]byte(test.text))
		var got *references.InputError
		if !errors.As(err, &got) || *got != test.want {
			t.Errorf("%q: %+v, want %+v", test.text, err, test.want)
		}
	}
}

func TestInputDepth(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(strings.Repeat(`{"a":[`, n/2) + `"@{SESSION_ID}.gen.n"` + strings.Repeat(`]}`, n/2))
	}
	in, err := references.ParseInput(deep(references.MaxDepth))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := in.Resolve(scope); err != nil || !strings.Contains(string(got.Value), "[1.50]") {
		t.Errorf("resolved %t, %v", got.Resolved, err)
	}
	_, err = references.ParseInput(deep(references.MaxDepth + 2))
	if err == nil || !strings.Contains(err.Error(), "nested deeper than 10000 levels") {
		t.Errorf("too deep: %v", err)
	}
}

func TestParsedInputIsItsOwn(t *testing.T) {
	text := []byte(`{"a":"plain"}`)
	in, err := references.ParseInput(text)
	if err != nil {
		t.Fatal(err)
	}
	copy(text, "xxxxxxxxxxxxx")
	if got, _ := in.Resolve(scope); string(got.Value) != `{"a":"plain"}` {
		t.Errorf("the input changed with the caller's text: %s", got.Value)
	}
}

func TestBind(t *testing.T) {
	text := short(`x = §.gen.n + f(§.x.y|1, "§.gen.n", §.x.y|§.gen.response) # §.gen.n.`)
	program, bindings := references.Bind(text, func(i int) string { return string(rune('a' + i)) })
	if want := `x = a + f(b, "a", c) # a.`; program != want {
		t.Errorf("program %s, want %s", program, want)
	}
	want := []string{`1.50`, `"1"`, `"r2"`}
	var got []string
	for i, b := range bindings {
		r, err := b.Template.Resolve(scope)
		if err != nil || !b.Template.Lone() || b.Name != string(rune('a'+i)) {
			t.Errorf("binding %+v: %v", b, err)
		}
		got = append(got, string(r.Value))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("values %s, want %s", got, want)
	}
	if program, bindings := references.Bind("plain @{", nil); program != "plain @{" || bindings != nil {
		t.Errorf("plain text became %q, %v", program, bindings)
	}
}

func TestResolveProgram(t *testing.T) {
	dollar := func(name string) string { return "$" + name }
	tests := []struct {
		name, input, want string
		programs          map[string]references.Program
	}{
		{"a value and a program", `{"code":"result = §.gen.n + §.gen.n + §.vals.nul\n","title":"v §.gen.n"}`,
			`{"code":"result = ref_0 + ref_0 + ref_1\n","title":"v 1.50"}`,
			map[string]references.Program{"code": {Text: "result = ref_0 + ref_0 + ref_1\n", Values: []byte(`{"ref_0":1.50,"ref_1":null}`)}}},
		{"identifiers as the language writes them", `{"query":"MATCH (n {id: §.gen.response}) RETURN n"}`,
			`{"query":"MATCH (n {id: $ref_0}) RETURN n"}`,
			map[string]references.Program{"query": {Text: "MATCH (n {id: $ref_0}) RETURN n", Values: []byte(`{"ref_0":"r2"}`)}}},
		{"a pipe after a blank is the program's own", `{"code":" §.gen.response | d "}`, `{"code":" ref_0 | d "}`,
			map[string]references.Program{"code": {Text: " ref_0 | d ", Values: []byte(`{"ref_0":"r2"}`)}}},
		{"a whole program from a step", `{"code":"§.gen.response"}`, `{"code":"ref_0"}`,
			map[string]references.Program{"code": {Text: "ref_0", Values: []byte(`{"ref_0":"r2"}`)}}},
		{"names that are taken", `{"code":"ref_0 = §.gen.n","variables":{"ref__1":1}}`,
			`{"code":"ref_0 = ref___0","variables":{"ref__1":1}}`,
			map[string]references.Program{"code": {Text: "ref_0 = ref___0", Values: []byte(`{"ref___0":1.50}`)}}},
		{"texts below the key", `{"code":["a §.gen.n",{"b":"§.gen.response §.gen.n"}]}`,
			`{"code":["a ref_0",{"b":"ref_1 ref_0"}]}`,
			map[string]references.Program{"code": {Values: []byte(`{"ref_0":1.50,"ref_1":"r2"}`)}}},
		{"the same key further down", `{"x":{"code":"v §.gen.n"}}`, `{"x":{"code":"v 1.50"}}`, map[string]references.Program{}},
		{"nothing to bind", `{"code":"1"}`, `{"code":"1"}`, map[string]references.Program{}},
		{"a binding is missing", `{"code":"f(§.x.y)","a":"§.gen.n"}`, missing, nil},
		{"another value is missing", `{"code":"f(§.gen.n)","a":"§.x.y"}`, missing, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in, err := references.ParseInput([]byte(short(test.input)))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // a compiled input is used again
				got, programs, err := in.ResolveProgram(scope, references.ProgramField{Key: "code"}, references.ProgramField{Key: "query", Write: dollar})
				if test.want == missing {
					if err != nil || got.Resolved || len(got.Missing) == 0 || programs != nil {
						t.Errorf("%+v, %v, %v, want unresolved", got, programs, err)
					}
					continue
				}
				if err != nil || string(got.Value) != test.want || len(got.Reads) == 0 && len(programs) > 0 {
					t.Errorf("%s, reads %v, %v, want %s", got.Value, got.Reads, err, test.want)
				}
				if !reflect.DeepEqual(programs, test.programs) {
					t.Errorf("programs %s, want %s", programs, test.programs)
				}
			}
		})
	}
}
