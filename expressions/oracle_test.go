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

// differs are expressions with which we mean to differ from Python.
var differs = map[string]string{
	"{**{}}":           "error", // nothing is spread
	"[*input]":         "error",
	"len(*input)":      "error",
	"(-1) ** 0.5 == 1": "error", // there are no complex numbers
}

func read(t *testing.T) []string {
	text, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if i > 1 { // the first two are about the file
			lines = append(lines, line)
		}
	}
	return lines
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
	for _, expression := range read(t) {
		for _, input := range inputs {
			questions = append(questions, question{expression, names(input)})
		}
	}
	compareAll(t, questions)
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

func (g generator) expression(depth int) string {
	if depth == 0 {
		return g.pick("input", "input", "0", "1", "2", "-3", "7", "1.5", "-0.5", "10", "'a'", "'abc'", "''", "' A b'", "None", "True", "False",
			"[]", "[1, 'a']", "(1, 2)", "state", "items", "number", "flag", "'%s'", "'{}'")
	}
	one := func() string { return g.expression(g.IntN(depth)) }
	switch g.IntN(14) {
	case 0, 1:
		return "(" + one() + " " + g.pick("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>") + " " + one() + ")"
	case 2:
		return one() + " " + g.pick("+", "-", "*", "%", "/") + " " + one() + " " + g.pick("+", "-", "*", "<", "==", "and") + " " + one()
	case 3, 4:
		return "(" + one() + " " + g.pick("<", ">", "<=", ">=", "==", "!=", "in", "not in") + " " + one() + ")"
	case 5:
		return one() + " " + g.pick("and", "or") + " " + g.pick("", "not ") + one()
	case 6:
		return "(" + one() + " if " + one() + " else " + one() + ")"
	case 7:
		return g.pick("-", "+", "~", "not ", "- -") + one()
	case 8:
		return g.pick("len", "int", "float", "str", "bool", "abs", "sorted", "list", "tuple", "sum", "any", "all", "min", "max", "round", "repr") + "(" + one() + ")"
	case 9:
		return g.pick("round", "max", "min", "int") + "(" + one() + ", " + one() + ")"
	case 10:
		return "str(" + one() + ")." + g.pick("lower()", "upper()", "title()", "strip()", "split()", "isdigit()", "isalpha()", "capitalize()", "swapcase()",
			"splitlines()", "isupper()", "islower()", "istitle()", "isspace()", "zfill(5)", "center(7)", "rsplit(None, 1)", "find('a')", "count('a')",
			"replace('a', 'bb')", "partition(' ')", "startswith('a')", "index('1')", "join(['a', 'b'])", "rjust(6, '0')")
	case 11:
		return "(" + one() + ")[" + g.pick(one(), one()+":", ":"+one(), one()+":"+one(), "::"+one(), "::-1") + "]"
	case 12:
		return "[" + one() + " for x in " + one() + g.pick("", " if x", " if x != 'a'") + "]"
	}
	value := g.pick("input", "number", "1.25", "-17", "12345678.9", "True", "0.00001234", "1e17")
	return "f'{" + value + ":" + g.pick("", "5", ">8", "<6", "^9", "+", "08", ",", ".2f", ".3", "e", "g", ".0f", "%", "x", "_", "+.1f", "010.2f", "s", "d") + "}'"
}
