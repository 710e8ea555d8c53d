package nebulaflowapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// drawn is a workflow in a line a node, "id type content" or "id type {data}", and a line an
// edge, "source:handle -> target:handle".
func drawn(lines ...string) map[string]any {
	nodes, edges := []json.RawMessage{}, []any{}
	for _, line := range lines {
		if from, to, ok := strings.Cut(line, " -> "); ok {
			source, sourceHandle, _ := strings.Cut(from, ":")
			target, targetHandle, _ := strings.Cut(to, ":")
			edges = append(edges, map[string]any{"id": line, "source": source, "sourceHandle": sourceHandle, "target": target, "targetHandle": targetHandle})
			continue
		}
		part := append(strings.SplitN(line, " ", 3), "")
		data := part[2]
		if !strings.HasPrefix(data, "{") {
			text, _ := json.Marshal(map[string]string{"content": data})
			data = string(text)
		}
		nodes = append(nodes, flowNode(part[0], part[1], data))
	}
	return map[string]any{"nodes": nodes, "edges": edges}
}

// drawnSubflow is a subflow with an input port p and an output port o.
func drawnSubflow(id string, lines ...string) map[string]any {
	port := func(id string) []any { return []any{map[string]any{"id": id, "name": id, "index": 0}} }
	return map[string]any{"id": id, "title": id, "version": "1.0.0", "inputs": port("p"), "outputs": port("o"), "graph": drawn(lines...)}
}

// An approval in a loop is asked for in each round, with the values of that round.
func TestNebulaApprovalsInLoops(t *testing.T) {
	c := newServer(t, echo).connect("")
	c.say("execute_workflow", drawn(`L loop-start {"iterations":2}`, `k cli {"content":"echo ${i}","needsUserApproval":true}`, "Z loop-end", "L -> k", "k -> Z"))
	for _, want := range []string{"echo 0", "echo 1"} {
		if asked := c.untilNode("k", "pending_approval"); *asked.Data.Result != want {
			t.Errorf("asks for %q, want %q", *asked.Data.Result, want)
		}
		c.say("node_approved", map[string]string{"nodeId": "k"})
	}
	c.until("execution_completed")
	round := func(n string) []string {
		return []string{"running L", "completed L ", "running k", "pending_approval k", "completed k " + n + "\n", "running Z", "completed Z " + n + "\n"}
	}
	equalLines(t, c.nodes(), append(round("0"), round("1")...))
}

// One subflow runs at two places, once inside another: each approval is shown at all nodes
// around it, and what a person says of one is not said of the other.
func TestNebulaNestedSubflows(t *testing.T) {
	c := newServer(t, echo).connect("")
	c.say("create_subflow", drawnSubflow("inner", `i subflow-input {"portId":"p"}`, `k cli {"content":"printf %s ${1}","needsUserApproval":true}`, `o subflow-output {"portId":"o"}`, "i -> k", "k -> o"))
	c.until("subflow_saved")
	c.say("create_subflow", drawnSubflow("outer", `i subflow-input {"portId":"p"}`, `S subflow {"subflowId":"inner"}`, `o subflow-output {"portId":"o"}`, "i -> S", "S -> o"))
	c.until("subflow_saved")
	c.say("execute_workflow", drawn("a text-format hi", `A subflow {"subflowId":"outer"}`, `B subflow {"subflowId":"inner"}`, "a -> A", "A -> B"))
	c.untilNode("A", "pending_approval")
	c.say("node_approved", map[string]string{"nodeId": "k", "modifiedCommand": "printf edited"})
	if asked := c.untilNode("B", "pending_approval"); *asked.Data.Result != "printf %s edited" {
		t.Errorf("got %s", asked.raw)
	}
	c.say("node_rejected", map[string]string{"nodeId": "B"})
	if end := c.until("execution_completed"); end.Status != engine.StatusError || end.StoppedAtNodeID != "A" {
		t.Errorf("got %s", end.raw)
	}
	equalLines(t, c.nodes(), []string{"running a", "completed a hi", "running A", "pending_approval A", "completed A edited", "running B", "pending_approval B", "error B"})
}

// What fails is told in NebulaFlow's words where it has some, at the node and at the end.
func TestNebulaFailures(t *testing.T) {
	c := newServer(t, echo).connect("")
	for want, flow := range map[string]map[string]any{
		"LLM Node requires a non-empty prompt": drawn("x llm ${1}"),
		"Subflow not found: gone":              drawn(`x subflow {"subflowId":"gone"}`),
		"Command cannot be executed":           drawn("x cli rm none"),
		"Rejected":                             drawn(`x cli {"content":"true","needsUserApproval":true}`),
	} {
		c.all = nil
		c.say("execute_workflow", flow)
		if want == "Rejected" {
			c.untilNode("x", "pending_approval")
			c.say("node_rejected", map[string]string{"nodeId": "x"})
		}
		end := c.until("execution_completed")
		if failed := c.all[len(c.all)-2]; failed.Data.Result == nil || *failed.Data.Result != want || end.Error != want {
			t.Errorf("got %s and %s, want %s", failed.raw, end.raw, want)
		}
		for _, e := range c.all {
			if e.Type == "bridge:show_error" {
				t.Errorf("told twice: %s", e.raw)
			}
		}
	}
}

// A node that a person runs alone runs, whatever part it takes in its flow.
func TestNebulaAloneThoughSwitchedOff(t *testing.T) {
	c := newServer(t, echo).connect("")
	for _, data := range []string{`{"content":"x","active":false}`, `{"content":"x","bypass":true}`} {
		c.all = nil
		c.say("execute_node", map[string]any{"node": flowNode("a", "llm", data)})
		c.until("execution_completed")
		equalLines(t, c.nodes(), []string{"running a", "completed a echo: x"})
	}
}

// A run is paused once nothing runs in its subflows either; lifted, it goes on inside them.
func TestNebulaPausesInSubflows(t *testing.T) {
	let := make(chan struct{})
	s := newServer(t, held(let))
	c := s.connect("")
	c.say("create_subflow", drawnSubflow("inner", `i subflow-input {"portId":"p"}`, "x llm x", "y llm y", `o subflow-output {"portId":"o"}`, "i -> x", "x -> y", "y -> o"))
	c.until("subflow_saved")
	c.say("execute_workflow", drawn(`A subflow {"subflowId":"inner"}`, `k cli {"content":"true","needsUserApproval":true}`, "A -> k"))
	id := c.untilInside("x", "running").Session
	c.say("pause_workflow", nil)
	s.untilStatus(id, engine.StatusPaused)
	close(let)
	c.untilInside("x", "completed")
	c.until("execution_paused")
	if _, err := s.e.Act(t.Context(), engine.Action{Session: id, Kind: engine.RequestResume}); err != nil {
		t.Fatal(err)
	}
	c.untilInside("y", "completed")
	c.untilNode("k", "pending_approval")
	c.say("pause_workflow", nil)
	c.until("execution_paused")
	c.say("abort_workflow", nil)
	c.until("execution_completed")
}

// A subflow that waits for a person is at rest: a pause is told at once.
func TestNebulaPausesWhileASubflowAsks(t *testing.T) {
	c := newServer(t, echo).connect("")
	c.say("create_subflow", drawnSubflow("inner", `i subflow-input {"portId":"p"}`, `k cli {"content":"true","needsUserApproval":true}`, `o subflow-output {"portId":"o"}`, "i -> k", "k -> o"))
	c.until("subflow_saved")
	c.say("create_subflow", drawnSubflow("outer", `i subflow-input {"portId":"p"}`, `S subflow {"subflowId":"inner"}`, `o subflow-output {"portId":"o"}`, "i -> S", "S -> o"))
	c.until("subflow_saved")
	c.say("execute_workflow", drawn(`A subflow {"subflowId":"outer"}`))
	c.untilNode("A", "pending_approval")
	c.say("pause_workflow", nil)
	c.until("execution_paused")
	c.say("abort_workflow", nil)
	if end := c.until("execution_completed"); end.Status != engine.StatusCancelled {
		t.Errorf("got %s", end.raw)
	}
}

// untilInside reads up to what is told of a node of a subflow.
func (c *client) untilInside(id, status string) runEvent {
	c.t.Helper()
	for {
		if e := c.until("subflow_node_execution_status"); e.Data.Payload.NodeID == id && e.Data.Payload.Status == status {
			return e
		}
	}
}
