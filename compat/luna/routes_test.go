package luna_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/memory"
)

// A client is what LUNA's clients are to a server.
type client struct {
	t      *testing.T
	server *httptest.Server
	engine *engine.Engine
}

func newClient(t *testing.T, cypher string) *client {
	t.Helper()
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{Log: slog.New(slog.DiscardHandler)})
	if cypher != "" {
		loaded, err := formats.Load("default.cypher", []byte(cypher))
		if err != nil {
			t.Fatal(err)
		}
		for i := range loaded.Workflows {
			if _, err := e.Put(t.Context(), &loaded.Workflows[i], engine.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	enginetest.Start(t, e)
	server := httptest.NewServer(api.New(e, api.Options{Compat: true, Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(func() {
		server.Close()
	})
	return &client{t, server, e}
}

func (c *client) do(method, path, body string) (int, map[string]any) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.server.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	got, err := c.server.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		c.t.Fatalf("%s %s: %s: %v", method, path, text, err)
	}
	return got.StatusCode, out
}

const twoQuestions = `CREATE (r:STEP {id: 'root', function: 'utils.request.request', input: '{"prompt": "Colour?", "options": ["red", "blue"], "query": "q"}'}),
(c:STEP {id: 'conf', function: 'utils.request.confirm', input: '{"message": "Sure?", "confirm_text": "Aye"}'}),
(e:STEP {id: 'end', function: 'utils.reply.reply', input: '{"message": "Bye @{SESSION_ID}.who"}'}),
(r)-[:NEXT]->(c), (c)-[:NEXT]->(e)`

func TestATalkAsLUNAsClientsHaveIt(t *testing.T) {
	c := newClient(t, twoQuestions)
	status, made := c.do("POST", "/api/session", `{"initial_data": {"who": "Ada"}}`)
	id, _ := made["session_id"].(string)
	if status != 200 || id == "" || made["status"] != "awaiting_input" || fmt.Sprint(made["awaiting_input"]) != "map[options:[red blue]]" {
		t.Fatalf("%d %v", status, made)
	}
	if got := lines(t, made); got != "assistant prompt: Colour?\n" {
		t.Errorf("messages\n%s", got)
	}
	status, turn := c.do("POST", "/api/session/"+id+"/message", `{"message": "red"}`)
	if _, named := turn["session_id"]; status != 200 || named || turn["status"] != "awaiting_input" || turn["awaiting_input"].(map[string]any)["confirm_text"] != "Aye" {
		t.Errorf("%d %v", status, turn)
	}
	if got := lines(t, turn); got != "assistant prompt: Colour?\nuser message: red\nassistant prompt: Sure?\n" {
		t.Errorf("messages\n%s", got)
	}
	status, turn = c.do("POST", "/api/session/"+id+"/message", `{"message": "aye"}`)
	if status != 200 || turn["status"] != "complete" || turn["awaiting_input"] != nil {
		t.Errorf("%d %v", status, turn)
	}
	want := "assistant prompt: Colour?\nuser message: red\nassistant prompt: Sure?\nuser message: aye\nassistant message: Bye Ada\n"
	if got := lines(t, turn); got != want {
		t.Errorf("messages\n%s", got)
	}
	before, _, err := c.engine.State(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	status, seen := c.do("GET", "/api/session/"+id, "")
	if status != 200 || seen["session_id"] != id || lines(t, seen) != want {
		t.Errorf("%d %v", status, seen)
	}
	if after, _, err := c.engine.State(t.Context(), id); err != nil || string(after) != string(before) {
		t.Errorf("GET has changed the state: %v", err)
	}
	status, late := c.do("POST", "/api/session/"+id+"/message", `{"message": "hello?"}`)
	if status != 409 || !strings.Contains(fmt.Sprint(late["error"]), "no open question") || lines(t, late) != want || late["status"] != "complete" {
		t.Errorf("%d %v", status, late)
	}
}

// lines are the messages with what their ids say they are.
func lines(t *testing.T, answer map[string]any) string {
	t.Helper()
	var b strings.Builder
	eight := regexp.MustCompile(`^[0-9a-f]{8}$`)
	for _, item := range answer["messages"].([]any) {
		m := item.(map[string]any)
		prompt, isPrompt := m["_prompt_id"].(string)
		message, isMessage := m["_message_id"].(string)
		if isPrompt == isMessage || !eight.MatchString(prompt+message) {
			t.Errorf("ids of %v", m)
		}
		if at, ok := m["timestamp"].(float64); !ok || at < 1e9 || at > 1e11 {
			t.Errorf("timestamp of %v", m)
		}
		kind := "message"
		if isPrompt {
			kind = "prompt"
		}
		fmt.Fprintf(&b, "%v %s: %v\n", m["role"], kind, m["content"])
	}
	return b.String()
}

func TestLUNAsErrors(t *testing.T) {
	c := newClient(t, twoQuestions)
	_, made := c.do("POST", "/api/session", `{}`)
	id := made["session_id"].(string)
	for _, x := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/session/none", "", 404},
		{"POST", "/api/session/none/message", `{"message": "x"}`, 404},
		{"POST", "/api/session", `{"workflow_id": "none"}`, 404},
		{"POST", "/api/session", ``, 400},
		{"POST", "/api/session", `[]`, 400},
		{"POST", "/api/session", `null`, 400},
		{"POST", "/api/session", `{"workflow_id": 5}`, 400},
		{"POST", "/api/session", `{"initial_data": [1]}`, 400},
		{"POST", "/api/session/" + id + "/message", `{}`, 400},
		{"POST", "/api/session/" + id + "/message", `{"message": ""}`, 400},
		{"POST", "/api/session/" + id + "/message", `{"message": "` + strings.Repeat("x", 1<<20) + `"}`, 413},
		{"POST", "/api/session/" + id + "/message", strings.Repeat(`[`, 1000), 400},
	} {
		status, got := c.do(x.method, x.path, x.body)
		if text, _ := got["error"].(string); status != x.status || text == "" {
			t.Errorf("%s %s %.40s: %d %v", x.method, x.path, x.body, status, got)
		}
	}
	if status, health := c.do("GET", "/api/health", ""); status != 200 || health["status"] != "ok" || health["version"] != "0.1.0" {
		t.Errorf("%v", health)
	}
	c.do("POST", "/api/session/"+id+"/message", `{"message": "red"}`)
	status, wrong := c.do("POST", "/api/session/"+id+"/message", `{"message": "perhaps"}`)
	if status != 422 || wrong["status"] != "awaiting_input" || wrong["error"] == "" {
		t.Errorf("%d %v", status, wrong)
	}
}

func TestWorkflowIDIsAWorkflowOrAStep(t *testing.T) {
	c := newClient(t, twoQuestions)
	other := &engine.Workflow{ID: "other", Steps: []engine.Step{{ID: "root", Function: "reply", Input: `{"message": "other"}`}}}
	if _, err := c.engine.Put(t.Context(), other, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"other": "assistant message: other\n", "conf": "assistant prompt: Sure?\n", "default": "assistant prompt: Colour?\n"} {
		status, made := c.do("POST", "/api/session", `{"workflow_id": "`+id+`"}`)
		if status != 200 || lines(t, made) != want {
			t.Errorf("%s: %d %v", id, status, made)
		}
	}
}

// TestRecordedTalk plays what a client of LUNA sent, and compares what it got, where
// LUNA did right.
func TestRecordedTalk(t *testing.T) {
	dir := fixtures.Folder(t, "luna/workflows")
	cypher, recorded := fixtures.Text(t, filepath.Join(dir, "request_kinds.cypher")), fixtures.Text(t, filepath.Join(dir, "request_kinds.json"))
	var talk struct {
		Actions []struct {
			Response map[string]any `json:"response"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(recorded, &talk); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, string(cypher))
	_, got := c.do("POST", "/api/session", `{}`)
	want := talk.Actions[0].Response
	for _, field := range []string{"status", "awaiting_input"} {
		if fmt.Sprint(got[field]) != fmt.Sprint(want[field]) {
			t.Errorf("%s is %v, LUNA gave %v", field, got[field], want[field])
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	theirs := want["messages"].([]any)[0].(map[string]any)
	ours := got["messages"].([]any)[0].(map[string]any)
	for name := range theirs {
		if _, ok := ours[name]; !ok {
			t.Errorf("message without %s", name)
		}
	}
}
