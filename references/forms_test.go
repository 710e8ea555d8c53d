package references_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/references"
	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{"a":{"@text":["Hi ","§.gen.n|",", bye"]}}`, `{"a":"Hi 1.50, bye"}`},
		{`{"a":{"@text":["Hi ","§.x.y|",", bye"]}}`, `{"a":"Hi , bye"}`},
		{`{"a":{"@text":["Hi ","§.x.y|a good friend",", bye"]}}`, `{"a":"Hi a good friend, bye"}`},
		{`{"a":{"@text":["§.gen.n","x §.gen.response",null,7,true,["§.gen.n", {"b" : "§.gen.response"}]],"@join":", "}}`,
			`{"a":"1.50, x r2, , 7, true, [1.50,{\"b\":\"r2\"}]"}`},
		{`{"a":{ "@join" : "\n" , "@text" : [ "§.gen.n" , "b" , "§.gen.n" ] } }`, `{"a":"1.50\nb\n1.50"}`},
		{`{"a":{"@text":["caf\u00e9"," \/ ",1.0,null,{"b": [ ]}]}}`, `{"a":"café / 1.0{\"b\":[]}"}`},
		{`{"a":{"@text":[]},"b":{"@text":[],"@join":"x"}}`, `{"a":"","b":""}`},
		{`{"a":{"@text":["§.vals.nul","§.vals.obj"]}}`, `{"a":"{\"b\":[1,2],\"a\":\"x\"}"}`},
		{`{"a":{"@text":["v §.vals.nul"]}}`, missing},
		{`{"a":{"@text":["a",{"b":["§.x.y"]}]}}`, missing},
		{`{"a":[{"b":{"\u0040text":["§.gen.n",{"@text":["<",{"@text":["§.gen.n"]},">"]}],"@join":"§.gen.n"}}]}`, `{"a":[{"b":"1.50§.gen.n<1.50>"}]}`},
		{`{"a":{"@literal":"§.gen.n"},"b":"§.gen.n"}`, `{"a":"§.gen.n","b":1.50}`},
		{`{"a":{"@literal":{"@text":["§.gen.n"], "b" : 1.0}}}`, `{"a":{"@text":["§.gen.n"],"b":1.0}}`},
		{`{"a":{"@literal": 7 },"b":{"@literal":null}}`, `{"a":7,"b":null}`},
		{`{"a":{"@text":["n: ",{"@literal":"§.gen.n"}," "," §.gen.n"]}}`, `{"a":"n: §.gen.n 1.50"}`},

		// Not exactly these keys, or not these kinds of value: objects like any other.
		{`{"a":{"@text":["§.gen.n"],"b":1}}`, `{"a":{"@text":[1.50],"b":1}}`},
		{`{"a":{"@text":"§.gen.n"}}`, `{"a":{"@text":1.50}}`},
		{`{"a":{"@text":["§.gen.n"],"@join":1}}`, `{"a":{"@text":[1.50],"@join":1}}`},
		{`{"a":{"@text":["§.gen.n"],"@text":[]}}`, `{"a":{"@text":[1.50],"@text":[]}}`},
		{`{"a":{"@join":"x"},"b":{"@literal":1,"@join":"§.gen.n"},"c":{}}`, `{"a":{"@join":"x"},"b":{"@literal":1,"@join":1.50},"c":{}}`},
		{`{"a":{"@literal":"§.gen.n","@text":["§.gen.n"]}}`, `{"a":{"@literal":1.50,"@text":[1.50]}}`},
		{`{"a":{"@text":["§.gen.n"],"@literal":1}}`, `{"a":{"@text":[1.50],"@literal":1}}`},
		{`{"@text":["§.gen.n"]}`, `{"@text":[1.50]}`},
		{`{"@literal":"§.gen.n"}`, `{"@literal":1.50}`},
	}
	for _, test := range tests {
		in, err := references.ParseInput([]byte(short(test.text)))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		for range 2 { // a compiled input is used again
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
}

func TestFormsAsWholeValues(t *testing.T) {
	for text, want := range map[string]string{
		`{"@text":["§.gen.n","!"]}`:    `"1.50!"`,
		`[{"@literal":"§.gen.n"}]`:     `["§.gen.n"]`,
		`{"@literal":["§.gen.n"]}`:     `["§.gen.n"]`,
		`{"@text":[{"@text":["a"]}] }`: `"a"`,
	} {
		in, err := references.ParseValue([]byte(short(text)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Resolve(scope); err != nil || string(got.Value) != short(want) {
			t.Errorf("%s gives %s, %v, want %s", text, got.Value, err, want)
		}
	}
}

func TestFormsListTheirReferences(t *testing.T) {
	in, err := references.ParseInput([]byte(short(`{"a":{"@text":["§.gen.n|",{"b":"§.x.y|§.z.w"}],"@join":"§.no.no"},"b":{"@literal":"§.not.one"},"c":"§.last.one"}`)))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, ref := range in.References() {
		steps = append(steps, ref.Step)
	}
	if want := []string{"gen", "x", "z", "last"}; !slices.Equal(steps, want) || !in.HasReference() {
		t.Errorf("references to %v, want %v", steps, want)
	}
	got, err := in.Resolve(scope)
	if err != nil || got.Resolved || len(got.Missing) != 3 {
		t.Errorf("%+v, %v, want the three that are missing", got, err)
	}
	if in, err = references.ParseInput([]byte(`{"a":{"@text":[{"b":"@{other}.gen.n"}]}}`)); err != nil {
		t.Fatal(err)
	}
	if _, err = in.Resolve(scope); err == nil {
		t.Error("a reference to another session inside @text is let through")
	}
}

func TestTextDepth(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(`{"a":` + strings.Repeat(`{"@text":[`, n) + `"x"` + strings.Repeat(`]}`, n) + `}`)
	}
	if _, err := references.ParseInput(nested(references.MaxTextDepth)); err != nil {
		t.Error(err)
	}
	_, err := references.ParseInput(nested(references.MaxTextDepth + 1))
	if err == nil || err.Error() != "line 1, column 46: @text nested deeper than 4 levels" {
		t.Errorf("one level more: %v", err)
	}
}

func TestFormsInPrograms(t *testing.T) {
	in, err := references.ParseInput([]byte(short(`{"code":{"@text":["x = §.gen.n + ","§.gen.response",{"@literal":" # §.a"}],"@join":" "},"title":{"@text":["v §.gen.n"]}}`)))
	if err != nil {
		t.Fatal(err)
	}
	got, programs, err := in.ResolveProgram(scope, references.ProgramField{Key: "code"})
	want := short(`{"code":"x = ref_0 +  ref_1  # §.a","title":"v 1.50"}`)
	if err != nil || string(got.Value) != want {
		t.Errorf("%s, %v, want %s", got.Value, err, want)
	}
	code := map[string]references.Program{"code": {Text: short("x = ref_0 +  ref_1  # §.a"), Values: []byte(`{"ref_0":1.50,"ref_1":"r2"}`)}}
	if !reflect.DeepEqual(programs, code) {
		t.Errorf("programs %s, want %s", programs, code)
	}
}

// TestTextsMatchTheirParts puts a text together from values whose text is known.
func TestTextsMatchTheirParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts, texts []string
		outputs := map[string]any{}
		for i := range rapid.IntRange(0, 5).Draw(t, "parts") {
			value := drawValue(t, 2)
			text := string(encode(t, value, false))
			switch value := value.(type) {
			case nil:
				text = ""
			case string:
				text = value
			}
			// encoding/json escapes two separators, which JSON does not require.
			texts = append(texts, separators.Replace(text))
			step := string(rune('a' + i))
			outputs[step] = []any{value}
			part := any("@{SESSION_ID}." + step)
			switch rapid.IntRange(0, 2).Draw(t, "form") {
			case 1:
				part = map[string]any{"@literal": value}
			case 2:
				part = map[string]any{"@text": []any{part}}
			}
			parts = append(parts, string(encode(t, part, rapid.Bool().Draw(t, "loose"))))
		}
		join := rapid.String().Draw(t, "join")
		input := `{"a":{"@text":[` + strings.Join(parts, " , ") + `],"@join":` + string(encode(t, join, true)) + `}}`
		in, err := references.ParseInput([]byte(input))
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.Resolve(references.Scope{Outputs: references.JSONOutputs(encode(t, outputs, true))})
		var value struct{ A string }
		if err != nil || json.Unmarshal(got.Value, &value) != nil || value.A != strings.Join(texts, join) {
			t.Fatalf("%s gives %s, %v, want %q", input, got.Value, err, strings.Join(texts, join))
		}
	})
}
