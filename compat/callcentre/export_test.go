package callcentre_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

func TestExportGivesTheFileBack(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "callcentre"), "*.graph.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no graphs")
	}
	for _, file := range files {
		text, problems, err := callcentre.Export(parse(t, file, nil))
		if err != nil || len(problems) > 0 || !sameJSON(t, text, fixtures.Text(t, file)) {
			t.Errorf("%s: %v, %v\n%s", file, err, problems, text)
		}
	}
}

// small is a graph with everything that is kept and does nothing.
const small = `{"workflowId": "w", "nodes": [
	{"id": "note", "type": "noteNode", "position": {"x": 1, "y": 2}, "data": {"text": "hello"}},
	{"id": "r", "type": "routerNode", "data": {"agentName": "R", "intents": ["A"]}},
	{"id": "t", "type": "subAgentNode", "data": {"functionName": "f"}},
	{"id": "i", "type": "integrationNode", "data": {"integrationType": "rest", "url": "http://127.0.0.1/a"}},
	{"id": "j", "type": "integrationNode", "data": {"mockOutput": "{}"}}],
	"edges": [{"id": "1", "source": "r", "target": "note"}, {"id": "2", "source": "r", "target": "t", "sourceHandle": "intent-B"},
	{"id": "3", "source": "t", "target": "i"}, {"id": "4", "source": "t", "target": "j"}, {"id": "5", "source": "i", "target": "r"}]}`

func TestWarningsAndCanvas(t *testing.T) {
	f, err := callcentre.Parse("s.json", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range f.Notes {
		got = append(got, n.Code+" "+n.Path)
		if n.Level != "warning" || n.Line == 0 {
			t.Errorf("got %+v", n)
		}
	}
	if strings.Join(got, ", ") != "connection 1, handle 2, connection 5, second_integration 4" {
		t.Errorf("got %q", got)
	}
	w := &f.Workflows[0]
	if w.Step("note") != nil || w.Step("j") == nil || len(toolPaths(w, "t")) != 1 {
		t.Error("the note is a step, or the second integration is none, or it is offered")
	}
	text, problems, err := callcentre.Export(w)
	if err != nil || len(problems) > 0 || !sameJSON(t, text, []byte(small)) {
		t.Errorf("%v, %v\n%s", err, problems, text)
	}
}

func TestExportTakesEdits(t *testing.T) {
	f, err := callcentre.Parse("s.json", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	w := &f.Workflows[0]
	w.Step("i").Input = strings.Replace(w.Step("i").Input, "/a", "/b?x=<1>", 1)
	w.Step("r").Name = "Desk"
	text, problems, err := callcentre.Export(w)
	if err != nil || len(problems) > 0 || !strings.Contains(string(text), `"http://127.0.0.1/b?x=<1>"`) || !strings.Contains(string(text), `"label": "Desk"`) {
		t.Errorf("%v, %v\n%s", err, problems, text)
	}
	w.Step("r").Function = "generate"
	if _, problems, _ = callcentre.Export(w); len(problems) != 1 || problems[0].Step != "r" {
		t.Errorf("got %v", problems)
	}
	if _, _, err := callcentre.Export(&engine.Workflow{ID: "x"}); err == nil {
		t.Error("a workflow of our own is not a graph")
	}
}

func TestFaults(t *testing.T) {
	_, err := callcentre.Parse("f.json", []byte(`{"nodes": [
		{"id": "a", "type": "departmentNode", "data": {}}, {"id": "b", "type": "DEPARTMENT", "data": {}},
		{"id": "b", "type": "robot", "data": {}}, {"id": "", "type": "subAgentNode", "data": {"parameters": [{"name": "x"}, {"name": "x"}, {}]}},
		{"id": "root", "type": "integrationNode", "data": {}}],
		"edges": [{"id": "1", "source": "a", "target": "b"}, {"id": "2", "source": "b", "target": "a"}, {"id": "3", "source": "a", "target": "a"}, {"id": "4", "source": "a", "target": "ghost"}]}`))
	for _, code := range []string{"router_count", "cycle", "duplicate_node", "node_type", "node_id", "parameter_name", "reserved_id", "self_loop", "unknown_node"} {
		if err == nil || !strings.Contains(err.Error(), "("+code+")") {
			t.Errorf("no %s in %v", code, err)
		}
	}
	if _, err := callcentre.Parse("f.json", []byte(`{"nodes": 1}`)); err == nil || !strings.HasPrefix(err.Error(), "f.json:1:") {
		t.Errorf("got %v", err)
	}
	if callcentre.Recognise("x.json", []byte(`{"nodes": [{"type": "agent"}], "edges": []}`)) {
		t.Error("anything is a call-centre graph")
	}
}

// A file that is laid out anew changes nothing.
func TestLayoutIsNoChange(t *testing.T) {
	w := load(t, small)
	again, _, err := callcentre.Export(w)
	if err != nil {
		t.Fatal(err)
	}
	if got := load(t, string(again)); !reflect.DeepEqual(got, w) {
		t.Errorf("got %+v\nwant %+v", got, w)
	}
}
