package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// said lists the problems of a workflow as "code step path: message".
func said(w *engine.Workflow) []string {
	w.Normalize()
	var out []string
	for _, p := range engine.Validate(w, nil) {
		out = append(out, fmt.Sprintf("%s %s %s %s: %s", p.Level, p.Code, p.Step, p.Path, p.Message))
	}
	return out
}

func TestValidateReportsConditionsThatAreAlwaysTrue(t *testing.T) {
	for condition, want := range map[any]string{
		"@{SESSION_ID}.root.response":               "",
		"when @{SESSION_ID}.root.response == 'red'": "",
		"@{SESSION_ID}.root.response == 'red'":      "to compare, write: when @{SESSION_ID}.root.response == 'red'",
		`{"true": "@{SESSION_ID}.root.n > 3"}`:      "error always_true root root>a",
		`["@{SESSION_ID}.root.n|0 > 3"]`:            "write: when @{SESSION_ID}.root.n|0 > 3",
		"when @{SESSION_ID}.root.response == red":   "error broken_condition root root>a",
		"when @{SESSION_ID}.rot.response == 'red'":  "warning unknown_reference root root>a",
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a"}}, Paths: []engine.Path{{Source: "root", Target: "a", Condition: condition}}}
		found := said(w)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0], want)) {
			t.Errorf("%v: %q, want %q", condition, found, want)
		}
	}
	loop := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "loop", Input: `{"until": "@{SESSION_ID}.a.n > 3", "while": {"when": "@{SESSION_ID}.a.n <"}}`}, {ID: "a"}},
		Paths: []engine.Path{{Source: "root", Target: "a", Kind: engine.Contains}}}
	if found := strings.Join(said(loop), "\n"); !strings.Contains(found, "error always_true root : until: ") || !strings.Contains(found, "error broken_condition root : while: ") {
		t.Errorf("conditions of a loop: %s", found)
	}
}

// fieldsRegistry has one function with schemas, as misspelt fields need them.
func fieldsRegistry() *engine.Registry {
	r := engine.NewRegistry()
	engine.Register(r, "ask", func(context.Context, struct {
		Prompt string `json:"prompt"`
	}) (struct {
		Response string `json:"response"`
	}, error) {
		return struct {
			Response string `json:"response"`
		}{}, nil
	})
	return r
}

func TestValidateReportsMistakesInFields(t *testing.T) {
	for input, want := range map[string]string{
		`{"prompt": "x"}`: "",
		`{"promt": "x"}`:  `warning unknown_input b: input has a field "promt", which ask does not know: did you mean "prompt"?`,
		`{"prompt": "@{SESSION_ID}.root.respons"}`:      `did you mean "response"?`,
		`{"prompt": "@{SESSION_ID}.root.own"}`:          "",
		`{"prompt": "Hi @{SESSION_ID.root.response}!"}`: "write @{SESSION_ID}.root.response",
		`{"prompt": "Hi @{SESION_ID}.root.response!"}`:  "write @{SESSION_ID}.root.response",
		`{"prompt": "Hi @{s1}!"}`:                       "write @{SESSION_ID}",
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "b", Function: "ask", Input: input}},
			Paths: []engine.Path{{Source: "root", Target: "b"}}}
		w.Normalize()
		var found []string
		for _, p := range engine.Validate(w, fieldsRegistry()) {
			if p.Code != "missing_input" {
				found = append(found, fmt.Sprintf("%s %s %s: %s", p.Level, p.Code, p.Step, p.Message))
			}
		}
		if all := strings.Join(found, "\n"); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%s: %q, want %q", input, all, want)
		}
	}
}

// TestValidateReportsInputsThatCannotRun: fields that are missing, of a wrong type, or written in
// another template language are told before a session meets them; ids that are nearly right are
// corrected.
func TestValidateReportsInputsThatCannotRun(t *testing.T) {
	r := fieldsRegistry()
	engine.Register(r, "count", func(context.Context, struct {
		Of    int      `json:"of"`
		Exact bool     `json:"exact"`
		Names []string `json:"names"`
	}) (struct{}, error) {
		return struct{}{}, nil
	})
	r.Find("count").Needs.OneOf = []string{"of", "names"}
	for _, c := range []struct{ function, input, target, want string }{
		{"count", `{"of": 3}`, "b", ""},
		{"count", `{"of": "@{SESSION_ID}.root.response"}`, "b", ""},
		{"count", ``, "b", "warning missing_input b : input has none of of, names; count needs one of them"},
		{"count", `{"nams": []}`, "b", `did you mean "names"?`},
		{"count", `{"of": "many"}`, "b", `warning wrong_input b : input field "of" is "many"; count takes a whole number`},
		{"count", `{"of": {"a": 1}}`, "b", `input field "of" is {"a": 1}; count takes a whole number`},
		{"count", `{"of": 1, "exact": 3}`, "b", `input field "exact" is 3; count takes true or false`},
		{"count", `{"of": 1, "names": {}}`, "b", `input field "names" is {}; count takes a list`},
		{"ask", `{"prompt": "{{root.response}}"}`, "b", "warning near_reference b : {{root.response}} is not a reference and is taken as text; write @{SESSION_ID}.root.response"},
		{"ask", `{"prompt": "${root.response[0].name} and {{mine.x}}"}`, "b", "write @{SESSION_ID}.root.response[0].name"},
		{"ask", `{"prompt": "Hi @{root.response}!"}`, "b", "write @{SESSION_ID}.root.response"},
		{"ask", `{"prompt": "@{SESSION_ID}.rooot.response"}`, "b", `(did you mean "root"?)`},
		{"ask", `{"prompt": "x"}`, "bb", `which is not there (did you mean "b"?)`},
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "b", Function: c.function, Input: c.input}},
			Paths: []engine.Path{{Source: "root", Target: c.target}}}
		w.Normalize()
		var found []string
		for _, p := range engine.Validate(w, r) {
			if p.Code != "unreachable" && !strings.Contains(p.Message, "which count asks for") {
				found = append(found, fmt.Sprintf("%s %s %s %s: %s", p.Level, p.Code, p.Step, p.Path, p.Message))
			}
		}
		if all := strings.Join(found, "\n"); c.want == "" && all != "" || c.want != "" && (len(found) != 1 || !strings.Contains(all, c.want)) {
			t.Errorf("%s %s: %q, want %q", c.function, c.input, found, c.want)
		}
	}
}

func TestPutRefusesErrors(t *testing.T) {
	e := engine.New(memory.New(memory.Options{}), fieldsRegistry(), engine.Options{})
	ctx := t.Context()
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "aks"}}}
	_, err := e.PutWorkflow(ctx, w, "")
	var refused *engine.DetailError
	if !errors.Is(err, engine.ErrWorkflowInvalid) || !errors.As(err, &refused) || len(refused.Problems) != 1 || refused.Problems[0].Code != "no_function" {
		t.Fatalf("put with an unknown function: %v", err)
	}
	if _, err := e.Workflow(ctx, "w"); !errors.Is(err, engine.ErrWorkflowNotFound) {
		t.Errorf("the refused workflow is stored: %v", err)
	}
	if diff, err := e.Put(ctx, w, engine.PutOptions{Force: true, DryRun: true}); err != nil || len(diff.Problems) != 1 || len(diff.Steps.Added) != 1 {
		t.Errorf("dry run: %+v, %v", diff, err)
	}
	if _, err := e.Workflow(ctx, "w"); !errors.Is(err, engine.ErrWorkflowNotFound) {
		t.Errorf("the dry run stored it: %v", err)
	}
	if diff, err := e.Put(ctx, w, engine.PutOptions{Force: true}); err != nil || len(diff.Problems) != 1 {
		t.Errorf("forced: %+v, %v", diff, err)
	}
	stored, err := e.Workflow(ctx, "w")
	if err != nil {
		t.Fatal(err)
	}
	after := *stored
	after.Description = "an edit that brings nothing"
	if err := e.CheckEdit(stored, &after); err != nil {
		t.Errorf("an edit is refused for an error that was there: %v", err)
	}
}

// What looks like a reference and is none is an error that names the reference that was meant, in
// inputs and in conditions. Addresses and texts that are never scanned are left alone.
func TestValidateReportsNearReferences(t *testing.T) {
	for text, want := range map[string]string{
		"Hi @<SESSION>.root[0].x!":       "@<SESSION>.root[0].x is not a reference and would be taken as text; write @{SESSION_ID}.root[0].x",
		"@<SESSION_ID>.root.x":           "write @{SESSION_ID}.root.x",
		"say @SESSION_ID.root.x.":        "@SESSION_ID.root.x is not a reference and would be taken as text; write @{SESSION_ID}.root.x",
		"@SESSION.root.x":                "write @{SESSION_ID}.root.x",
		"@(session_id).root.x":           "write @{SESSION_ID}.root.x",
		"a ${SESSION_ID}.root.x":         "write @{SESSION_ID}.root.x",
		"{SESSION_ID}.root.x":            "write @{SESSION_ID}.root.x",
		"@{SESSION}.root.x":              "foreign_session",
		"@{SESSION_ID}.root.x":           "",
		"@{SESSION_ID}":                  "",
		"mail me@session.example":        "",
		"me@SESSION.EXAMPLE, @sessions.": "",
	} {
		input, _ := json.Marshal(map[string]any{"prompt": text, "note": map[string]string{"@literal": "@<SESSION>.root.x"}})
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a", Input: string(input)}}, Paths: []engine.Path{{Source: "root", Target: "a"}}}
		found := said(w)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasPrefix(found[0], "error ") || !strings.Contains(found[0], want)) {
			t.Errorf("%s: %q, want %q", text, found, want)
		}
	}
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a"}}, Paths: []engine.Path{{Source: "root", Target: "a", Condition: "@<SESSION>.root.x"}}}
	if found := said(w); len(found) != 1 || !strings.HasPrefix(found[0], "error near_reference root root>a") {
		t.Errorf("condition: %q", found)
	}
}

// A condition before a step with join "all" is not a gate where another path into it is always taken.
func TestOpenGates(t *testing.T) {
	path := func(from, to, condition string) engine.Path {
		p := engine.Path{Kind: engine.Next, Source: from, Target: to}
		if condition != "" {
			p.Condition = condition
		}
		return p
	}
	for name, c := range map[string]struct {
		join  string
		paths []engine.Path
		want  int
	}{
		"a draft and an approval":     {engine.JoinAll, []engine.Path{path("root", "a", ""), path("root", "b", ""), path("a", "j", ""), path("b", "j", "@{SESSION_ID}.b.confirmed")}, 1},
		"required":                    {engine.JoinRequired, []engine.Path{path("root", "a", ""), path("root", "b", ""), path("a", "j", ""), path("b", "j", "@{SESSION_ID}.b.confirmed")}, 0},
		"branches that meet again":    {engine.JoinAll, []engine.Path{path("root", "a", ""), path("a", "b", "@{SESSION_ID}.a.x"), path("a", "j", `{"false": "@{SESSION_ID}.a.x"}`), path("b", "j", "")}, 0},
		"either of two":               {engine.JoinAll, []engine.Path{path("root", "a", ""), path("root", "b", ""), path("a", "j", "@{SESSION_ID}.a.x"), path("b", "j", "@{SESSION_ID}.b.x")}, 0},
		"what is approved goes along": {engine.JoinAll, []engine.Path{path("root", "a", ""), path("a", "b", ""), path("a", "j", ""), path("b", "j", "@{SESSION_ID}.b.confirmed")}, 1},
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a"}, {ID: "b"}, {ID: "j", Join: c.join}}, Paths: c.paths}
		w.Normalize()
		got := 0
		for _, p := range engine.Validate(w, nil) {
			if p.Code == "open_gate" {
				got++
				if p.Step != "j" || p.Level != "warning" {
					t.Errorf("%s: %+v", name, p)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %d warnings, want %d", name, got, c.want)
		}
	}
}
