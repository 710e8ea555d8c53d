package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A mistyped flag names the one that was meant.
func TestUnknownFlagNamesTheNearest(t *testing.T) {
	for wrong, want := range map[string]string{
		"--staus=error": "unknown flag: --staus; did you mean --status?; see: stepgraph session list --help",
		"--serer=x":     "did you mean --server?",
		"--nonsense":    "unknown flag: --nonsense; see: ",
	} {
		if got := invoke(t, "", nil, "session", "list", wrong); got.code != exitUsage || !strings.Contains(got.err, want) {
			t.Errorf("%s: exit %d, %s", wrong, got.code, got.err)
		}
	}
}

// Mistakes are told in the order of the file, all of them, with line and column, and keep a
// file from being loaded unless that is forced.
func TestMistakesAreToldBeforeTheyRun(t *testing.T) {
	folder := t.TempDir()
	file := write(t, filepath.Join(folder, "flow.json"), `{"format": "stepgraph", "version": 1,
 "steps": [
  {"id": "root", "function": "request", "input": {"promt": "Colour?", "schema": {"type": "integr"}}},
  {"id": "red", "function": "reply", "input": {"message": "Hi @{SESSION_ID.root.response}"}}, {"id": "blue", "function": "replay"}],
 "paths": [
  {"source": "root", "target": "red", "condition": "@{SESSION_ID}.root.response == 'red'"},
  {"source": "root", "target": "blue", "condition": "when @{SESSION_ID}.root.respons != 'red'"}]}`)
	wants := []string{
		file + ":3:3: error: step root: schema: ",
		file + `:3:3: warning: step root: input has a field "promt", which utils.request.request does not know: did you mean "prompt"? (unknown_input)`,
		file + ":4:3: error: step red: ",
		file + `:4:95: error: step blue: function "replay" is not known`,
		file + ":6:3: error: path root>red: condition",
		"to compare, write: when @{SESSION_ID}.root.response == 'red' (always_true)",
		file + ":7:3: warning: path root>blue: ", `did you mean "response"?`,
	}
	inOrder := func(where, text string, wants []string) {
		t.Helper()
		rest := text
		for _, want := range wants {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: %q is missing or out of order in\n%s", where, want, text)
				return
			}
			rest = after
		}
	}
	validated := invoke(t, "", nil, "validate", file)
	inOrder("validate", validated.out, wants)
	store := "sqlite:" + filepath.Join(folder, "store.db")
	refused := invoke(t, "", nil, "load", "--store", store, file)
	if refused.code != exitFailed || refused.out != "" || !strings.Contains(refused.err, "nothing was loaded") {
		t.Errorf("load: exit %d, %s%s", refused.code, refused.out, refused.err)
	}
	inOrder("load", refused.err, []string{wants[0], wants[2], wants[3], wants[4], wants[5]})
	if listed := invoke(t, "", nil, "list", "--store", store); strings.Contains(listed.out, "flow") {
		t.Errorf("the refused file is stored: %s", listed.out)
	}
	forced := invoke(t, "", nil, "load", "--force", "--store", store, file)
	if forced.code != exitOK || !strings.Contains(forced.out, "3 added") {
		t.Errorf("load --force: exit %d, %s%s", forced.code, forced.out, forced.err)
	}
	inOrder("load --force", forced.err, wants)
}

// Every field of every function's input: misspelt in the usual ways, unknown, and of another type. Each
// mistake is a step of one file, and validate names the field at the step's place.
func TestMistakesInEveryField(t *testing.T) {
	var functions struct {
		Items []struct {
			Name   string `json:"name"`
			Schema struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"input_schema"`
		} `json:"items"`
	}
	listed := invoke(t, "", nil, "functions", "-o", "json")
	if err := json.Unmarshal([]byte(listed.out), &functions); err != nil || len(functions.Items) == 0 {
		t.Fatalf("%v: %s", err, listed.err)
	}
	type step struct {
		ID       string         `json:"id"`
		Function string         `json:"function"`
		Input    map[string]any `json:"input"`
	}
	var steps []step
	named := map[string]string{} // what a step's problem has to name
	add := func(function, field string, value any) {
		id := fmt.Sprintf("s%d", len(steps))
		steps = append(steps, step{id, function, map[string]any{field: value}})
		named[id] = field
	}
	for _, f := range functions.Items {
		for field := range f.Schema.Properties {
			wrong := []string{field + field[len(field)-1:], field[:len(field)-1]}
			if len(field) > 3 {
				wrong = append(wrong, field[:1]+field[2:], field[:1]+field[2:3]+field[1:2]+field[3:])
			}
			for _, name := range wrong {
				if _, known := f.Schema.Properties[name]; !known && name != field && !slices.Contains([]string{"", "global"}, name) {
					add(f.Name, name, "x")
				}
			}
		}
		if !slices.Contains([]string{"utils.reply.reply", "utils.request.request", "utils.request.confirm", "utils.request.select",
			"template", "variable", "wait"}, f.Name) { // these keep such a field in their output
			add(f.Name, "colour", "x")
		}
	}
	for function, fields := range map[string]map[string]any{
		"request":     {"prompt": []int{1}, "schema": 5, "options": true, "due": "soon"},
		"confirm":     {"prompt": map[string]int{"a": 1}, "feedback": "perhaps", "confirm_text": 5},
		"select":      {"choices": "x y", "options": 5},
		"reply":       {"message": map[string]int{"a": 1}, "end_session": "perhaps"},
		"api":         {"url": 5, "headers": 5, "raise": []int{1}, "timeout": "soon", "retries": "many", "params": true},
		"switch":      {"rules": "x"},
		"variable":    {"set": []int{1}, "globals": "x", "merge": "perhaps"},
		"accumulate":  {"mode": "multiply", "limit": "few"},
		"code":        {"variables": []int{1}, "as_output": "perhaps", "language": "cobol", "code": 5},
		"condition":   {"expression": 5.5, "variables": 5},
		"generate":    {"user": []int{1}, "messages": 5, "temperature": "hot", "max_tokens": true, "parameters": []int{1}},
		"agent":       {"system": true, "max_rounds": "many", "guardrails": 5, "on_limit": "x"},
		"graph.query": {"query": 5, "parameters": true, "limit": "few"},
		"graphql":     {"url": true, "query": 5, "variables": 5, "headers": 5},
		"subflow":     {"workflow": []int{1}},
		"map":         {"items": 5, "concurrency": "few"},
		"loop":        {"count": "few", "max_rounds": true},
		"iterate":     {"items": true, "max_rounds": "few"},
		"wait":        {"for": "soon", "signal": 5},
		"shell":       {"command": 5, "raise": "perhaps", "args": "x", "env": true},
		"file.read":   {"path": []int{1}, "lines": "few"},
		"template":    {"say": "perhaps", "separator": 5},
		"classify":    {"classes": 5, "temperature": "hot"},
		"integration": {"url": 5, "variables": 5, "latency": "soon"},
		"calculate":   {"expression": []int{1}},
	} {
		for field, value := range fields {
			add(function, field, value)
		}
	}
	file := write(t, filepath.Join(t.TempDir(), "flow.json"), map[string]any{"format": "stepgraph", "version": 1, "steps": steps, "paths": []any{}})
	var found struct {
		Problems []struct {
			Step, Code, Message string
			Line, Column        int
		} `json:"problems"`
	}
	if err := json.Unmarshal([]byte(invoke(t, "", nil, "validate", "-o", "json", file).out), &found); err != nil {
		t.Fatal(err)
	}
	for _, p := range found.Problems {
		if name := named[p.Step]; name != "" && p.Code != "unreachable" && p.Line > 0 && p.Column > 0 && strings.Contains(p.Message, name) {
			delete(named, p.Step)
		}
	}
	for _, s := range steps {
		if named[s.ID] != "" {
			t.Errorf("%s: nothing was said of %v", s.Function, s.Input)
		}
	}
}
