package expressions_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/expressions"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// TestRecorded checks that what was recorded from Python is so here, of a sandbox with few
// functions where that knew them all, else of Python as it is.
func TestRecorded(t *testing.T) {
	var file struct {
		Rows []struct {
			Expression, Input string
			Sandbox           string `json:"python_sandbox"`
			Full              string `json:"python_full"`
		}
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "agentzero"), "10-condition-expressions.json"), &file)
	if len(file.Rows) == 0 {
		t.Fatal("no rows")
	}
	for _, row := range file.Rows {
		want := row.Sandbox
		if want == "error" {
			want = row.Full
		}
		if got := judge(row.Expression, map[string]any{"input": row.Input}); got != want {
			t.Errorf("%s with %.20q: %s, want %s", row.Expression, row.Input, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	functions := strings.Join(expressions.Functions(), ", ")
	for source, want := range map[string]string{
		"":                                  "column 1: there is no expression",
		"  # nothing":                       "column 12: there is no expression",
		"len(input) > 3 and":                "column 19: the expression ends too early",
		"input = 'a'":                       "column 7: a value cannot be set here; to compare write ==",
		"undefined > 1":                     `column 1: "undefined" is not known here; there are input, ` + functions,
		"input.encode()":                    `column 7: str has no method "encode" here`,
		"().__class__":                      "column 4: a value has no attribute __class__ here; a method is called, as in lower()",
		"input.lower.__self__":              "column 7: a value has no attribute lower here; a method is called, as in lower()",
		"__import__('os')":                  `column 1: "__import__" is not known here; there are input, ` + functions,
		"lambda: 1":                         "column 1: lambda is not supported here",
		"input > 5":                         "column 7: > does not work between str and int",
		"1 + len('é') + 1/0":                "column 17: division by zero",
		"'é' 5":                             `column 5: "5" cannot stand here`,
		"f'{1/0}'":                          "column 5: division by zero",
		"f'{nope}' == input":                `column 4: "nope" is not known here; there are input, ` + functions,
		"(1,\n  2":                          "column 8: \")\" is missing at the end",
		"1\n+ 1":                            "column 2: an expression is one line; put it in brackets to write it on several",
		"input[9]":                          "column 6: there is no item 9: the str has 3",
		"int(input)":                        "column 4: int cannot be made of 'abc'",
		"{}['a']":                           "column 3: there is no key 'a'",
		"b'x'":                              `column 1: bytes are not supported here; leave out the "b"`,
		"0777":                              `column 1: a whole number does not begin with 0: "0777"`,
		"'abc":                              "column 1: the text is not closed",
		"input is 'abc'":                    "column 7: is works with None, True and False; write ==",
		"input.split(1)":                    "column 12: a str is needed here, not int",
		"input.lower(1)":                    "column 12: lower takes at most 0 arguments, not 1",
		"max(input, sort=1)":                "column 12: arguments by name are not supported here: sort",
		"len()":                             "column 4: len needs 1 arguments, not 0",
		"'{0.__class__}'.format(input)":     "column 17: a field of a format is {} or {0} here, without attributes, indexes and formats",
		"input($)":                          `column 7: "$" has no meaning here`,
		"f'{input:>9}'":                     "column 9: conversions and formats in an f-string are not supported here; a value stands alone in its braces",
		"'%s' % input":                      "column 6: % does not format a text here; write f'…{value}…'",
		"1 | 2":                             "column 3: | is not supported here",
		"{c for c in input}":                "column 4: comprehensions of sets and dictionaries are not supported here",
		"input == 12345678901234567890":     "column 10: the number 12345678901234567890 does not fit into 64 bits",
		"len == 3":                          "column 1: len is a function: call it, as in len(input)",
		"9223372036854775807 + 1":           "column 21: the result does not fit into a number of 64 bits",
		"int('9223372036854775808')":        "column 4: the result does not fit into a number of 64 bits",
		strings.Repeat("(", 200):            "column 101: nested deeper than 100 levels",
		strings.Repeat("not ", 200) + "1":   "column 401: nested deeper than 100 levels",
		strings.Repeat("-", 200) + "1":      "column 101: nested deeper than 100 levels",
		strings.Repeat("1 if 1 else ", 200): "column 1201: nested deeper than 100 levels",
		strings.Repeat("x", 10_001):         "column 1: the expression has more than 10000 characters",
		"input == '\xff'":                   "column 1: the expression is not UTF-8",
	} {
		e, err := expressions.Parse(source)
		if err == nil {
			_, err = e.True(map[string]any{"input": "abc"}, expressions.Limits{})
		}
		var failed *expressions.Error
		if !errors.As(err, &failed) || err.Error() != want {
			t.Errorf("%.60q: %v, want %s", source, err, want)
		}
	}
}

// TestLimits checks that what would cost much ends soon, with an error that says so.
func TestLimits(t *testing.T) {
	names := map[string]any{"input": strings.Repeat("ab ", 100_000), "one": "a"}
	for _, source := range []string{
		"input.replace('', input)", "input.replace(one, input)", "'-'.join([input for x in range(1000)])", "input.join(input)",
		"sum(range(10 ** 9))", "[x for x in range(2 ** 30)]", "all(x for x in [1] for y in range(3000) for z in range(3000))",
		"any(one not in input.lower() for c in input)", "[input.upper() for c in input]", "len([c for c in input for d in input])",
		"str([[[[x for a in range(99)] for b in range(99)] for c in range(99)] for x in [[0 for y in range(99)]]])",
		"[input + c for c in input]", "[f'{input}{c}' for c in input]", "'{}{}{}'.format(input, input, input) in [input + c for c in input]",
		"[input == input + '' for c in input]", "[input.find('zz') for c in input]", "[input.strip(input) for c in input]", "sorted(input.split() + list(input) + list(input) + list(input))",
		"[x for x in input.split() if input.count(x) > 9 ** 9]", "[set(input) for c in input]",
		"[input.startswith(input) for c in input]", "[input[1:] for c in input]", "[input[5] for c in input]",
	} {
		e, err := expressions.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.True(names, expressions.Limits{})
		if err == nil || !strings.Contains(err.Error(), "more than") && !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestOwnLimits(t *testing.T) {
	e, err := expressions.Parse("len(input.upper()) > 3")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]any{"input": "abcdefgh"}
	for want, limits := range map[string]expressions.Limits{
		"column 16: makes more than 4 bytes of text and items": {Bytes: 4},
		"column 4: takes more than 3 steps":                    {Steps: 3},
	} {
		if _, err := e.True(names, limits); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", limits, err, want)
		}
	}
	if holds, err := e.True(names, expressions.Limits{Steps: 50, Bytes: 8}); !holds || err != nil {
		t.Errorf("within the limits: %t, %v", holds, err)
	}
	if e.String() != "len(input.upper()) > 3" {
		t.Errorf("source %s", e)
	}
}

func TestNames(t *testing.T) {
	for source, names := range map[string]map[string]any{
		"x == 1234567890123456789": {"x": json.Number("1234567890123456789")},
		"x == -1.5e3":              {"x": json.Number("-1.5e3")},
		"str(x) == '-0.0'":         {"x": json.Number("-0.0")},
		"x == 3 and y == 4":        {"x": 3, "y": int64(4)},
		"x == 'a\uFFFD'":           {"x": "a\xff"},
		"len == 1":                 {"len": 1},
		"x == 9007199254740993 and x != 9007199254740992.0": {"x": json.Number("9007199254740993")},
		"list(x) == ['a', 'b']":                             {"x": map[string]any{"b": 1, "a": 2}},
	} {
		if got := judge(source, names); got != "true" {
			t.Errorf("%s with %v: %s", source, names, got)
		}
	}
	e, err := expressions.Parse("True")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []any{struct{}{}, json.Number("x"), json.Number("12345678901234567890"), json.Number(strings.Repeat("9", 10_000)), []any{make(chan int)}} {
		if _, err := e.True(map[string]any{"x": bad}, expressions.Limits{}); err == nil {
			t.Errorf("%v is taken as a value", bad)
		}
	}
}

func TestListed(t *testing.T) {
	if all := expressions.Functions(); !slices.IsSorted(all) || !slices.Contains(all, "len") {
		t.Errorf("functions %v", all)
	}
	if all := expressions.Methods(); !slices.Contains(all["str"], "lower") || !slices.Contains(all["dict"], "get") {
		t.Errorf("methods %v", all)
	}
}

// FuzzTrue checks that nothing makes evaluating fail in another way than by an error with a
// place, and that it gives the same each time.
func FuzzTrue(f *testing.F) {
	text, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		f.Add(line, "abc")
	}
	f.Fuzz(func(t *testing.T, source, input string) {
		e, err := expressions.Parse(source)
		if err == nil {
			limits := expressions.Limits{Steps: 20_000, Bytes: 1 << 20}
			values := names(input)
			var holds, again bool
			holds, err = e.True(values, limits)
			if again, _ = e.True(values, limits); again != holds {
				t.Fatalf("%q: %t, then %t", source, holds, again)
			}
		}
		var failed *expressions.Error
		if err != nil && (!errors.As(err, &failed) || failed.Column < 1 || failed.Column > len(source)+1 || failed.Reason == "") {
			t.Fatalf("%q: %#v", source, err)
		}
	})
}
