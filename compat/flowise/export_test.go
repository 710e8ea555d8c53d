package flowise_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// Every recorded flow and every template comes back as it was: the same nodes and edges.
func TestExportGivesTheDocumentBack(t *testing.T) {
	tried := 0
	try := func(name string, document []byte) {
		file, err := flowise.Parse(name, document)
		if err != nil {
			return // refused, which other tests look at
		}
		tried++
		back, problems, err := flowise.Export(&file.Workflows[0])
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", name, err, problems)
			return
		}
		if was, is := nodesAndEdges(t, document), nodesAndEdges(t, back); !reflect.DeepEqual(was, is) {
			t.Errorf("%s: nodes and edges have changed", name)
		}
	}
	folder := fixtures.Folder(t, "flowise")
	recorded, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, path := range recorded {
		var trace struct{ Flow json.RawMessage }
		fixtures.Read(t, path, &trace)
		if len(trace.Flow) > 0 && trace.Flow[0] == '{' {
			try(filepath.Base(path), trace.Flow)
		}
	}
	templates, _ := filepath.Glob(filepath.Join(folder, "templates", "*.json"))
	for _, path := range templates {
		try(filepath.Base(path), fixtures.Text(t, path))
	}
	if tried < 50 {
		t.Errorf("only %d documents were tried", tried)
	}
}

// nodesAndEdges are those of a document by id; the order of nodes means nothing.
func nodesAndEdges(t *testing.T, document []byte) map[string]any {
	t.Helper()
	var d struct{ Nodes, Edges []any }
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, n := range d.Nodes {
		out["node "+n.(map[string]any)["id"].(string)] = n
	}
	var edges []any
	for _, e := range d.Edges {
		if !strings.Contains(e.(map[string]any)["target"].(string), "ghost") { // leads nowhere, and is not kept
			edges = append(edges, e)
		}
	}
	out["edges"] = edges
	return out
}

const small = `{"viewport":{"x":1},"nodes":[
 {"id":"startAgentflow_0","type":"agentFlow","position":{"x":1,"y":2},"data":{"name":"startAgentflow","label":"Start","inputs":{"startInputType":"chatInput"}}},
 {"id":"directReplyAgentflow_0","type":"agentFlow","position":{"x":3,"y":4},"data":{"name":"directReplyAgentflow","label":"Say","inputParams":[{"name":"directReplyMessage","acceptVariable":true}],"inputs":{"directReplyMessage":"<p>Hi {{question}}</p>"}}},
 {"id":"stickyNoteAgentflow_0","type":"stickyNote","data":{"name":"stickyNoteAgentflow","inputs":{"note":"n"}}}],
 "edges":[{"id":"e","source":"startAgentflow_0","target":"directReplyAgentflow_0","sourceHandle":"startAgentflow_0-output-startAgentflow","targetHandle":"directReplyAgentflow_0"}]}`

func TestExportNamesWhatDoesNotFit(t *testing.T) {
	file, err := flowise.Parse("small.json", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	w := &file.Workflows[0]
	w.Step("directReplyAgentflow_0").Name = "Answer"
	x := 7.5
	w.Step("directReplyAgentflow_0").X = &x
	text, problems, err := flowise.Export(w)
	if err != nil || len(problems) > 0 || !strings.Contains(string(text), `"label": "Answer"`) || !strings.Contains(string(text), "7.5") || !strings.Contains(string(text), "viewport") {
		t.Errorf("renamed and moved: %v %v\n%s", err, problems, text)
	}
	w.Step("directReplyAgentflow_0").Function = "reply"
	w.Steps = append(w.Steps, engine.Step{ID: "mine", Function: "template", Input: `{"template":"x"}`})
	_, problems, err = flowise.Export(w)
	if err != nil || len(problems) != 2 {
		t.Errorf("a changed function and a step of our own: %v %v", err, problems)
	}
	if _, _, err := flowise.Export(&engine.Workflow{ID: "other"}); err == nil {
		t.Error("a workflow of another format was written")
	}
}
