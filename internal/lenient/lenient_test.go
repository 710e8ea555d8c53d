package lenient_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/internal/lenient"
)

var values = []struct{ text, want string }{
	{`[1, -2.5, 1e3, 0, 12345678901234567890]`, `[1,-2.5,1e3,0,12345678901234567890]`},
	{`{"z": 1, "a": "<é>"}`, `{"z":1,"a":"<é>"}`},
	{`['a','b']`, `["a","b"]`},
	{`[{a:1}]`, `[{"a":1}]`},
	{`{a:1, b:'x',}`, `{"a":1,"b":"x"}`},
	{`{"a":1 /* c */ }`, `{"a":1}`},
	{"// first\n[1, // one\n 2,]\n// last", `[1,2]`},
	{`\[{"a":1}\]`, `[{"a":1}]`},
	{`[\"a\", \"b\"]`, `["a","b"]`},
	{`\[\"a\\n\"\]`, `["a\n"]`},
	{`\["x"\]`, `["x"]`},
	{`[]`, `[]`},
	{` {} `, `{}`},
	{`{$a: 1, _b1: 2, été: 3}`, `{"$a":1,"_b1":2,"été":3}`},
	{`[+1, .5, 5., -.5e2, 5.e1, 0x1F, -0XfF, Infinity, -Infinity, NaN]`, `[1,0.5,5,-0.5e2,5e1,31,-255,null,null,null]`},
	{`'it\'s "so"'`, `"it's \"so\""`},
	{`"\x41é😀\v\0\/\q"`, `"Aé😀\u000b\u0000/q"`},
	{"'one \\\ntwo\\\r\nthree'", `"one twothree"`},
	{"\ufeff\u00a0true\u2028", `true`},
	{`null`, `null`},
	{`"hello"`, `"hello"`},
}

func TestParse(t *testing.T) {
	for _, test := range values {
		got, err := lenient.Parse(test.text)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		``:                            "line 1, column 1: want a value, not the end of the text",
		`hello`:                       "line 1, column 1: want a value, not 'h'",
		`{"a": }`:                     "line 1, column 7: want a value, not '}'",
		"[1,\n 2 3]":                  "line 2, column 4: want a comma or ']', not '3'",
		`{nope}`:                      "want a colon, not '}'",
		`[1,,2]`:                      "want a value, not ','",
		`[,]`:                         "want a value, not ','",
		`{,}`:                         "want the name of a field, not ','",
		`[1`:                          "line 1, column 1: '[' is never closed",
		`[1] 2`:                       "want the end, not '2'",
		`'abc`:                        "the text is never closed",
		"'a\nb'":                      "the text is not closed on its line",
		`"\xZ1"`:                      "want 2 hexadecimal digits",
		`1 /* `:                       "the comment is never closed",
		`012`:                         "this is not a number",
		`0x`:                          "this is not a number",
		`1a`:                          "this is not a number",
		`-`:                           "this is not a number",
		strings.Repeat("[", 1_000):    "nested more than 500 deep",
		`{"a": \"b\", c: tru}`:        "want a value, not '\\\\'",
		`{1: 2}`:                      "want the name of a field, not '1'",
		strings.Repeat("{a:", 10_000): "nested more than 500 deep",
	} {
		_, err := lenient.Parse(text)
		var e *lenient.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %s", text, err, want)
		}
	}
}

func TestStructure(t *testing.T) {
	for text, want := range map[string]string{
		` [1, 2,] `: `[1,2]`, `{a:1}`: `{"a":1}`, `\[1\]`: `[1]`,
		`{x`: "", `{x}`: "", `12`: "", `"[1]"`: "", ``: "", `[x] and [y]`: "", `\`: "",
	} {
		got, ok := lenient.Structure(text)
		if ok != (want != "") || string(got) != want {
			t.Errorf("%s: %s, %t, want %q", text, got, ok, want)
		}
	}
}

// FuzzParse: what is read is JSON, and JSON is read as what it is.
func FuzzParse(f *testing.F) {
	for _, test := range values {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := lenient.Parse(text)
		if err != nil {
			if json.Valid([]byte(text)) && strings.Count(text, "[")+strings.Count(text, "{") < 500 {
				t.Fatalf("%q is JSON and is refused: %v", text, err)
			}
			return
		}
		var compact bytes.Buffer
		if json.Compact(&compact, got) != nil || compact.String() != string(got) {
			t.Fatalf("%q gives %q, which is not compact JSON", text, got)
		}
		again, err := lenient.Parse(string(got))
		if err != nil || string(again) != string(got) {
			t.Fatalf("%q gives %q, which gives %q, %v", text, got, again, err)
		}
	})
}
