package callcentre_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// wantTool is one tool of an agent as the fixtures list it.
type wantTool struct {
	Node        string
	Name        string
	Parameters  json.RawMessage
	Mentions    []string `json:"description_mentions"`
	Integration *string
}

func TestToolLists(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "callcentre"), "*.graph.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no graphs: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			w := parse(t, file, nil)
			var want struct{ Tools map[string][]wantTool }
			fixtures.Read(t, strings.Replace(file, ".graph.", ".expected.", 1), &want)
			for agent, tools := range want.Tools {
				checkTools(t, w, agent, tools)
			}
		})
	}
}

// parse compiles a graph, with edit applied to its text before.
func parse(t *testing.T, file string, edit func(string) string) *engine.Workflow {
	t.Helper()
	text := fixtures.Text(t, file)
	if edit != nil {
		text = []byte(edit(string(text)))
	}
	if !callcentre.Recognise(file, text) {
		t.Errorf("%s is not recognised", file)
	}
	f, err := callcentre.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Workflows[0]
	w.ID = "call"
	w.Normalize()
	return &w
}

func checkTools(t *testing.T, w *engine.Workflow, agent string, want []wantTool) {
	t.Helper()
	got := toolPaths(w, agent)
	if len(got) != len(want) {
		t.Fatalf("%s has %d tools, want %d", agent, len(got), len(want))
	}
	for i, p := range got {
		if p.Target != want[i].Node || p.Name != want[i].Name {
			t.Errorf("%s: tool %d is %s of %s, want %s of %s", agent, i, p.Name, p.Target, want[i].Name, want[i].Node)
		}
		if !sameJSON(t, []byte(p.Extra["parameters"].(string)), want[i].Parameters) {
			t.Errorf("%s: parameters are %s, want %s", p.Name, p.Extra["parameters"], want[i].Parameters)
		}
		for _, word := range want[i].Mentions {
			if !strings.Contains(p.Description, word) {
				t.Errorf("%s: description %q does not mention %q", p.Name, p.Description, word)
			}
		}
		if w := toolPaths(w, p.Target); want[i].Integration != nil && (len(w) != 1 || w[0].Target != *want[i].Integration) {
			t.Errorf("%s: leads to %v, want %s", p.Name, w, *want[i].Integration)
		}
	}
}

// toolPaths are the TOOL paths of a step, the first to each target.
func toolPaths(w *engine.Workflow, step string) []engine.Path {
	var out []engine.Path
	seen := map[string]bool{}
	for _, p := range w.Paths {
		if p.Kind == engine.Tool && p.Source == step && !seen[p.Target] {
			seen[p.Target] = true
			out = append(out, p)
		}
	}
	return out
}

func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

// names are the names of the tools of router r in a graph with the given nodes, all linked.
func names(t *testing.T, nodes string, targets ...string) []string {
	t.Helper()
	edges := []string{}
	for _, id := range targets {
		edges = append(edges, `{"source": "r", "target": "`+id+`"}`)
	}
	f, err := callcentre.Parse("x.json", []byte(`{"nodes": [{"id": "r", "type": "ROUTER"}, `+nodes+`], "edges": [`+strings.Join(edges, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range toolPaths(&f.Workflows[0], "r") {
		out = append(out, p.Name)
	}
	return out
}

func TestToolNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, c := range []struct {
		nodes   string
		targets []string
		want    []string
	}{
		{`{"id": "dep.3", "type": "DEPARTMENT", "data": {"agentName": "Spa & Wellness"}}`, []string{"dep.3"}, []string{"consult_Spa___Wellness_dep3"}},
		{`{"id": "d", "type": "DEPARTMENT", "data": {}}`, []string{"d"}, []string{"consult_department_d"}},
		{`{"id": "t", "type": "SUB_AGENT", "data": {}}`, []string{"t"}, []string{"consult_tool_t"}},
		{`{"id": "words", "type": "SUB_AGENT", "data": {"specialty": "Plain Text"}}`, []string{"words"}, []string{"consult_plain_text_words"}},
		{`{"id": "é-1", "type": "SUB_AGENT", "data": {"agentName": "Öl 𝄞"}}`, []string{"é-1"}, []string{"_l____1"}},
		// Two ids that clean to one text, under one name.
		{`{"id": "a-1", "type": "SUB_AGENT", "data": {"functionName": "f"}}, {"id": "a1", "type": "SUB_AGENT", "data": {"functionName": "f"}}`,
			[]string{"a-1", "a1"}, []string{"f_a1", "f_a1_2"}},
		// The limit cuts the base and keeps the id, and so does a number.
		{`{"id": "b-9", "type": "SUB_AGENT", "data": {"functionName": "` + long + `"}}, {"id": "b9", "type": "SUB_AGENT", "data": {"functionName": "` + long + `"}}`,
			[]string{"b-9", "b9", "b-9"}, []string{strings.Repeat("x", 61) + "_b9", strings.Repeat("x", 59) + "_b9_2"}},
		{`{"id": "` + long + `", "type": "SUB_AGENT", "data": {"functionName": "f"}}`, []string{long}, []string{strings.Repeat("x", 64)}},
	} {
		if got := names(t, c.nodes, c.targets...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.nodes, got, c.want)
		}
	}
}
