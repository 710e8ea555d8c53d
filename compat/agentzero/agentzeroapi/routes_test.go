package agentzeroapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/compat/agentzero/agentzeroapi"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
)

// A flowServer answers Agent Zero's routes with agents that hold until they are let go.
type flowServer struct {
	t    *testing.T
	url  string
	hold chan struct{} // closed: agents answer at once
	e    *engine.Engine
}

func newFlowServer(t *testing.T) *flowServer {
	s := &flowServer{t: t, hold: make(chan struct{})}
	registry := engine.NewRegistry()
	model := models.Func(func(ctx context.Context, q models.Request) (models.Response, error) {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return models.Response{}, ctx.Err()
		}
		if strings.Contains(q.LastUser(), "fail") {
			return models.Response{}, models.NewError(models.KindScripted, false, "model down", nil)
		}
		return models.Response{Text: "echo: " + q.LastUser(), FinishReason: models.FinishStop}, nil
	})
	options := functions.Options{Models: enginetest.OneModel(model)}
	functions.Standard(registry, options)
	compat.Functions(registry, options)
	store := memory.New(memory.Options{})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.e = engine.New(store, registry, engine.Options{Log: slog.New(slog.DiscardHandler)})
	enginetest.Start(t, s.e)
	router := chi.NewRouter()
	agentzeroapi.Mount(router, s.e, func() ([]agentzeroapi.Profile, error) {
		return []agentzeroapi.Profile{{Key: "researcher", Label: "Reads a lot"}}, nil
	}, slog.New(slog.DiscardHandler))
	server := httptest.NewServer(router)
	s.url = server.URL
	t.Cleanup(func() {
		server.Close()
	})
	return s
}

// call posts a body and returns what is answered.
func (s *flowServer) call(route string, body any) map[string]any {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.Post(s.url+"/api/"+route, "application/json", bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d %s %v", route, r.StatusCode, answer, err)
	}
	var out map[string]any
	if err := json.Unmarshal(answer, &out); err != nil {
		s.t.Fatalf("%s: %s", route, answer)
	}
	return out
}

// rest waits until a run has ended.
func (s *flowServer) rest(run string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.e.Wait(ctx, run); err != nil {
		s.t.Fatal(err)
	}
}

const twoSteps = `{"name": "Two Step", "description": "d", "nodes": [
	{"id": "in", "type": "input", "position": {"x": 1, "y": 2}, "data": {"label": "User Prompt", "promptMode": "runtime"}},
	{"id": "a", "type": "agent", "position": {"x": 1, "y": 2}, "data": {"label": "A", "agentProfile": "default", "tools": []}},
	{"id": "out", "type": "output", "position": {"x": 1, "y": 2}, "data": {"format": "raw"}}],
	"edges": [{"id": "1", "source": "in", "target": "a"}, {"id": "2", "source": "a", "target": "out"}], "viewport": {"x": 0, "y": 0, "zoom": 1}}`

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func same(t *testing.T, got any, want string) {
	t.Helper()
	var w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(w)
	if !bytes.Equal(a, b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func TestFlowsAreKept(t *testing.T) {
	s := newFlowServer(t)
	same(t, s.call("flow_list", nil), `{"ok": true, "flows": []}`)
	same(t, s.call("flow_save", raw(twoSteps)), `{"ok": true, "success": true, "filename": "two-step.json"}`)
	same(t, s.call("flow_save", map[string]any{"flow": raw(twoSteps), "filename": "../../etc/My Copy.json"}), `{"ok": true, "success": true, "filename": "my-copy.json"}`)
	same(t, s.call("flow_list", map[string]any{})["flows"], `[{"name": "Two Step", "description": "d", "filename": "my-copy.json"}, {"name": "Two Step", "description": "d", "filename": "two-step.json"}]`)
	same(t, s.call("flow_load", map[string]any{"name": "Two Step"}), twoSteps)
	same(t, s.call("flow_load", map[string]any{"filename": "my-copy.json"}), `{"ok": true, "flow": `+twoSteps+`}`)
	same(t, s.call("flow_delete", map[string]any{"filename": "my-copy.json"}), `{"ok": true, "success": true}`)
	same(t, s.call("flow_delete", map[string]any{"name": "my-copy"}), `{"ok": false, "success": false, "error": "Flow not found: my-copy"}`)

	r, err := http.Get(s.url + "/api/flow_list")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var got any
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	same(t, got, `{"ok": true, "flows": [{"name": "Two Step", "description": "d", "filename": "two-step.json"}]}`)
}

// Files are named as the public implementation names them, and a name is never taken for a path.
func TestNamesOfFiles(t *testing.T) {
	s := newFlowServer(t)
	named := func(name string) json.RawMessage {
		text, _ := json.Marshal(name) // a text always has a form
		return raw(strings.Replace(twoSteps, `"Two Step"`, string(text), 1))
	}
	for name, want := range map[string]string{
		"Deep Research - v2": "deep-research-v2.json", " R&D:  Übersicht_1 ": "rd-übersicht-1.json", "Plan / Two Step": "plan-two-step.json", "../../etc/passwd": "etcpasswd.json",
	} {
		if got := s.call("flow_save", named(name)); got["filename"] != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
		if got := s.call("flow_load", map[string]any{"name": name}); got["name"] != name {
			t.Errorf("%s: got %v", name, got)
		}
	}
	same(t, s.call("flow_save", map[string]any{"flow": raw(twoSteps), "filename": `C:\flows\my_copy.JSON`}), `{"ok": true, "success": true, "filename": "my_copy.json"}`)
	for _, name := range []string{"my_copy", "my_copy.json"} { // the design names a flow by its file
		same(t, s.call("flow_load", map[string]any{"name": name}), twoSteps)
	}
	for _, name := range []string{"..", " - ", "✓"} {
		if got := s.call("flow_save", named(name)); got["error"] != "the flow has no name" {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// A flow that is deleted while it runs is gone from the list, and its runs end as they would.
func TestDeletedFlowRunsOn(t *testing.T) {
	s := newFlowServer(t)
	s.call("flow_save", raw(twoSteps))
	run := s.call("flow_execute", map[string]any{"flow": raw(twoSteps), "prompt": "cats"})["run_id"].(string)
	same(t, s.call("flow_delete", map[string]any{"name": "Two Step"}), `{"ok": true, "success": true}`)
	same(t, s.call("flow_list", nil)["flows"], `[]`)
	for _, route := range []string{"flow_load", "flow_delete"} {
		same(t, s.call(route, map[string]any{"name": "Two Step"}), `{"ok": false, "success": false, "error": "Flow not found: two-step"}`)
	}
	close(s.hold)
	s.rest(run)
	if got := s.call("flow_status", map[string]any{"run_id": run}); got["final_output"] != "echo: cats" {
		t.Errorf("got %v", got)
	}
	s.call("flow_save", raw(twoSteps))
	same(t, s.call("flow_load", map[string]any{"name": "Two Step"}), twoSteps)
}

// A flow that breaks rules is kept as it is and does not run.
func TestDrafts(t *testing.T) {
	s := newFlowServer(t)
	draft := `{"name": "Half", "nodes": [{"id": "in", "type": "input", "data": {}}], "edges": []}`
	saved := s.call("flow_save", map[string]any{"flow": raw(draft)})
	if saved["ok"] != true || !strings.Contains(saved["draft"].(string), "output_count") {
		t.Errorf("got %v", saved)
	}
	same(t, s.call("flow_load", map[string]any{"name": "Half"}), draft)
	if got := s.call("flow_execute", map[string]any{"flow": raw(draft), "prompt": "p"}); got["ok"] != false || !strings.Contains(got["error"].(string), "output_count") {
		t.Errorf("got %v", got)
	}
}

// Workflows that are no flows are neither shown nor replaced.
func TestForeignWorkflowsAreLeftAlone(t *testing.T) {
	s := newFlowServer(t)
	if _, err := s.e.PutWorkflow(t.Context(), &engine.Workflow{ID: "two-step", Steps: []engine.Step{{ID: "root"}}}, ""); err != nil {
		t.Fatal(err)
	}
	same(t, s.call("flow_list", nil)["flows"], `[]`)
	for route, body := range map[string]any{"flow_save": raw(twoSteps), "flow_load": map[string]any{"name": "Two Step"}, "flow_delete": map[string]any{"name": "two-step"}} {
		if got := s.call(route, body); got["ok"] != false {
			t.Errorf("%s: got %v", route, got)
		}
	}
}

func TestRuns(t *testing.T) {
	s := newFlowServer(t)
	s.call("flow_save", raw(twoSteps))
	started := s.call("flow_execute", map[string]any{"flow": raw(twoSteps), "prompt": "cats"})
	run, _ := started["flow_run_id"].(string)
	if run == "" || started["run_id"] != run {
		t.Fatalf("got %v", started)
	}
	if session, err := s.e.Session(t.Context(), run); err != nil || session.Workflow != "two-step" {
		t.Errorf("a saved flow runs on %+v, %v", session, err)
	}
	got := s.call("flow_status", map[string]any{"flow_run_id": run})
	if got["running"] != true || got["final_output"] != nil {
		t.Errorf("got %v", got)
	}
	close(s.hold)
	s.rest(run)
	got = s.call("flow_status", map[string]any{"run_id": run})
	same(t, got["nodeStates"], `{"in": {"status": "complete", "output": "cats"}, "a": {"status": "complete", "output": "echo: cats"}, "out": {"status": "complete", "output": "echo: cats"}}`)
	same(t, got["node_states"], `{"in": "completed", "a": "completed", "out": "completed"}`)
	same(t, got["node_outputs"], `{"in": "cats", "a": "echo: cats", "out": "echo: cats"}`)
	if got["running"] != false || got["final_output"] != "echo: cats" || got["error"] != nil || got["cancelled"] != false {
		t.Errorf("got %v", got)
	}
	same(t, s.call("flow_stop", map[string]any{"run_id": run}), `{"ok": false, "success": false, "error": "the run is not running"}`)
	same(t, s.call("flow_group_remove", map[string]any{"flow_run_id": run}), `{"ok": true, "success": true}`)
	same(t, s.call("flow_status", map[string]any{"run_id": run}), `{"ok": false, "success": false, "error": "Run not found: `+run+`"}`)
}

func TestRunByName(t *testing.T) {
	s := newFlowServer(t)
	close(s.hold)
	s.call("flow_save", raw(twoSteps))
	run := s.call("flow_execute", map[string]any{"flow": "Two Step", "prompt": "cats"})["run_id"].(string)
	s.rest(run)
	if got := s.call("flow_status", map[string]any{"run_id": run}); got["final_output"] != "echo: cats" {
		t.Errorf("got %v", got)
	}
	if got := s.call("flow_execute", map[string]any{"flow": "none", "prompt": "cats"}); got["error"] != "Flow not found: none" {
		t.Errorf("got %v", got)
	}
}

// A version that was never saved runs on a workflow of its own and does not touch the saved
// one; a failure names its node, and what was not reached is skipped.
func TestUnsavedVersionFails(t *testing.T) {
	s := newFlowServer(t)
	close(s.hold)
	s.call("flow_save", raw(twoSteps))
	other := strings.Replace(twoSteps, `"tools": []`, `"systemPromptOverride": "fail"`, 1)
	for range 2 {
		run := s.call("flow_execute", map[string]any{"flow": raw(other), "user_prompt": "cats"})["run_id"].(string)
		s.rest(run)
		got := s.call("flow_status", map[string]any{"run_id": run})
		same(t, got["node_states"], `{"in": "completed", "a": "error", "out": "skipped"}`)
		if text, _ := got["error"].(string); !strings.Contains(text, "Node a failed: ") || !strings.Contains(text, "model down") {
			t.Errorf("got %v", got["error"])
		}
	}
	same(t, s.call("flow_load", map[string]any{"name": "Two Step"}), twoSteps)
	if flows := s.call("flow_list", nil)["flows"].([]any); len(flows) != 1 {
		t.Errorf("flows: %v", flows)
	}
	if all, err := s.e.Workflows(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("workflows: %v, %v", all, err)
	}
}

func TestStop(t *testing.T) {
	s := newFlowServer(t)
	run := s.call("flow_execute", map[string]any{"flow": raw(twoSteps), "prompt": "cats"})["run_id"].(string)
	same(t, s.call("flow_stop", map[string]any{"flow_run_id": run}), `{"ok": true, "success": true}`)
	s.rest(run)
	got := s.call("flow_status", map[string]any{"run_id": run})
	if got["running"] != false || got["cancelled"] != true {
		t.Errorf("got %v", got)
	}
	same(t, got["node_states"].(map[string]any)["out"], `"skipped"`)
	same(t, got["node_states"].(map[string]any)["a"], `"skipped"`)
}

func TestRunsThatCannotBegin(t *testing.T) {
	s := newFlowServer(t)
	for want, body := range map[string]any{
		"the prompt is empty": map[string]any{"flow": raw(twoSteps), "prompt": " "},
		"want a flow":         map[string]any{"prompt": "p"},
		"no_such_tool":        map[string]any{"flow": raw(strings.Replace(twoSteps, `"tools": []`, `"tools": ["no_such_tool"]`, 1)), "prompt": "p"},
	} {
		got := s.call("flow_execute", body)
		if text, _ := got["error"].(string); got["ok"] != false || !strings.Contains(text, want) {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	same(t, s.call("flow_status", map[string]any{}), `{"ok": false, "success": false, "error": "flow_run_id is missing"}`)
	same(t, s.call("flow_template_list", map[string]any{}), `{"ok": true, "templates": []}`)
	if got := s.call("flow_load", raw(`[1]`)); got["ok"] != false {
		t.Errorf("got %v", got)
	}
}
