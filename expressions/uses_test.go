package expressions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/expressions"
)

func TestUses(t *testing.T) {
	for source, want := range map[string]string{
		"len(input) > 3 and input.lower().strip() in first # b": "len input first | lower strip",
		"[x for x in input if x in y]":                          "input y |",
		"[k for k, v in m for w in k if w] and k":               "m k |",
		"any(c.isdigit() for c in input)":                       "any input | isdigit",
		"f'{a.b()} {len(c)}' == '''d'''":                        "a len c | b",
		"'{0} {{x.y}}'.format(input, q)":                        "input q | format",
		"x[a:b][::s] if not -t else (u, [v], {w}, {p: r})":      "x a b s t u v w p r |",
		"sorted(input)":         "sorted input |",
		"1 < 2 == None is True": "|",
	} {
		e, err := expressions.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		names, attributes := e.Uses()
		got := strings.TrimSpace(strings.Join(names, " ") + " | " + strings.Join(attributes, " "))
		if !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}

// sorted sorts the words on each side of the bar.
func sorted(text string) []string {
	names, attributes, _ := strings.Cut(text, "|")
	a, b := strings.Fields(names), strings.Fields(attributes)
	slices.Sort(a)
	slices.Sort(b)
	return append(append(a, "|"), b...)
}

// What Python takes and nobody may write here is told apart from what nobody can read.
func TestForbidden(t *testing.T) {
	for source, want := range map[string]bool{
		"(lambda: 1)()": true, "lambda x: x": true, "(x := 5) > 1": true, "await input": true, "(yield 1)": true,
		"input >": false, "import os": false, "input = 1": false, "lambda": true, "": false, "a b": false,
	} {
		_, err := expressions.Parse(source)
		fault, ok := err.(*expressions.Error)
		if !ok || fault.Forbidden != want {
			t.Errorf("%s: got %+v", source, err)
		}
	}
}
