package compare_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/functions/compare"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

func TestHolds(t *testing.T) {
	loose := compare.Options{StripMarkup: true, LenientNumbers: true, LenientPatterns: true}
	for _, test := range []struct {
		kind            compare.Type
		left            string
		operator        compare.Operator
		right           string
		strict, lenient string // true, false or what the error says
	}{
		{"text", `"abc"`, "contains", `"b"`, "true", "true"},
		{"text", `"abc"`, "contains", `""`, "true", "true"},
		{"text", `null`, "contains", `null`, "true", "true"},
		{"text", `"abc"`, "not_contains", `"b"`, "false", "false"},
		{"text", `"abc"`, "starts_with", `"ab"`, "true", "true"},
		{"text", `"abc"`, "ends_with", `"ab"`, "false", "false"},
		{"text", `"A"`, "equal", `"a"`, "false", "false"},
		{"text", `5`, "equal", `"5"`, "true", "true"},
		{"text", `{"a": [1]}`, "equal", `"{\"a\":[1]}"`, "true", "true"},
		{"text", `null`, "equal", `""`, "true", "true"},
		{"text", `"**yes**"`, "equal", `"yes"`, "false", "true"},
		{"text", `"a"`, "not_equal", `"b"`, "true", "true"},
		{"text", `" "`, "is_empty", ``, "false", "false"},
		{"text", ``, "is_empty", ``, "true", "true"},
		{"text", `"0"`, "not_empty", ``, "true", "true"},
		{"text", `"10"`, "larger", `"9"`, "false", "true"},
		{"text", `"12px"`, "larger", `"1"`, "true", "false"},
		{"text", `"0x10"`, "equal", `"16"`, "false", "false"},
		{"text", `"0x10"`, "larger_equal", `"16"`, "false", "true"},
		{"text", `"b"`, "smaller_equal", `"b"`, "true", "true"},
		{"text", `"a"`, "smaller", `"b"`, "true", "false"},
		{"text", `"abc"`, "matches", `"^a.c$"`, "true", "true"},
		{"text", `"ABC"`, "matches", `"abc"`, "false", "false"},
		{"text", `"abab"`, "matches", `"^(ab)\\1$"`, "true", "true"},
		{"text", `"a1"`, "matches", `"\\[0-9\\]"`, "false", "true"},
		{"text", `"abc"`, "matches", `"("`, "right: \"(\" is not a pattern: ", "false"},
		{"text", `"abc"`, "matches", `"` + strings.Repeat("a", 10_001) + `"`, "right: the pattern has more than 10000 bytes", "false"},
		{"text", `"` + strings.Repeat("a", 40) + `!"`, "matches", `"^(a|aa)+$"`, "right: matching the pattern takes longer than 250ms", "false"},
		{"text", `"a"`, "close", `"a"`, "operator: text has contains, not_contains,", "operator: text has"},
		{"number", `5`, "equal", `"5.0"`, "true", "true"},
		{"number", `" 1e3 "`, "equal", `1000`, "true", "true"},
		{"number", `0.1`, "larger", `0.10000000000000000001`, "false", "false"},
		{"number", `9007199254740993`, "larger", `9007199254740992`, "true", "false"},
		{"number", `1`, "not_equal", `2`, "true", "true"},
		{"number", `-1`, "smaller", `0`, "true", "true"},
		{"number", `2`, "smaller_equal", `2`, "true", "true"},
		{"number", `2`, "larger_equal", `3`, "false", "false"},
		{"number", `"12px"`, "equal", `12`, `left: want a number, not "12px"`, "true"},
		{"number", `1`, "equal", `"abc"`, `right: want a number, not "abc"`, "false"},
		{"number", `null`, "equal", `0`, `left: want a number, not ""`, "true"},
		{"number", `true`, "equal", `1`, `left: want a number, not "true"`, "false"},
		{"number", `1e999999999`, "equal", `1`, `left: want a number, not "1e999999999"`, "false"},
		{"number", `"-Infinity"`, "smaller", `0`, `left: want a number, not "-Infinity"`, "true"},
		{"number", `"+.5e1x"`, "equal", `5`, `left: want a number, not "+.5e1x"`, "true"},
		{"number", `"1e"`, "equal", `1`, `left: want a number, not "1e"`, "true"},
		{"number", `""`, "is_empty", ``, "true", "false"},
		{"number", `0`, "not_empty", ``, "true", "true"},
		{"number", `1`, "contains", `1`, "operator: number has equal,", "operator: number has equal,"},
		{"boolean", `true`, "equal", `true`, "true", "true"},
		{"boolean", `"true"`, "equal", `true`, "false", "false"},
		{"boolean", `true`, "not_equal", `false`, "true", "true"},
		{"boolean", ` true `, "not_equal", `true`, "false", "false"},
		{"boolean", `null`, "is_empty", ``, "true", "true"},
		{"boolean", `false`, "not_empty", ``, "true", "true"},
		{"boolean", `true`, "larger", `false`, "operator: boolean has equal, not_equal, is_empty, not_empty, not", "operator: boolean"},
		{"date", `1`, "equal", `1`, `type: want text, number or boolean, not "date"`, "type: want"},
	} {
		rule := compare.Rule{Type: test.kind, Left: json.RawMessage(test.left), Operator: test.operator, Right: json.RawMessage(test.right)}
		for want, options := range map[string]compare.Options{"strict " + test.strict: {}, "lenient " + test.lenient: loose} {
			mode, want, _ := strings.Cut(want, " ")
			holds, err := rule.Holds(options)
			got := map[bool]string{true: "true", false: "false"}[holds]
			if err != nil {
				got = err.Error()
			}
			if got != want && (err == nil || !strings.HasPrefix(got, want)) {
				t.Errorf("%s %.30s %s %.30s, %s: %s, want %s", test.kind, test.left, test.operator, test.right, mode, got, want)
			}
		}
	}
}

func TestStrip(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"plain text":                     "plain text",
		"**a** and *b*":                  "a and b",
		"***a***":                        "a",
		"~~a~~ ~b~":                      "a b",
		"# A\n## B ##\ntext":             "A\nB\ntext",
		"- a\n  * b\n1. c":               "a\n  b\nc",
		"> a\n> b":                       "a\nb",
		"a\n---\nb":                      "a\nb",
		"Title\n=====\nx":                "Title\n\nx",
		"```js\nlet x\n```\nafter":       "let x\nafter",
		"`a` and ```b```":                "a and b",
		"![alt](u) [t](http://x) [r][1]": "alt t r",
		"<p class='x'>ok</p><br/>":       "ok",
		"1 < 2 > 1":                      "1  1",
		"a[^1]":                          "a",
		"<p>\r\n*a*\r\n":                 "\r\na\r\n",
		"```js\r\nx```":                  "`js\r\nx`",
		"2 * 3 * 4":                      "2 * 3 * 4",
		"foo_bar_baz _x_, __y__":         "foo_bar_baz x, y",
		"a &amp; b":                      "a &amp; b",
		"see\n[1]: http://x":             "see",
		"é **ü** 😀 *x*":                  "é ü 😀 x",
	} {
		if got := compare.Strip(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	start := time.Now()
	compare.Strip(strings.Repeat("*_`~[<# ", 20_000))
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("a hostile text takes %v", took)
	}
}

// operators are the recorded names of ours.
var operators = map[string]compare.Operator{
	"contains": compare.Contains, "notContains": compare.NotContains, "startsWith": compare.StartsWith, "endsWith": compare.EndsWith,
	"equal": compare.Equal, "notEqual": compare.NotEqual, "regex": compare.Matches, "isEmpty": compare.IsEmpty, "notEmpty": compare.NotEmpty,
	"smaller": compare.Smaller, "smallerEqual": compare.SmallerEqual, "larger": compare.Larger, "largerEqual": compare.LargerEqual,
}

var types = map[string]compare.Type{"number": compare.Number, "boolean": compare.Boolean}

type recordedRule struct {
	Type           string
	Value1, Value2 json.RawMessage
	Operation      string
	IsFulfilled    bool
}

// TestRecorded checks what was recorded from the system that these comparisons also serve:
// which rule of a list was the first to hold.
func TestRecorded(t *testing.T) {
	var file struct {
		Cases []struct {
			ID, Fn string
			Input  struct {
				Text       string
				Conditions json.RawMessage
			}
			Output json.RawMessage
			Error  string
		}
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "flowise/logic"), "condition.json"), &file)
	judged := 0
	for _, c := range file.Cases {
		if c.Fn == "removeMarkdown" {
			var want string
			if err := json.Unmarshal(c.Output, &want); err != nil {
				t.Fatal(err)
			}
			if got := compare.Strip(c.Input.Text); got != want {
				t.Errorf("%s: %q, want %q", c.ID, got, want)
			}
			continue
		}
		given := c.Input.Conditions
		var text string
		if json.Unmarshal(given, &text) == nil {
			given = json.RawMessage(text)
		}
		var rules, want []recordedRule
		if err := json.Unmarshal(given, &rules); err != nil {
			t.Fatal(err)
		}
		if c.Error != "" {
			continue // what fails there, such as a number compared as text, need not fail here
		}
		if err := json.Unmarshal(c.Output, &want); err != nil {
			t.Fatal(err)
		}
		first := len(rules)
		for i := len(rules) - 1; i >= 0; i-- {
			kind := types[rules[i].Type]
			if kind == "" {
				kind = compare.Text
			}
			rule := compare.Rule{Type: kind, Left: rules[i].Value1, Operator: operators[rules[i].Operation], Right: rules[i].Value2}
			holds, err := rule.Holds(compare.Options{StripMarkup: true, LenientNumbers: true, LenientPatterns: true})
			if err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
			if holds {
				first = i
			}
		}
		judged++
		// Where two rules are the same the first of them is marked, whichever held.
		for i, rule := range want {
			if rule.IsFulfilled && i != first && !sameRule(rules, i, first) {
				t.Errorf("%s: rule %d holds first, want %d", c.ID, first, i)
			}
		}
	}
	if judged == 0 {
		t.Error("no recorded case was judged")
	}
}

func sameRule(rules []recordedRule, i, j int) bool {
	return i < len(rules) && j < len(rules) && string(rules[i].Value1) == string(rules[j].Value1) && rules[i].Operation == rules[j].Operation
}

// FuzzHolds checks that no rule makes comparing panic or contradict itself.
func FuzzHolds(f *testing.F) {
	f.Add("**a** `b` [c](d)", "a", true)
	f.Add("1.5e3x", "^(a+)+$", false)
	f.Fuzz(func(t *testing.T, left, right string, lenient bool) {
		options := compare.Options{StripMarkup: lenient, LenientNumbers: lenient, LenientPatterns: lenient}
		a, _ := json.Marshal(left)
		b, _ := json.Marshal(right)
		judge := func(kind compare.Type, operator compare.Operator) (bool, error) {
			return compare.Rule{Type: kind, Left: a, Operator: operator, Right: b}.Holds(options)
		}
		for _, kind := range []compare.Type{compare.Text, compare.Number, compare.Boolean} {
			for _, operator := range compare.Operators(kind) {
				if operator == compare.Matches {
					continue // how long it takes depends on the machine
				}
				if _, err := judge(kind, operator); err != nil && lenient {
					t.Fatalf("%s %s: %v", kind, operator, err)
				}
			}
			equal, err := judge(kind, compare.Equal)
			differ, _ := judge(kind, compare.NotEqual)
			if err == nil && equal == differ {
				t.Fatalf("%q and %q are equal and differ as %s", left, right, kind)
			}
		}
	})
}
