package compat_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// held answers when it is let go.
func held(let <-chan struct{}) models.Func {
	return func(ctx context.Context, q models.Request) (models.Response, error) {
		if q.Token != nil {
			q.Token("echo")
		}
		select {
		case <-let:
			return echo(ctx, q)
		case <-ctx.Done():
			return models.Response{}, ctx.Err()
		}
	}
}

var twoAgents = lineOf(nebulaNode("a", "llm", `{"content":"x"}`), nebulaNode("b", "llm", `{"content":"y ${1}"}`))

// Whatever is wrong with a message is said, and the connection stays.
func TestNebulaRubbish(t *testing.T) {
	s := newNebulaServer(t, echo)
	c := s.connect("")
	for message, want := range map[string]string{
		`{`:                           "no JSON object",
		`[1]`:                         "no JSON object",
		`{"type":7}`:                  "type: want a text, not number",
		`{"type":"format_disk"}`:      `no message "format_disk"`,
		`{"type":"execute_workflow"}`: "execute_workflow: data is missing",
		`{"type":"execute_workflow","data":{"nodes":{}}}`:                                                        "data.nodes: want a list, not object",
		`{"type":"execute_workflow","data":{"nodes":[]}}`:                                                        "want data.nodes and data.edges",
		`{"type":"execute_workflow","data":{"nodes":[{"id":"a","type":"llm","data":{}}],"edges":[]}}`:            "data.nodes.0.position",
		`{"type":"execute_workflow","data":{"nodes":[],"edges":[{"id":"e","source":"a"}]}}`:                      "data.edges.0.target is missing",
		`{"type":"execute_workflow","data":{"nodes":[],"edges":[],"resume":{"seeds":{"outputs":{"a":1}}}}}`:      "want a text, not number",
		`{"type":"save_workflow","data":{"nodes":[],"edges":[],"state":{"nodeResults":{"a":{"status":"odd"}}}}}`: "data.state.nodeResults.a",
		`{"type":"execute_node","data":{"inputs":[]}}`:                                                           "data.node is missing",
		`{"type":"node_approved","data":{}}`:                                                                     "data.nodeId is missing",
		`{"type":"node_approved","data":{"nodeId":"a"}}`:                                                         "no approval is waited for at node a",
		`{"type":"abort_workflow"}`:                                                                              "nothing runs",
		`{"type":"follow_execution","data":{"session":"no"}}`:                                                    "there is no session no",
		`{"type":"bridge:dialog_result","requestId":"9"}`:                                                        "nothing was asked",
		`{"type":"load_workflow","data":{"name":"none"}}`:                                                        "there is no flow none",
		`{"type":"get_subflow","data":{"id":"none"}}`:                                                            "Subflow not found: none",
		`{"type":"create_subflow","data":{"id":"x"}}`:                                                            "want id, title and version",
		`{"type":"delete_customNode","data":"none"}`:                                                             "there is no custom node none",
		`{"type":"open_external_link","url":"file:///etc/passwd"}`:                                               "only addresses",
	} {
		c.sayText(message)
		if e := c.next(); e.Type != "bridge:show_error" || !strings.Contains(e.Message, want) {
			t.Errorf("%s: got %s, want %s", message, e.raw, want)
		}
	}
	if err := c.ws.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"get_models"}`)); err != nil {
		t.Fatal(err)
	}
	if e := c.next(); e.Type != "bridge:show_error" {
		t.Errorf("got %s", e.raw)
	}
	c.say("get_models", nil)
	c.next().is(t, `{"type":"models_loaded","data":[{"id":"a/b","title":"a/b"}]}`)
}

// A flow that cannot run ends at once, with the reason.
func TestNebulaRefusedFlows(t *testing.T) {
	c := newNebulaServer(t, echo).connect("")
	for want, flow := range map[string]map[string]any{
		"unknown node type":  lineOf(nebulaNode("a", "teleport", `{}`)),
		"the edges go in a":  {"nodes": []json.RawMessage{nebulaNode("a", "preview", `{}`)}, "edges": []any{map[string]string{"id": "e", "source": "a", "target": "a"}}},
		"node zzz not found": {"nodes": []json.RawMessage{nebulaNode("a", "preview", `{}`)}, "edges": []any{}, "resume": map[string]any{"fromNodeId": "zzz"}},
	} {
		c.say("execute_workflow", flow)
		if e := c.next(); e.Type != "bridge:show_error" || !strings.Contains(e.Message, want) {
			t.Errorf("got %s, want %s", e.raw, want)
		}
		if e := c.next(); e.Type != "execution_completed" || e.Status != engine.StatusError {
			t.Errorf("got %s", e.raw)
		}
	}
}

func TestNebulaAbort(t *testing.T) {
	s := newNebulaServer(t, held(nil))
	c := s.connect("")
	c.say("execute_workflow", twoAgents)
	c.untilNode("a", "running")
	c.say("abort_workflow", nil)
	end := c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "interrupted a"})
	if end.StoppedAtNodeID != "a" || end.Status != engine.StatusCancelled {
		t.Errorf("got %s", end.raw)
	}
}

// Pausing lets what runs finish; going on with what completed is a new session, and the
// paused one is not left behind.
func TestNebulaPauseAndResume(t *testing.T) {
	let := make(chan struct{})
	s := newNebulaServer(t, held(let))
	c := s.connect("")
	c.say("execute_workflow", twoAgents)
	first := c.next().Session
	c.untilNode("a", "running")
	c.say("pause_workflow", nil)
	s.untilStatus(first, engine.StatusPaused)
	close(let)
	paused := c.until("execution_paused")
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: x"})
	if paused.StoppedAtNodeID != "a" {
		t.Errorf("got %s", paused.raw)
	}
	c.all = nil
	again := map[string]any{"nodes": twoAgents["nodes"], "edges": twoAgents["edges"],
		"resume": map[string]any{"seeds": map[string]any{"outputs": map[string]string{"a": "echo: x"}}}}
	c.say("execute_workflow", again)
	ends := map[string]nebulaEvent{}
	for len(ends) < 2 {
		e := c.until("execution_completed")
		ends[e.Session] = e
	}
	equalLines(t, c.nodes(), []string{"running b", "completed b echo: y echo: x"})
	if old := ends[first]; old.Status != engine.StatusCancelled {
		t.Errorf("the paused session ended as %s", old.raw)
	}
}

// Somebody may lift a pause elsewhere: the client is told that the session goes on.
func TestNebulaPauseLiftedElsewhere(t *testing.T) {
	let := make(chan struct{})
	s := newNebulaServer(t, held(let))
	c := s.connect("")
	c.say("execute_workflow", twoAgents)
	id := c.next().Session
	c.untilNode("a", "running")
	c.say("pause_workflow", nil)
	s.untilStatus(id, engine.StatusPaused)
	close(let)
	c.until("execution_paused")
	if _, err := s.e.Act(t.Context(), engine.Action{Session: id, Kind: engine.RequestResume}); err != nil {
		t.Fatal(err)
	}
	c.until("execution_started")
	c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: x", "running b", "completed b echo: y echo: x"})
}

// untilStatus waits until a session has a status.
func (s *nebulaServer) untilStatus(id, status string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	events, err := s.e.Subscribe(ctx, id, "")
	if err != nil {
		s.t.Fatal(err)
	}
	for ev := range events {
		switch d := ev.Data.(type) {
		case *engine.Session:
			if d.Status == status {
				return
			}
		case engine.StatusEvent:
			if d.Status == status {
				return
			}
		}
	}
	s.t.Fatalf("session %s never was %s", id, status)
}

// What is approved is shown with its values, quoted; an edit replaces the command and leaves
// the rest of the input.
func TestNebulaApprovals(t *testing.T) {
	c := newNebulaServer(t, echo).connect("")
	flow := lineOf(nebulaNode("in", "text-format", `{"content":"a b"}`), nebulaNode("v", "variable", `{"variableName":"w","content":"${1}"}`),
		nebulaNode("k", "cli", `{"content":"printf %s ${1}","needsUserApproval":true}`))
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

	script := lineOf(nebulaNode("in", "text-format", `{"content":"given"}`),
		nebulaNode("k", "cli", `{"mode":"script","content":"exit 3","stdin":{"source":"parents-all"},"needsUserApproval":true}`))
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
	c := newNebulaServer(t, model).connect("")
	c.say("execute_workflow", lineOf(nebulaNode("a", "llm", `{"content":"x","needsUserApproval":true}`)))
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
	var last nebulaEvent
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
	c := newNebulaServer(t, echo).connect("")
	c.say("create_subflow", map[string]any{"id": "", "title": "Up", "version": "1.0.0", "inputs": []any{map[string]any{"id": "i", "name": "i", "index": 0}},
		"outputs": []any{map[string]any{"id": "o", "name": "o", "index": 0}}, "graph": map[string]any{
			"nodes": []json.RawMessage{nebulaNode("si", "subflow-input", `{"portId":"i"}`), nebulaNode("k", "cli", `{"content":"printf %s ${1}","needsUserApproval":true}`),
				nebulaNode("so", "subflow-output", `{"portId":"o"}`)},
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
	c.say("execute_workflow", lineOf(nebulaNode("in", "text-format", `{"content":"hi"}`), nebulaNode("S", "subflow", `{"subflowId":"`+saved.Data.ID+`","inputPortCount":1,"outputPortCount":1}`)))
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
	c := newNebulaServer(t, held(let)).connect("")
	c.say("execute_workflow", lineOf(nebulaNode("k", "cli", `{"content":"printf 'one\\ntwo'","streamOutput":true}`), nebulaNode("a", "llm", `{"content":"x"}`)))
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

// A connection that is lost ends nothing; another one follows the session from its beginning.
func TestNebulaFollowsAgain(t *testing.T) {
	let := make(chan struct{})
	s := newNebulaServer(t, held(let))
	c := s.connect("")
	c.say("execute_workflow", lineOf(nebulaNode("k", "cli", `{"content":"echo 1"}`), nebulaNode("a", "llm", `{"content":"x"}`), nebulaNode("q", "cli", `{"content":"echo 2","needsUserApproval":true}`)))
	id := c.next().Session
	c.untilNode("a", "running")
	if err := c.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	again := s.connect("?session=" + id)
	if e := again.next(); e.Type != "execution_started" || e.Session != id {
		t.Errorf("got %s", e.raw)
	}
	again.untilNode("a", "running")
	close(let)
	again.untilNode("q", "pending_approval")
	third := s.connect("")
	third.say("follow_execution", map[string]string{"session": id})
	third.untilNode("q", "pending_approval")
	third.say("node_approved", map[string]string{"nodeId": "q"})
	want := []string{"running k", "completed k 1\n", "running a", "completed a echo: x", "running q", "pending_approval q", "completed q 2\n"}
	for _, client := range []*nebulaClient{again, third} {
		client.until("execution_completed")
		equalLines(t, client.nodes(), want)
	}
	late := s.connect("?session=" + id)
	if end := late.until("execution_completed"); end.StoppedAtNodeID != "q" || end.Status != engine.StatusComplete {
		t.Errorf("got %s", end.raw)
	}
	equalLines(t, late.nodes(), []string{"running k", "completed k 1\n", "running a", "completed a echo: x", "running q", "completed q 2\n"})
}

// Two clients see their own sessions, and an approval is given once.
func TestNebulaTwoClients(t *testing.T) {
	s := newNebulaServer(t, echo)
	one, two := s.connect(""), s.connect("")
	flow := lineOf(nebulaNode("k", "cli", `{"content":"echo 1","needsUserApproval":true}`))
	one.say("execute_workflow", flow)
	id := one.untilNode("k", "pending_approval").Session
	two.say("abort_workflow", nil)
	two.until("bridge:show_error")
	two.say("follow_execution", map[string]string{"session": id})
	two.untilNode("k", "pending_approval")
	one.say("node_approved", map[string]string{"nodeId": "k"})
	one.until("execution_completed")
	two.until("execution_completed")
	two.say("node_rejected", map[string]string{"nodeId": "k"})
	if e := two.until("bridge:show_error"); !strings.Contains(e.Message, "no approval") {
		t.Errorf("got %s", e.raw)
	}
	two.say("execute_workflow", lineOf(nebulaNode("t", "text-format", `{"content":"mine"}`)))
	two.until("execution_completed")
	one.say("calculate_tokens", map[string]string{"text": "a😀", "nodeId": "t"})
	if e := one.next(); e.Type != "token_count" || e.Data.Count != 3 {
		t.Errorf("got %s", e.raw)
	}
}

// Flows are saved and loaded under a name, which a webview asks for by a dialog.
func TestNebulaFiles(t *testing.T) {
	s := newNebulaServer(t, echo)
	c := s.connect("")
	flow := lineOf(nebulaNode("a", "text-format", `{"content":"hi","result":"hi"}`), nebulaNode("b", "preview", `{}`))
	flow["state"] = map[string]any{"nodeResults": map[string]any{"a": map[string]string{"status": "completed", "output": "hi"}}}
	c.say("load_last_workflow", nil)
	c.say("save_workflow", flow)
	dialog := c.next()
	if dialog.Type != "bridge:show_save_dialog" || dialog.RequestID == "" {
		t.Fatalf("got %s", dialog.raw)
	}
	c.sayText(`{"type":"bridge:dialog_result","requestId":"` + dialog.RequestID + `","path":"/home/me/My Flow.json"}`)
	c.next().is(t, `{"type":"workflow_saved","data":{"path":"my-flow.json"}}`)

	other := s.connect("")
	other.say("load_workflow", nil)
	dialog = other.next()
	other.sayText(`{"type":"bridge:dialog_result","requestId":"` + dialog.RequestID + `","paths":["my-flow.json"]}`)
	var loaded struct {
		Data struct {
			Nodes []struct{ ID string }
			Edges []struct{ Source string }
			State json.RawMessage
		}
	}
	if err := json.Unmarshal(other.until("workflow_loaded").raw, &loaded); err != nil || len(loaded.Data.Nodes) != 2 || len(loaded.Data.Edges) != 1 ||
		!strings.Contains(string(loaded.Data.State), `"hi"`) {
		t.Errorf("got %s, %v", other.seen(), err)
	}
	other.say("load_last_workflow", nil)
	other.until("workflow_loaded")

	// the saved flow runs as itself, another one beside it
	other.say("execute_workflow", flow)
	if got := s.workflowOf(other.until("execution_completed").Session); got != "my-flow" {
		t.Errorf("runs as %s", got)
	}
	other.say("execute_workflow", lineOf(nebulaNode("a", "text-format", `{"content":"other"}`)))
	if got := s.workflowOf(other.until("execution_completed").Session); !strings.HasPrefix(got, "my-flow-run-") {
		t.Errorf("runs as %s", got)
	}

	c.say("save_workflow", map[string]any{"name": "draft", "nodes": []json.RawMessage{nebulaNode("k", "cli", `{}`)}, "edges": []any{}})
	c.until("workflow_saved")
	c.say("load_workflow", map[string]string{"name": "draft"})
	c.until("workflow_loaded")
	if _, err := s.e.PutWorkflow(t.Context(), &engine.Workflow{ID: "native", Steps: []engine.Step{{ID: "root"}}}, ""); err != nil {
		t.Fatal(err)
	}
	c.say("save_workflow", map[string]any{"name": "native", "nodes": []any{}, "edges": []any{}})
	if e := c.until("workflow_save_failed"); e.Data.Status != "" || !strings.Contains(string(e.raw), "no flow of NebulaFlow") {
		t.Errorf("got %s", e.raw)
	}
	c.say("save_workflow", flow)
	dialog = c.next()
	c.sayText(`{"type":"bridge:dialog_result","requestId":"` + dialog.RequestID + `","cancelled":true}`)
	if e := c.until("workflow_save_failed"); !strings.Contains(string(e.raw), "cancelled") {
		t.Errorf("got %s", e.raw)
	}
}

func (s *nebulaServer) workflowOf(id string) string {
	s.t.Helper()
	session, err := s.e.Session(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return session.Workflow
}

func TestNebulaLibrary(t *testing.T) {
	c := newNebulaServer(t, echo).connect("")
	titles := func() (out []string) {
		var nodes struct {
			Data []struct {
				ID   string
				Data struct{ Title string }
			}
		}
		if err := json.Unmarshal(c.until("provide_custom_nodes").raw, &nodes); err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes.Data {
			out = append(out, n.ID+" "+n.Data.Title)
		}
		return out
	}
	c.say("save_customNode", nebulaNode("x", "cli", `{"title":"Count it","content":"wc"}`))
	equalLines(t, titles(), []string{"custom:Count_it Count it"})
	c.say("rename_customNode", map[string]string{"oldNodeTitle": "Count it", "newNodeTitle": "Words"})
	equalLines(t, titles(), []string{"custom:Words Words"})
	c.say("get_custom_nodes", nil)
	equalLines(t, titles(), []string{"custom:Words Words"})
	if e := c.next(); e.Type != "storage_scope" {
		t.Errorf("got %s", e.raw)
	}
	c.say("delete_customNode", "Words")
	equalLines(t, titles(), nil)
	c.say("copy_selection", lineOf(nebulaNode("a", "preview", `{}`)))
	c.say("paste_selection", nil)
	if e := c.next(); e.Type != "clipboard_paste" || !strings.Contains(string(e.raw), "preview") {
		t.Errorf("got %s", e.raw)
	}
}

// One can talk to an llm node: the text is the prompt as it is.
func TestNebulaChat(t *testing.T) {
	c := newNebulaServer(t, echo).connect("")
	c.say("llm_node_chat", map[string]any{"node": nebulaNode("a", "llm", `{"content":"ignored"}`), "threadID": "T1", "message": "what is ${1}?"})
	c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: what is ${1}?"})
	for _, e := range c.all {
		if e.Type == "node_assistant_content" && (e.Data.Mode != "single-node" || e.Data.ThreadID != "T1") {
			t.Errorf("got %s", e.raw)
		}
	}
}

// A page of another origin is refused; a client without Origin is not.
func TestNebulaOrigins(t *testing.T) {
	s := newNebulaServer(t, echo)
	if got := s.noWebSocket(http.Header{"Origin": {"https://evil.example"}}); got != http.StatusForbidden {
		t.Errorf("status %d", got)
	}
	ws, _, err := websocket.Dial(t.Context(), s.url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {strings.TrimSuffix(s.url, "/api/compat/nebulaflow")}}})
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.CloseNow()
}

// A message beyond the limit ends the connection, and the server's end does so with a word.
func TestNebulaEndsOfConnections(t *testing.T) {
	s := newNebulaServer(t, echo)
	c := s.connect("")
	// the server may have closed before all is written, and the close frame be lost with the rest
	_ = c.ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"get_models","data":"`+strings.Repeat("x", 5<<20)+`"}`))
	if _, text, err := c.ws.Read(t.Context()); err == nil || websocket.CloseStatus(err) != -1 && websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("got %s, %v", text, err)
	}
	c = s.connect("")
	c.say("get_models", nil)
	c.until("models_loaded")
	s.stop()
	_, _, err := c.ws.Read(t.Context())
	var end websocket.CloseError
	if !errors.As(err, &end) || end.Code != websocket.StatusGoingAway || end.Reason == "" {
		t.Errorf("got %v", err)
	}
}
