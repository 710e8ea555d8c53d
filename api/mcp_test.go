package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/access"
)

// A bearer adds a token to what a client sends.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// mcpClient connects to /mcp with a token.
func (w *world) mcpClient(token string) *sdk.ClientSession {
	w.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(w.t.Context(), &sdk.StreamableClientTransport{Endpoint: w.server.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool and returns its text and structured content.
func (w *world) call(s *sdk.ClientSession, tool, arguments string) (text string, content map[string]any, failed bool) {
	w.t.Helper()
	result, err := s.CallTool(w.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		w.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for _, c := range result.Content {
		text += c.(*sdk.TextContent).Text + "\n"
	}
	content, _ = result.StructuredContent.(map[string]any)
	return text, content, result.IsError
}

func TestMCP(t *testing.T) {
	w := newWorld(t, Options{})
	s := w.mcpClient("")
	if text, _, failed := w.call(s, "list_workflows", `{}`); failed || !strings.Contains(text, `"talk"`) {
		t.Fatalf("list_workflows: %s", text)
	}
	text, started, failed := w.call(s, "start_session", `{"workflow": "talk", "id": "s1", "labels": {"team": "blue"}}`)
	if failed || started["status"] != "awaiting_input" || !strings.Contains(text, "Session s1 of talk: awaiting_input.\nStep root asks (question): Name?") {
		t.Fatalf("start_session: %s", text)
	}
	if _, waiting, _ := w.call(s, "list_awaiting", `{"label": ["team=blue"], "limit": 5}`); len(waiting["items"].([]any)) != 1 {
		t.Errorf("list_awaiting: %v", waiting)
	}
	if text, _, failed := w.call(s, "answer_session", `{"session": "s1", "response": 12345678901234567890, "idempotency_key": "k"}`); failed || !strings.Contains(text, "It says: Hello 12345678901234567890\nStep sure asks") {
		t.Errorf("answer_session: %s", text)
	}
	if text, _, failed := w.call(s, "answer_session", `{"session": "s1", "response": 12345678901234567890, "idempotency_key": "k"}`); failed || strings.Contains(text, "already") {
		t.Errorf("the same call again: %s", text)
	}
	if text, _, failed := w.call(s, "answer_session", `{"session": "s1", "response": "green"}`); !failed || !strings.Contains(text, "answer_invalid: ") {
		t.Errorf("a wrong answer: %s", text)
	}
	if text, explained, failed := w.call(s, "explain_session", `{"session": "s1"}`); failed || explained == nil {
		t.Errorf("explain_session: %s", text)
	}
	if text, changed, failed := w.call(s, "change_step", `{"workflow": "talk", "step": "hello", "properties": {"input": {"message": "Hi"}}, "force": true}`); failed || changed == nil {
		t.Errorf("change_step: %s", text)
	}
	if text, batch, failed := w.call(s, "start_batch", `{"action": "cancel", "filter": {"workflow": "talk"}, "dry_run": true}`); failed || batch["id"] == "" {
		t.Errorf("start_batch: %s", text)
	}
	if _, ended, failed := w.call(s, "cancel_session", `{"session": "s1", "reason": "enough"}`); failed || ended["id"] != "s1" {
		t.Errorf("cancel_session: %v", ended)
	}
	if _, rested, _ := w.call(s, "get_session", `{"session": "s1", "wait": 5}`); rested["status"] != "cancelled" {
		t.Errorf("get_session: %v", rested["status"])
	}
	read, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "session://s1"})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"cancelled"`) {
		t.Errorf("session://s1: %v, %v", read, err)
	}
}

// TestMCPMistakes: what a call cannot be is told as a result that the model reads.
func TestMCPMistakes(t *testing.T) {
	w := newWorld(t, Options{})
	s := w.mcpClient("")
	for _, c := range []struct{ tool, arguments, want string }{
		{"get_session", `{}`, "argument session is missing"},
		{"get_session", `{"session": ""}`, "argument session is empty"},
		{"get_session", `{"session": {"id": 1}}`, "argument session is an object, want text, a number or a boolean"},
		{"get_session", `{"session": "none"}`, "session_not_found: session none: session not found"},
		{"get_session", `{"session": "../workflows/talk"}`, "session_not_found: "},
		{"start_session", `{"workflow": "tolk"}`, "workflow_not_found: "},
		{"start_session", `{"workflow": "talk", "wait": "forever"}`, "wait: is \"forever\", want seconds or a duration"},
		{"start_session", `{"workflow": "talk", "color": 1}`, "argument color is not known; this tool takes entry, id, "},
		{"start_session", `{"workflow": 7}`, "request_invalid: "},
		{"change_step", `{"workflow": "talk", "step": "hello"}`, "argument properties is missing"},
		{"answer_session", `{"session": "none"}`, "argument response is missing"},
		{"answer_session", `[]`, "the arguments are not a JSON object"},
		{"change_step", `{"workflow": "talk", "step": "hello", "properties": "x"}`, "request_invalid: "},
	} {
		if text, _, failed := w.call(s, c.tool, c.arguments); !failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %q, want %q", c.tool, c.arguments, text, c.want)
		}
	}
	if w.do("GET", "/mcp", nil).problem("method_not_allowed"); w.do("POST", "/mcp", "rubbish").status < 400 {
		t.Error("rubbish was taken")
	}
}

// TestMCPBatches: one body may not start any number of requests.
func TestMCPBatches(t *testing.T) {
	w := newWorld(t, Options{})
	one := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"count_sessions","arguments":{}}}`
	batch := func(n int) string {
		var calls []string
		for i := range n {
			calls = append(calls, fmt.Sprintf(one, i+1))
		}
		return "[" + strings.Join(calls, ",") + "]"
	}
	headers := []string{"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-03-26"}
	if got := w.do("POST", "/mcp", batch(batchMCP), headers...).want(200); strings.Count(got.text, `"structuredContent"`) != batchMCP {
		t.Errorf("%d calls are answered by %s", batchMCP, got.text)
	}
	w.do("POST", "/mcp", batch(batchMCP+1), headers...).problem("too_large")
	w.do("POST", "/mcp", strings.Repeat(" ", limitMCP)+"{}", headers...).problem("too_large")
}

// TestMCPScopes: a call of a tool needs the scope of its request, sees what its token may see, and
// is audited as the request.
func TestMCPScopes(t *testing.T) {
	withoutPauses(t)
	file := newTokens(t)
	var entries []AuditEntry
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Tokens: file, Audit: func(e AuditEntry) { entries = append(entries, e) }})
	w.do("PUT", "/api/v1/workflows/mine?force=true", `{"steps":[{"id":"root","function":"say","input":{"message":"x"}}],"paths":[]}`, masterHeader).want(201)
	reader := w.mcpClient(token(t, file, access.Wish{Name: "reader", Scopes: []string{access.Read}}))
	if text, _, failed := w.call(reader, "list_workflows", `{}`); failed {
		t.Errorf("list_workflows: %s", text)
	}
	if text, _, failed := w.call(reader, "start_session", `{"workflow": "talk"}`); !failed || !strings.Contains(text, "forbidden: token reader lacks the scope answer") {
		t.Errorf("start_session with a reader's token: %s", text)
	}
	limited := w.mcpClient(token(t, file, access.Wish{Name: "desk", Scopes: []string{access.Read, access.Answer}, Limit: access.Limit{Workflows: []string{"mine"}}}))
	if text, _, _ := w.call(limited, "list_workflows", `{}`); strings.Contains(text, "talk") || !strings.Contains(text, "mine") {
		t.Errorf("a limited token lists %s", text)
	}
	if text, _, failed := w.call(limited, "start_session", `{"workflow": "talk"}`); !failed || !strings.Contains(text, "workflow_not_found") {
		t.Errorf("a limited token starts: %s", text)
	}
	if _, started, failed := w.call(limited, "start_session", `{"workflow": "mine"}`); failed || started["status"] != "complete" {
		t.Errorf("a limited token starts its own: %v", started)
	}
	if !slices.ContainsFunc(entries, func(e AuditEntry) bool {
		return e.Who == "desk" && e.Action == "startSession" && e.Status == http.StatusCreated
	}) {
		t.Errorf("the start is not in the audit trail: %+v", entries)
	}
	for name, text := range map[string]string{"no token": "", "a wrong one": "sg_wrong"} {
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		if s, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: w.server.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(text)}, MaxRetries: -1}, nil); err == nil {
			t.Errorf("with %s it connects: %v", name, s.ID())
		}
		cancel()
	}
}

// TestMCPTools: each tool has the schema of its route and says what it may do.
func TestMCPTools(t *testing.T) {
	w := newWorld(t, Options{})
	s := w.mcpClient("")
	found := map[string]*sdk.Tool{}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Description == "" || tool.Title == "" || tool.Annotations == nil {
			t.Errorf("%s has no description, title or annotations", tool.Name)
		}
		found[tool.Name] = tool
	}
	if len(found) < 25 {
		t.Errorf("%d tools: an operation has another name in the document", len(found))
	}
	answer, err := json.Marshal(found["answer_session"].InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"session"`, `"response"`, `"wait"`, `"idempotency_key"`, `"required":["response","session"]`} {
		if !strings.Contains(string(answer), want) {
			t.Errorf("answer_session takes %s, without %s", answer, want)
		}
	}
	if !found["get_session"].Annotations.ReadOnlyHint || found["start_session"].Annotations.ReadOnlyHint || !*found["cancel_session"].Annotations.DestructiveHint {
		t.Error("the annotations do not fit the tools")
	}
}
