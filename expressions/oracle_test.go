package expressions_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/expressions"
)

// oracle evaluates a list of {expression, names} as Python does and writes true, false or
// error for each.
const oracle = `
import json, sys, warnings
warnings.simplefilter('ignore')
out = []
for case in json.load(sys.stdin):
    try:
        out.append('true' if eval(case['expression'], dict(case['names'])) else 'false')
    except BaseException as e:
        out.append('error')
json.dump(out, sys.stdout)
`

var inputs = []string{"", "x", "abc", "ABC", "A B C", "0.8", "42", "120 items", " ok\n", "an urgent one", "An Error", "a\nx",
	"hello world", "banana", "YES.", "é", "ßΣ", strings.Repeat("x", 150)}

func names(input string) map[string]any {
	return map[string]any{"input": input, "number": json.Number("2.5"), "flag": true, "nothing": nil, "items": []any{"a", json.Number("1")},
		"state": map[string]any{"count": json.Number("2"), "tags": []any{"x"}, "nested": map[string]any{"deep": []any{json.Number("1")}}}}
}

// differs are expressions that have another result than in Python on purpose.
var differs = map[string]string{
	"{**{}}":                      "error", // nothing is spread
	"[*input]":                    "error",
	"len(*input)":                 "error",
	"(-1) ** 0.5 == 1":            "error", // there are no complex numbers
	"[1] == (1,)":                 "true",  // a tuple is a list
	"[1] in {1, 2}":               "false",
	"[1] + (2,)":                  "true",
	"{[]: 1}":                     "true",
	"str((1,)) == '(1,)'":         "false",
	"(x for x in [])":             "false", // a generator is a list
	"'²'.isdigit()":               "false", // int does not read it either
	"'一'.isnumeric()":             "false", // a letter
	`' a\t\n\x1c'.strip() == 'a'`: "false", // a separator of ASCII is not blank
}

func read(t *testing.T, file string) []string {
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[1:] // the first is about the file
}

func judge(source string, names map[string]any) string {
	e, err := expressions.Parse(source)
	if err != nil {
		return "error"
	}
	e.Uses() // knows every part there is
	holds, err := e.True(names, expressions.Limits{})
	switch {
	case err != nil:
		return "error"
	case holds:
		return "true"
	}
	return "false"
}

type question struct {
	Expression string         `json:"expression"`
	Names      map[string]any `json:"names"`
}

// python answers each question with true, false or error.
func python(t *testing.T, questions []question) []string {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, and nothing else can say what Python means: " + err.Error())
	}
	asked, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), path, "-c", oracle)
	command.Stdin = bytes.NewReader(asked)
	answer, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []string
	if err := json.Unmarshal(answer, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

func compareAll(t *testing.T, questions []question) {
	want := python(t, questions)
	for i, q := range questions {
		if own, ok := differs[q.Expression]; ok {
			want[i] = own
		}
		if got := judge(q.Expression, q.Names); got != want[i] {
			e, err := expressions.Parse(q.Expression)
			if err == nil {
				_, err = e.True(q.Names, expressions.Limits{})
			}
			t.Errorf("%s with %.20q: %s (%v), Python says %s", q.Expression, q.Names["input"], got, err, want[i])
		}
	}
}

func TestAgainstPython(t *testing.T) {
	var questions []question
	for _, expression := range read(t, "expressions.txt") {
		for _, input := range inputs {
			questions = append(questions, question{expression, names(input)})
		}
	}
	compareAll(t, questions)
}

// TestUnsupported checks that a part of Python that is left out is an error for every value.
func TestUnsupported(t *testing.T) {
	for _, expression := range read(t, "unsupported.txt") {
		for _, input := range inputs {
			if got := judge(expression, names(input)); got != "error" {
				t.Errorf("%s with %.20q: %s", expression, input, got)
			}
		}
	}
}

// TestAgainstPythonAtRandom makes expressions of the parts of the language, always the same
// ones.
func TestAgainstPythonAtRandom(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	var questions []question
	for range 6000 {
		questions = append(questions, question{g.expression(4), names(inputs[g.IntN(len(inputs))])})
	}
	compareAll(t, questions)
}

type generator struct{ *rand.Rand }

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) number() string {
	return g.pick("0", "1", "-3", "7", "1.5", "-0.5", "number", "len(input)", "(2 if input else 3)", "abs(-2.25)")
}

func (g generator) expression(depth int) string {
	if depth == 0 {
		return g.pick("input", "input", "0", "1", "2", "-3", "7", "1.5", "-0.5", "10", "'a'", "'abc'", "''", "' A b'", "None", "True", "False",
			"[]", "[1, 'a']", "[1, 2]", "state", "items", "number", "flag", "'{}'")
	}
	one := func() string { return g.expression(g.IntN(depth)) }
	switch g.IntN(14) {
	case 0, 1:
		return "(" + g.number() + " " + g.pick("+", "-", "*", "/", "//", "%") + " " + g.number() + ")"
	case 2:
		return one() + " " + g.pick("+", "<", "==", "and", "/") + " " + one() + " " + g.pick("+", "<", "==", "and") + " " + one()
	case 3, 4:
		return "(" + one() + " " + g.pick("<", ">", "<=", ">=", "==", "!=", "in", "not in") + " " + one() + ")"
	case 5:
		return one() + " " + g.pick("and", "or") + " " + g.pick("", "not ") + one()
	case 6:
		return "(" + one() + " if " + one() + " else " + one() + ")"
	case 7:
		return g.pick("-", "+", "not ", "- -") + one()
	case 8:
		return g.pick("len", "int", "float", "str", "bool", "abs", "sorted", "list", "set", "sum", "any", "all", "min", "max", "round") + "(" + one() + ")"
	case 9:
		return g.pick("max", "min") + "(" + one() + ", " + one() + ")"
	case 10:
		return "str(" + one() + ")." + g.pick("lower()", "upper()", "title()", "strip()", "split()", "isdigit()", "isalpha()", "capitalize()",
			"splitlines()", "isupper()", "islower()", "isspace()", "find('a')", "count('a')", "replace('a', 'bb')", "startswith('a')", "index('1')",
			"join(['a', 'b'])", "split('a', 1)", "removeprefix('a')", "rfind('b')")
	case 11:
		return "(" + one() + ")[" + g.pick(one(), one()+":", ":"+one(), one()+":"+one(), "::"+one(), "::-1") + "]"
	case 12:
		return "[" + one() + " for x in " + one() + g.pick("", " if x", " if x != 'a'") + "]"
	}
	return g.pick("any", "all") + "(" + one() + " for x in " + one() + ")"
}
