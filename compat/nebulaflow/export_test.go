package nebulaflow_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/tidwall/gjson"
)

// TestExport: a flow nobody changed is written as it was read.
func TestExport(t *testing.T) {
	folder := fixtures.Folder(t, "nebulaflow")
	files, _ := filepath.Glob(filepath.Join(folder, "*.workflow.json"))
	subflows, _ := filepath.Glob(filepath.Join(folder, "subflows", "*.json"))
	if len(files) == 0 || len(subflows) == 0 {
		t.Fatal("no flows")
	}
	for _, file := range append(files, subflows...) {
		src := fixtures.Text(t, file)
		out, problems, err := nebulaflow.Export(parse(t, file, src))
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", file, err, problems)
			continue
		}
		for _, path := range []string{"nodes", "edges", "graph", "version", "inputs", "outputs", "id", "title", "state"} {
			if same(gjson.GetBytes(out, path)) != same(gjson.GetBytes(src, path)) {
				t.Errorf("%s: %s is\n%s\nwant\n%s", file, path, gjson.GetBytes(out, path), gjson.GetBytes(src, path))
			}
		}
	}
}

// same is a JSON text without blanks and with its keys in order.
func same(r gjson.Result) string { return gjson.Get(r.Raw, "@ugly:{\"sortKeys\":true}").Raw }

func TestExportOfWhatChanged(t *testing.T) {
	w := parse(t, "f.json", sketch("a llm A", "b preview", "a -> b"))
	w.Step("a").Name, w.Step("b").Bypass = "First", true
	w.Step("b").Function, w.Step("b").Input = "", ""
	out, problems, err := nebulaflow.Export(w)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", err, problems)
	}
	if gjson.GetBytes(out, "nodes.0.data.title").Str != "First" || !gjson.GetBytes(out, "nodes.1.data.bypass").Bool() {
		t.Errorf("got %s", out)
	}
	w.Steps = append(w.Steps, engine.Step{ID: "wait", Function: "wait", Input: `{"for":"1s"}`})
	if _, problems, err = nebulaflow.Export(w); err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, `"wait"`) {
		t.Errorf("problems are %v, %v", problems, err)
	}
	if _, _, err := nebulaflow.Export(&engine.Workflow{ID: "x"}); !errors.Is(err, nebulaflow.ErrNotAFlow) {
		t.Errorf("got %v", err)
	}
}

// A text, prompt or command that was edited while the flow runs is written into its node.
func TestEditsAreWrittenBack(t *testing.T) {
	for _, c := range []struct{ flow, old, now, want string }{
		{"a llm {\"content\": \"Say hello to ${1}\", \"systemPromptTemplate\": \"Be brief\"}", "Say hello to", "Greet", `"content": "Greet ${1}"`},
		{"a llm {\"content\": \"x\", \"systemPromptTemplate\": \"Be brief\"}", "Be brief", "Be kind", `"systemPromptTemplate": "Be kind"`},
		{"a text-format {\"content\": \"S\"}", `"S"`, `"EDITED"`, `"content": "EDITED"`},
	} {
		w := parse(t, "f.json", sketch(c.flow, "b preview", "a -> b"))
		s, was := w.Step("a"), w.Step("a").Input
		if s.Input = strings.Replace(was, c.old, c.now, 1); s.Input == was {
			t.Fatalf("no %s in %s", c.old, was)
		}
		out, problems, err := nebulaflow.Export(w)
		if err != nil || len(problems) > 0 || !strings.Contains(string(out), c.want) {
			t.Errorf("%v %v\n%s", err, problems, out)
		}
	}
}
