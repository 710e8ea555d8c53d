package nebulaflowapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// Flows are saved and loaded under a name, which a webview asks for by a dialog.
func TestNebulaFiles(t *testing.T) {
	s := newServer(t, echo)
	c := s.connect("")
	flow := lineOf(flowNode("a", "text-format", `{"content":"hi","result":"hi"}`), flowNode("b", "preview", `{}`))
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
	other.say("execute_workflow", lineOf(flowNode("a", "text-format", `{"content":"other"}`)))
	if got := s.workflowOf(other.until("execution_completed").Session); !strings.HasPrefix(got, "my-flow-run-") {
		t.Errorf("runs as %s", got)
	}

	c.say("save_workflow", map[string]any{"name": "draft", "nodes": []json.RawMessage{flowNode("k", "cli", `{}`)}, "edges": []any{}})
	c.until("workflow_saved")
	c.say("load_workflow", map[string]string{"name": "draft"})
	c.until("workflow_loaded")
	if _, err := s.e.PutWorkflow(t.Context(), &engine.Workflow{ID: "native", Steps: []engine.Step{{ID: "root"}}}, ""); err != nil {
		t.Fatal(err)
	}
	c.say("save_workflow", map[string]any{"name": "native", "nodes": []any{}, "edges": []any{}})
	if e := c.until("workflow_save_failed"); e.Data.Status != "" || !strings.Contains(string(e.raw), "not a flow of NebulaFlow") {
		t.Errorf("got %s", e.raw)
	}
	c.say("create_subflow", map[string]any{"id": "my-flow", "title": "T", "version": "1", "inputs": []any{}, "outputs": []any{}, "graph": map[string]any{"nodes": []any{}, "edges": []any{}}})
	if e := c.until("bridge:show_error"); !strings.Contains(e.Message, "do not replace one another") {
		t.Errorf("got %s", e.raw)
	}
	c.say("save_workflow", flow)
	dialog = c.next()
	c.sayText(`{"type":"bridge:dialog_result","requestId":"` + dialog.RequestID + `","cancelled":true}`)
	if e := c.until("workflow_save_failed"); !strings.Contains(string(e.raw), "cancelled") {
		t.Errorf("got %s", e.raw)
	}
}

func (s *server) workflowOf(id string) string {
	s.t.Helper()
	session, err := s.e.Session(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return session.Workflow
}

func TestNebulaLibrary(t *testing.T) {
	c := newServer(t, echo).connect("")
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
	c.say("save_customNode", flowNode("x", "cli", `{"title":"Count it","content":"wc"}`))
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
	c.say("copy_selection", lineOf(flowNode("a", "preview", `{}`)))
	c.say("paste_selection", nil)
	if e := c.next(); e.Type != "clipboard_paste" || !strings.Contains(string(e.raw), "preview") {
		t.Errorf("got %s", e.raw)
	}
}
