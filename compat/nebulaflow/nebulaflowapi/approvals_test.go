package nebulaflowapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// What is approved is shown with its values, quoted; an edit replaces the command and leaves
// the rest of the input.
func TestNebulaApprovals(t *testing.T) {
	c := newServer(t, echo).connect("")
	flow := lineOf(flowNode("in", "text-format", `{"content":"a b"}`), flowNode("v", "variable", `{"variableName":"w","content":"${1}"}`),
		flowNode("k", "cli", `{"content":"printf %s ${1}","needsUserApproval":true}`))
	c.say("execute_workflow", flow)
	if asked := c.untilNode("k", "pending_approval"); *asked.Data.Result != "printf %s 'a b'" {
		t.Errorf("asks for %q", *asked.Data.Result)
	}
	c.say("node_approved", map[string]string{"nodeId": "in"})
	c.until("bridge:show_error")
	c.say("node_approved", map[string]string{"nodeId": "k", "modifiedCommand": "printf %s 'a b'"})
	if got := c.untilNode("k", "completed"); *got.Data.Result != "a b" {
		t.Errorf("gives %q", *got.Data.Result)
	}
	c.until("execution_completed")

	script := lineOf(flowNode("in", "text-format", `{"content":"given"}`),
		flowNode("k", "cli", `{"mode":"script","content":"exit 3","stdin":{"source":"parents-all"},"needsUserApproval":true}`))
	c.say("execute_workflow", script)
	c.untilNode("k", "pending_approval")
	c.say("node_approved", map[string]string{"nodeId": "k", "modifiedCommand": "tr a-z A-Z"})
	if got := c.untilNode("k", "completed"); *got.Data.Result != "GIVEN" {
		t.Errorf("gives %q", *got.Data.Result)
	}
	c.until("execution_completed")

	c.say("execute_workflow", script)
	c.untilNode("k", "pending_approval")
	c.say("node_rejected", map[string]string{"nodeId": "k", "reason": "too loud"})
	if got := c.untilNode("k", "error"); *got.Data.Result != "Rejected: too loud" {
		t.Errorf("gives %q", *got.Data.Result)
	}
	if end := c.until("execution_completed"); end.Status != engine.StatusError || end.StoppedAtNodeID != "in" {
		t.Errorf("got %s", end.raw)
	}
}

// An agent's tools wait for a person at the agent; what it says and does is its timeline.
func TestNebulaAgentTools(t *testing.T) {
	model := func(ctx context.Context, q models.Request) (models.Response, error) {
		if q.Messages[len(q.Messages)-1].Role != models.RoleUser {
			return models.Response{Text: "done", FinishReason: models.FinishStop}, nil
		}
		return models.Response{Text: "let me look", FinishReason: models.FinishToolCalls, ToolCalls: []models.ToolCall{
			{ID: "c1", Name: "bash", Arguments: json.RawMessage(`{"command":"echo one"}`)},
			{ID: "c2", Name: "bash", Arguments: json.RawMessage(`{"command":"echo two"}`)}}}, nil
	}
	c := newServer(t, model).connect("")
	c.say("execute_workflow", lineOf(flowNode("a", "llm", `{"content":"x","needsUserApproval":true}`)))
	asked := c.untilNode("a", "pending_approval")
	if !strings.Contains(*asked.Data.Result, "bash") || !strings.Contains(*asked.Data.Result, "echo one") {
		t.Errorf("asks for %q", *asked.Data.Result)
	}
	c.say("node_approved", map[string]string{"nodeId": "a", "modifiedCommand": "echo three"})
	if e := c.until("bridge:show_error"); !strings.Contains(e.Message, "not changed") {
		t.Errorf("got %s", e.raw)
	}
	c.say("node_approved", map[string]string{"nodeId": "a"})
	c.untilNode("a", "pending_approval")
	c.say("node_rejected", map[string]string{"nodeId": "a"})
	c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "pending_approval a", "pending_approval a", "completed a done"})
	var last runEvent
	for _, e := range c.all {
		if e.Type == "node_assistant_content" {
			last = e
		}
	}
	var kinds []string
	for _, item := range last.Data.Content {
		kinds = append(kinds, strings.TrimSpace(item.Type+" "+item.Text+item.Name+item.ToolUseID))
	}
	equalLines(t, kinds, []string{"text let me look", "tool_use bash", "tool_use bash", "tool_result c1", "tool_result c2", "text done"})
	if last.Data.Mode != "workflow" || !strings.Contains(string(last.raw), "one") {
		t.Errorf("got %s", last.raw)
	}
}

// What a subflow does is told beside the progress of its node, approvals inside it at both.
func TestNebulaSubflows(t *testing.T) {
	c := newServer(t, echo).connect("")
	c.say("create_subflow", map[string]any{"id": "", "title": "Up", "version": "1.0.0", "inputs": []any{map[string]any{"id": "i", "name": "i", "index": 0}},
		"outputs": []any{map[string]any{"id": "o", "name": "o", "index": 0}}, "graph": map[string]any{
			"nodes": []json.RawMessage{flowNode("si", "subflow-input", `{"portId":"i"}`), flowNode("k", "cli", `{"content":"printf %s ${1}","needsUserApproval":true}`),
				flowNode("so", "subflow-output", `{"portId":"o"}`)},
			"edges": []any{map[string]string{"id": "1", "source": "si", "target": "k"}, map[string]string{"id": "2", "source": "k", "target": "so"}}}})
	var saved struct{ Data struct{ ID string } }
	if err := json.Unmarshal(c.until("subflow_saved").raw, &saved); err != nil || len(saved.Data.ID) != 32 {
		t.Fatalf("got %+v, %v", saved, err)
	}
	c.say("get_subflows", nil)
	c.next().is(t, `{"type":"provide_subflows","data":[{"id":"`+saved.Data.ID+`","title":"Up","version":"1.0.0"}]}`)
	c.say("duplicate_subflow", map[string]string{"id": saved.Data.ID, "nodeId": "S"})
	if e := c.next(); e.Type != "subflow_copied" || strings.Contains(string(e.raw), `"newId":""`) {
		t.Errorf("got %s", e.raw)
	}
	c.say("execute_workflow", lineOf(flowNode("in", "text-format", `{"content":"hi"}`), flowNode("S", "subflow", `{"subflowId":"`+saved.Data.ID+`","inputPortCount":1,"outputPortCount":1}`)))
	for {
		if e := c.until("subflow_node_execution_status"); e.Data.Payload.Status == "pending_approval" && e.Data.Payload.NodeID == "k" {
			break
		}
	}
	if e := c.untilNode("S", "pending_approval"); *e.Data.Result != "printf %s hi" {
		t.Errorf("got %s", e.raw)
	}
	c.say("node_approved", map[string]string{"nodeId": "S"})
	end := c.until("execution_completed")
	if end.Status != engine.StatusComplete {
		t.Errorf("got %s", c.seen())
	}
	equalLines(t, c.nodes(), []string{"running in", "completed in hi", "running S", "pending_approval S", "completed S hi"})
	var inner, progress []string
	for _, e := range c.all {
		if e.Type == "subflow_node_execution_status" {
			inner = append(inner, e.Data.Payload.Status+" "+e.Data.Payload.NodeID)
		}
		if e.Data.NodeID == "S" && e.Data.Status == "running" && e.Data.Result != nil {
			progress = append(progress, *e.Data.Result)
		}
	}
	equalLines(t, inner, []string{"running si", "completed si", "running k", "pending_approval k", "completed k", "running so", "completed so"})
	equalLines(t, progress, []string{"0/1", "1/1"})
}

// What a model and a command say is told while they say it.
func TestNebulaStreams(t *testing.T) {
	let := make(chan struct{})
	c := newServer(t, held(let)).connect("")
	c.say("execute_workflow", lineOf(flowNode("k", "cli", `{"content":"printf 'one\\ntwo'","streamOutput":true}`), flowNode("a", "llm", `{"content":"x"}`)))
	said := c.until("node_assistant_content")
	if said.Data.NodeID != "a" || len(said.Data.Content) != 1 || said.Data.Content[0].Text != "echo" {
		t.Errorf("got %s", said.raw)
	}
	close(let)
	c.until("execution_completed")
	var chunks []string
	for _, e := range c.all {
		if e.Type == "node_output_chunk" {
			chunks = append(chunks, e.Data.NodeID+" "+e.Data.Stream+" "+e.Data.Chunk)
		}
	}
	equalLines(t, chunks, []string{"k stdout one", "k stdout two"})
}
