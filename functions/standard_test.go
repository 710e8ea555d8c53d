package functions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
)

func TestStandard(t *testing.T) {
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{})
	names := map[string]string{
		"request": "utils.request.request", "utils.request": "utils.request.request", "request.request": "utils.request.request",
		"confirm": "utils.request.confirm", "request.confirm": "utils.request.confirm", "select": "utils.request.select",
		"reply": "utils.reply.reply", "reply.reply": "utils.reply.reply", "generate": "utils.generate.generate",
		"api": "utils.api.api", "code": "utils.code.code", "variable": "variable", "template": "template", "accumulate": "accumulate",
		"loop": "loop", "iterate": "iterate", "group": "group", "map": "map", "subflow": "subflow", "wait": "wait",
		"condition": "condition", "switch": "switch", "calculate": "calculate", "calculator": "calculate",
		"agent": "agent", "graphql": "graphql", "integration": "integration", "graph.query": "graph.query", "shell": "shell", "classify": "classify", "cli": "shell",
	}
	for name, want := range names {
		if s := r.Find(name); s == nil || s.Name != want {
			t.Errorf("Find(%s) = %v, want %s", name, s, want)
		}
	}
	effects := map[string]bool{"utils.generate.generate": true, "utils.api.api": true, "group": true,
		"agent": true, "classify": true, "shell": true, "graphql": true, "integration": true, "graph.query": true}
	off := map[string]bool{"utils.generate.generate": true, "agent": true, "classify": true, "shell": true}
	for _, s := range r.Specs() {
		file := strings.HasPrefix(s.Name, "file.")
		if s.Effects != (effects[s.Name] || file) {
			t.Errorf("%s has effects: %t", s.Name, s.Effects)
		}
		if s.Description == "" || s.Input == nil {
			t.Errorf("%s is not described", s.Name)
		}
		undescribed(t, s)
		if (s.Disabled != "") != (off[s.Name] || file) {
			t.Errorf("%s is disabled: %q", s.Name, s.Disabled)
		}
	}
}

// undescribed finds input fields that say nothing about themselves, and required ones, since
// every field has a default or another in its stead.
func undescribed(t *testing.T, s *function.Spec) {
	text, err := json.Marshal(s.Input)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties           map[string]json.RawMessage
		Required             []string
		AdditionalProperties any
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.AdditionalProperties != nil || schema.Required != nil || len(schema.Properties) == 0 {
		t.Errorf("%s: input schema %s", s.Name, text)
	}
	for name, field := range schema.Properties {
		var described struct{ Description string }
		if json.Unmarshal(field, &described) != nil || described.Description == "" {
			t.Errorf("%s: input field %s is not described", s.Name, name)
		}
	}
}

// TestExamples runs what the pages of the functions show. Inputs with references are only
// checked, since there is no session to resolve them.
func TestExamples(t *testing.T) {
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{})
	for _, s := range r.Specs() {
		for _, example := range s.Examples {
			if s.Check != nil {
				if problems := s.Check(example.Input); problems != nil {
					t.Errorf("%s, %s: %v", s.Name, example.Title, problems)
				}
			}
			if example.Output == nil || strings.Contains(string(example.Input), "@{") {
				continue
			}
			out, err := s.Function.Call(t.Context(), example.Input)
			if err != nil || string(out) != string(example.Output) {
				t.Errorf("%s, %s: %s, %v, want %s", s.Name, example.Title, out, err, example.Output)
			}
		}
	}
}
