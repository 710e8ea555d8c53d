package agentzero_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
)

func gate(expression string) []byte {
	text, _ := json.Marshal(map[string]string{"expression": expression})
	return flowOf([]string{"in:input", "a:agent:{\"outputVariable\": \"first\"}", "g:condition:" + string(text), "late:agent:{\"outputVariable\": \"later\"}", "out:output"},
		[]string{"in>a", "a>g", "g>late:true", "late>out"})
}

func TestExpressionsAreCheckedWhenLoaded(t *testing.T) {
	for expression, want := range map[string]string{
		"len(input) > 3 and 'x' in first.lower()":         "",
		"any([w.startswith('q') for w in input.split()])": "",
		"'open(' in input or \"it's\" == '''a'b'''":       "",
		"0x1f < len(input) < 1e3":                         "",
		"later == 'x'":                                    "expression_forbidden", // not upstream
		"open('x')":                                       "expression_forbidden",
		"input.__class__":                                 "expression_forbidden",
		"first . format_map({})":                          "expression_forbidden",
		"input # of whom":                                 "",
		"f'{input.__class__}'":                            "expression_forbidden",
		"f'{open(1)}' == f'{input:>{later}}'":             "expression_forbidden",
		"'{0.__class__}'.format(input)":                   "expression_forbidden",
		"[w for w in words]":                              "expression_forbidden",
		"(lambda: 1)()":                                   "expression_forbidden",
		"(x := input)":                                    "expression_forbidden",
		"import os":                                       "expression_syntax",
		"len(input":                                       "expression_syntax",
		" ":                                               "expression_empty",
	} {
		got := codes(t, gate(expression))
		if len(got) > 1 || len(got) == 1 && got[0] != want || len(got) == 0 && want != "" {
			t.Errorf("%s: got %v, want %q", expression, got, want)
		}
	}
}

// Every expression that the recorded sandbox takes is taken here.
func TestRecordedExpressionsLoad(t *testing.T) {
	var file struct {
		Rows []struct {
			Expression    string
			PythonSandbox string `json:"python_sandbox"`
		}
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "agentzero"), "10-condition-expressions.json"), &file)
	taken := 0
	for _, row := range file.Rows {
		if row.PythonSandbox != "true" && row.PythonSandbox != "false" || row.Expression == "" {
			continue
		}
		taken++
		if got := codes(t, gate(row.Expression)); len(got) > 0 {
			t.Errorf("%s: %v", row.Expression, got)
		}
	}
	if taken < 30 {
		t.Errorf("only %d expressions", taken)
	}
}
