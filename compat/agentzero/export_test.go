package agentzero_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

func export(t *testing.T, w *engine.Workflow) (string, []engine.Problem) {
	t.Helper()
	text, problems, err := agentzero.Export(w)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), problems
}

func meaning(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestExportGivesTheFileBack(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "agentzero"), "*.flow.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no flows")
	}
	flows := map[string][]byte{"the public form": flowOf(
		[]string{"in:inputNode", "g:parallelGroupNode:{\"branches\": [\"l\"]}", "k:agentNode", "l:agentNode", "c:conditionNode:{\"expression\": \"True\"}", "out:outputNode"},
		[]string{"in>g", "g>l", "g>k", "l>out", "k>c", "c>out:true", "c>out:false"})}
	for _, file := range files {
		flows[filepath.Base(file)] = fixtures.Text(t, file)
	}
	for name, text := range flows {
		got, problems := export(t, compile(t, text))
		if len(problems) > 0 || !reflect.DeepEqual(meaning(t, []byte(got)), meaning(t, text)) {
			t.Errorf("%s: %v\n got %s\nwant %s", name, problems, got, text)
		}
	}
}

// A file that is laid out anew changes nothing.
func TestLayoutIsNoChange(t *testing.T) {
	text := flowOf([]string{"in:input", "g:parallelGroup", "k:agent@g:{\"label\": \"K\"}", "out:output"}, []string{"in>g", "g>out"})
	w := compile(t, text)
	again, problems := export(t, w)
	if len(problems) > 0 || !reflect.DeepEqual(compile(t, []byte(again)), w) {
		t.Errorf("%v: %s", problems, again)
	}
}

func TestExportTakesEdits(t *testing.T) {
	w := compile(t, flowOf([]string{"in:input", "g:parallelGroup", "k:agent@g:{\"label\": \"K\"}", "l:agent@g", "m:agent@g", "c:condition:{\"expression\": \"True\"}", "out:output"},
		[]string{"in>g", "g>c", "c>out:true"}))
	w.Step("k").Name = "Kay"
	x := 30.0
	w.Step("k").X = &x // the group stands at 10
	w.Step("k").Input = `{"prompt": {"@text": ["be brief", "@{SESSION_ID}.in.text"], "@join": "\n\n"}, "unless_empty": "@{SESSION_ID}.in.text", "model": "m", "profile": "writer"}`
	w.Step("g").Input = `{"merge": "first", "concurrency": 2}`
	w.Step("c").Input = strings.Replace(w.Step("c").Input, "True", "len(input) > 3", 1)
	text, problems := export(t, w)
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	for _, want := range []string{`"label":"Kay"`, `"x":20`, `"systemPromptOverride":"be brief"`, `"model":"m"`, `"agentProfile":"writer"`, `"mergeStrategy":"first"`, `"concurrency":2`, `"expression":"len(input) > 3"`} {
		if !strings.Contains(strings.ReplaceAll(text, `": `, `":`), want) {
			t.Errorf("there is no %s in %s", want, text)
		}
	}
}

func TestExportNamesWhatDoesNotFit(t *testing.T) {
	flow := flowOf([]string{"in:input", "a:agent", "out:output"}, []string{"in>a", "a>out"})
	for name, c := range map[string]struct {
		edit func(*engine.Workflow)
		want string
	}{
		"another function": {func(w *engine.Workflow) { w.Step("a").Function = "shell" }, `step "a": its function is "shell"`},
		"a new step":       {func(w *engine.Workflow) { w.Steps = append(w.Steps, engine.Step{ID: "more"}) }, `step "more": it was added`},
		"a retry policy":   {func(w *engine.Workflow) { w.Step("a").Retry = `{"max_attempts": 3}` }, `step "a": its retry is`},
		"a condition": {func(w *engine.Workflow) {
			for i := range w.Paths {
				if w.Paths[i].Source == "a" {
					w.Paths[i].Condition = "@{SESSION_ID}.a.ok"
				}
			}
		}, `the NEXT path from "a" to "out-in" has fields`},
	} {
		w := compile(t, flow)
		c.edit(w)
		_, problems := export(t, w)
		found := false
		for _, p := range problems {
			found = found || strings.Contains(p.Message, c.want)
		}
		if !found {
			t.Errorf("%s: got %v", name, problems)
		}
	}
	if _, _, err := agentzero.Export(&engine.Workflow{ID: "x"}); err == nil {
		t.Error("a workflow of our own is not a flow")
	}
}
