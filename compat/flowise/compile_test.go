package flowise_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

func TestCompile(t *testing.T) {
	file, err := flowise.Parse("small.json", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	w := &file.Workflows[0]
	reply := w.Step("directReplyAgentflow_0")
	if reply == nil || reply.Function != "template" || reply.Input != `{"template":{"@text":["Hi ","@{SESSION_ID}.question|"]},"say":true}` || reply.Name != "Say" ||
		reply.OnError != engine.OnErrorFailSession || *reply.X != 3 {
		t.Errorf("step %+v", reply)
	}
	if p := w.Path("e"); p == nil || p.Source != "startAgentflow_0" || p.Target != "directReplyAgentflow_0" || p.Extra["from_port"] != "startAgentflow_0-output-startAgentflow" {
		t.Errorf("path %+v", p)
	}
	if w.Step("stickyNoteAgentflow_0") != nil || w.Extra["source_format"] != flowise.Format || w.Extra["notes"] == nil {
		t.Errorf("sticky notes are steps, or are lost: %v", w.Extra)
	}
	if line := file.Lines[0].Steps["directReplyAgentflow_0"]; line != 3 {
		t.Errorf("line %d, want 3", line)
	}
}

// A chatflow row holds its document as text.
func TestChatflowRow(t *testing.T) {
	row := `{"id":"11111111-2222-3333-4444-555555555555","name":"My flow","type":"AGENTFLOW","flowData":"` + strings.NewReplacer("\n", "", `"`, `\"`).Replace(small) + `"}`
	if !flowise.Recognise("x.json", []byte(row)) {
		t.Error("not recognised")
	}
	file, err := flowise.Parse("x.json", []byte(row))
	if err != nil {
		t.Fatal(err)
	}
	if w := &file.Workflows[0]; w.ID != "11111111-2222-3333-4444-555555555555" || w.Name != "My flow" || w.Step("directReplyAgentflow_0") == nil {
		t.Errorf("workflow %s %q", w.ID, w.Name)
	}
}

// What is wrong is said at once, with its place.
func TestFaults(t *testing.T) {
	node := func(id, kind, more string) string {
		return `{"id":"` + id + `","data":{"name":"` + kind + `","inputParams":[],"inputs":{` + more + `}}}`
	}
	begin := node("s", "startAgentflow", `"startInputType":"chatInput"`)
	tests := map[string]struct {
		nodes []string
		edges string
		codes string
	}{
		"nothing":             {nil, ``, "no_nodes"},
		"unknown type":        {[]string{begin, node("x", "teleportAgentflow", "")}, `{"source":"s","target":"x"}`, "unknown_type"},
		"two of one id":       {[]string{begin, begin}, ``, "duplicate_node"},
		"id of a value":       {[]string{begin, node("question", "directReplyAgentflow", "")}, ``, "node_id"},
		"orphan":              {[]string{begin, node("a", "directReplyAgentflow", "")}, ``, "multiple_starts"},
		"no start":            {[]string{node("a", "directReplyAgentflow", "")}, ``, "start_input_type"},
		"circle":              {[]string{begin, node("a", "directReplyAgentflow", ""), node("b", "directReplyAgentflow", "")}, `{"source":"s","target":"a"},{"source":"a","target":"b"},{"source":"b","target":"a"}`, "cycle"},
		"lists that are none": {[]string{begin, node("c", "conditionAgentflow", `"conditions":"{bad"`)}, `{"source":"s","target":"c"}`, "bad_list"},
		"state that is none":  {[]string{node("s", "startAgentflow", `"startInputType":"chatInput","startState":"{bad"`)}, ``, "invalid_state"},
		"two faults": {[]string{begin, node("c", "conditionAgentflow", `"conditions":[{"type":"number","operation":"startsWith"}]`), node("l", "loopAgentflow", "")},
			`{"source":"s","target":"c"},{"source":"c","target":"l"}`, "unknown_operation loop_target"},
		"agent without tools": {[]string{begin, node("a", "agentAgentflow", `"agentModel":"x"`)}, `{"source":"s","target":"a"}`, "missing_tools"},
	}
	for name, test := range tests {
		_, err := flowise.Parse("f.json", []byte(`{"nodes":[`+strings.Join(test.nodes, ",")+`],"edges":[`+test.edges+`]}`))
		var faults *source.Faults
		if !errors.As(err, &faults) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var codes []string
		for _, f := range faults.List {
			codes = append(codes, f.Code)
		}
		if got := strings.Join(codes, " "); got != test.codes {
			t.Errorf("%s: %s, want %s", name, got, test.codes)
		}
		if !strings.HasPrefix(err.Error(), "f.json:1:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
