package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// TestExportBackToTheSource: what came from another system's file is written as one while it
// fits, else every step and path that does not is named.
func TestExportBackToTheSource(t *testing.T) {
	w := newWorld(t, Options{})
	flow := `{"name": "Small", "nodes": [{"id": "in", "type": "input", "position": {"x": 0, "y": 0}, "data": {"label": "In"}},
		{"id": "a", "type": "agent", "position": {"x": 0, "y": 0}, "data": {"label": "A"}},
		{"id": "out", "type": "output", "position": {"x": 0, "y": 0}, "data": {"label": "Out"}}],
		"edges": [{"id": "e1", "source": "in", "target": "a"}, {"id": "e2", "source": "a", "target": "out"}]}`
	w.do("POST", "/api/v1/workflows/import?force=true&name=small.json", flow).want(200).is("agentzero", "format")
	exported := func(format string) *reply { return w.do("GET", "/api/v1/workflows/small/export?format="+format, nil) }
	for _, format := range []string{"source", "agentzero"} {
		file := exported(format).want(200).is("Small", "name").is("a", "nodes", 1, "id")
		if file.header.Get("Content-Disposition") != "attachment; filename=small.json" || file.header.Get("Stepgraph-Problems") != "" {
			t.Errorf("%v", file.header)
		}
	}
	exported("callcentre").problem("workflow_invalid").is("format", "errors", 0, "parameter")
	exported("visio").problem("request_invalid").is("format", "errors", 0, "parameter")
	w.do("GET", "/api/v1/workflows/talk/export?format=source", nil).problem("workflow_invalid")

	w.do("POST", "/api/v1/workflows/small/steps", map[string]any{"id": "more", "function": "say"}).want(201)
	exported("source").problem("workflow_invalid").is("more", "errors", 0, "step").is("does_not_fit", "errors", 0, "code")
	w.do("POST", "/api/v1/workflows/small/paths", map[string]any{"id": "mine", "source": "a", "target": "more", "condition": "x"}).want(201)
	exported("source").problem("workflow_invalid").is("mine", "errors", 0, "path").is("unknown_node", "errors", 0, "code")
}

func TestProblemsHeader(t *testing.T) {
	if got := problemsHeader(nil); got != "" {
		t.Errorf("got %q", got)
	}
	note := engine.Problem{Level: "warning", Step: "é😀\"\n", Code: "c", Message: "m"}
	var back []engine.Problem
	got := problemsHeader([]engine.Problem{note})
	if err := json.Unmarshal([]byte(got), &back); err != nil || len(back) != 1 || back[0] != note || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("got %s, %v", got, err)
	}
	got = problemsHeader(slices.Repeat([]engine.Problem{note}, 1000))
	if err := json.Unmarshal([]byte(got), &back); err != nil || len(got) > maxProblemsHeader+200 || back[len(back)-1].Code != "more" {
		t.Errorf("%d bytes, %v, last %+v", len(got), err, back[len(back)-1])
	}
}

// TestImportWithState: what comes with a file beside its graph becomes a session when it is
// asked for, once for each key.
func TestImportWithState(t *testing.T) {
	w := newWorld(t, Options{})
	flow := `{"version": "1.1.0", "nodes": [{"id": "a", "type": "llm", "position": {"x": 0, "y": 0}, "data": {"content": "hi"}}], "edges": [],
		"state": {"nodeResults": {"a": {"status": "completed", "output": "kept"}}}}`
	route := "/api/v1/workflows/import?force=true&name=flow.json"
	w.do("POST", route, flow).want(200).is("nebulaflow", "format").is(nil, "session")
	w.do("GET", "/api/v1/sessions?workflow=flow", nil).want(200).is("[]", "items")

	got := w.do("POST", route+"&with_state=true&workflow=kept", flow, "Idempotency-Key: once").want(200).is("kept", "workflows", 0, "workflow")
	session := got.str("session")
	w.do("POST", route+"&with_state=true&workflow=kept", flow, "Idempotency-Key: once").want(200).is(session, "session")
	w.do("GET", "/api/v1/sessions?workflow=kept", nil).want(200).is(session, "items", 0, "id")
	w.do("GET", "/api/v1/sessions/count?workflow=kept", nil).want(200).is(1, "total")
	w.do("GET", "/api/v1/sessions/"+session, nil).want(200).is("kept", "workflow")

	plain := w.do("POST", "/api/v1/workflows/import?force=true&name=plain.cypher&with_state=true", "CREATE (:STEP {id: 'root'})", "Content-Type: text/plain").want(200)
	plain.is(nil, "session")
}
