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

// What a step in front of a node computes comes from that node: an edit of it is written there,
// also if the workflow was loaded when such steps did not name their nodes.
func TestEditsOfGeneratedStepsAreWrittenBack(t *testing.T) {
	const decides = "t text-format {\"content\": \"${1}\"}; a cli echo yes; a -> t; c if-else {\"content\": \"${1} == yes\"}; t -> c"
	for _, c := range []struct{ flow, step, old, now, want string }{
		{"t llm T; y llm {\"content\": \"Y ${1}\"}; t -> y", "y-prompt", `"Y `, `"Please Y `, `"content": "Please Y ${1}"`},
		{"t llm T; y llm {\"content\": \"${1}\\nSum it up\"}; t -> y", "y-prompt", "Sum it up", "Say it in short", `"content": "${1}\nSay it in short"`},
		{decides + "; y preview; c:true -> y", "c-test", "yes", "maybe", `"content": "${1} == maybe"`},
	} {
		for _, named := range []bool{true, false} {
			w := parse(t, "f.json", sketch(strings.Split(c.flow, "; ")...))
			s := w.Step(c.step)
			if s == nil {
				t.Fatalf("no step %s", c.step)
			}
			if !named {
				delete(s.Extra, "of")
			}
			was := s.Input
			if at := strings.LastIndex(was, c.old); at >= 0 {
				s.Input = was[:at] + c.now + was[at+len(c.old):]
			}
			if s.Input == was {
				t.Fatalf("no %s in %s", c.old, was)
			}
			out, problems, err := nebulaflow.Export(w)
			if err != nil || len(problems) > 0 || !strings.Contains(string(out), c.want) {
				t.Errorf("%v %v\n%s", err, problems, out)
			}
		}
	}
}

// A path to or from a generated step is an edge of its node. An added step without a node is a
// problem with its reason, beside the path that leads to it.
func TestAddedPathsAreEdgesBetweenNodes(t *testing.T) {
	flow := sketch("t llm T", "x llm X", `y llm {"content": "Y ${1} ${2}"}`, "t -> y:in-0")
	for _, target := range []string{"y-prompt", "y"} {
		w := parse(t, "f.json", flow)
		w.Paths = append(w.Paths, engine.Path{ID: "x>" + target, Kind: engine.Next, Source: "x", Target: target})
		out, problems, err := nebulaflow.Export(w)
		edge := gjson.GetBytes(out, "edges.1")
		if err != nil || edge.Get("source").Str != "x" || edge.Get("target").Str != "y" || edge.Get("targetHandle").Str != "in-1" {
			t.Errorf("%s: %v %v %s", target, err, problems, edge)
		}
	}
	w := parse(t, "f.json", flow)
	w.Steps = append(w.Steps, engine.Step{ID: "wait", Function: "wait", Input: `{"for":"1s"}`})
	w.Paths = append(w.Paths, engine.Path{ID: "y>wait", Kind: engine.Next, Source: "y", Target: "wait"})
	_, problems, err := nebulaflow.Export(w)
	if err != nil || len(problems) != 2 || problems[0].Path != "y>wait" || problems[1].Step != "wait" || !strings.Contains(problems[1].Message, `no node of NebulaFlow does what the function "wait" does`) {
		t.Errorf("%v %v", problems, err)
	}
}
