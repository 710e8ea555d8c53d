package flowiseapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer shows a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// published publishes a flow and opens a client for it.
func (s *server) published(flow string, body map[string]any) (*mcp.ClientSession, string) {
	s.t.Helper()
	made := s.do("POST", flowise+"mcp-server/"+flow, body)
	token, _ := made.json["token"].(string)
	if made.status != 200 || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(token) || made.json["enabled"] != true {
		s.t.Fatalf("published: %d %s", made.status, made.text)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(s.t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + flowise + "mcp/" + flow, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() }) // the server may be gone
	return session, token
}

// called calls the one tool and returns the text of its result.
func called(t *testing.T, session *mcp.ClientSession, name string, arguments any) (string, bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 {
		t.Fatalf("content %v", result.Content)
	}
	return text.Text, result.IsError
}

// A flow is the one tool of an MCP server of its own.
func TestPublishedFlows(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("greets", greetingFlow, nil)
	session, token := s.published(id, map[string]any{"toolName": "greet", "description": "Greets."})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "greet" || list.Tools[0].Description != "Greets." {
		t.Fatalf("tools %v, %v", list, err)
	}
	if schema, _ := json.Marshal(list.Tools[0].InputSchema); !strings.Contains(string(schema), `"required":["question"]`) {
		t.Errorf("schema %s", schema)
	}
	if text, failed := called(t, session, "greet", map[string]any{"question": "Ada"}); text != "Hello Ada" || failed {
		t.Errorf("%q, failed %t", text, failed)
	}
	if text, failed := called(t, session, "greet", map[string]any{"question": 5}); !failed || !strings.HasPrefix(text, "MCP error -32602: Input validation error: Invalid arguments for tool greet") {
		t.Errorf("%q, failed %t", text, failed)
	}
	if again := s.do("POST", flowise+"mcp-server/"+id, map[string]any{"description": "Says hello."}); again.json["token"] != token || again.json["toolName"] != "greet" || again.json["description"] != "Says hello." {
		t.Errorf("again: %s", again.text)
	}
	if row := s.do("GET", flowise+"chatflows/"+id, nil); !strings.Contains(fmt.Sprint(row.json["mcpServerConfig"]), token) || row.json["name"] != "greets" {
		t.Errorf("row: %s", row.text)
	}
	if got := s.predict(id, map[string]any{"question": "Ada"}); got.json["text"] != "Hello Ada" {
		t.Errorf("the flow itself: %s", got.text)
	}
}

// Form fields are the arguments, by their types; a flow that fails is a failed call.
func TestPublishedForms(t *testing.T) {
	s := newServer(t, nil)
	fields := []any{row("type", "string", "label", "Name", "name", "name"), row("type", "number", "label", "Age", "name", "age"), row("type", "boolean", "label", "Sure", "name", "sure"),
		row("type", "options", "label", "Colour", "name", "colour", "addOptions", []any{row("option", "red"), row("option", "blue")})}
	begin := rowsNode("startAgentflow_0", map[string]any{"startInputType": "formInput", "formInputTypes": fields})
	id := s.save("form", flowCase{[]any{begin, runsCode(0, "if ($n === 'fail') throw new Error('no'); return $n + $flow.input.length", map[string]any{"customFunctionInputVariables": []any{row("variableName", "n", "variableValue", "{{$form.name}}")}})},
		"startAgentflow_0>customFunctionAgentflow_0", nil}.flow(), nil)
	session, _ := s.published(id, map[string]any{"toolName": "form"})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{"form":{"properties":{"age":{"description":"Age","type":"number"},"colour":{"description":"Colour","enum":["red","blue"],"type":"string"},` +
		`"name":{"description":"Name","type":"string"},"sure":{"description":"Sure","type":"boolean"}},"type":"object"}},"required":["form"],"type":"object"}`
	if schema, _ := json.Marshal(list.Tools[0].InputSchema); string(schema) != want {
		t.Errorf("schema %s", schema)
	}
	for _, c := range []struct {
		arguments any
		text      string
		failed    bool
	}{
		{row("form", row("name", "A", "age", 5)), "A14", false},
		{row("form", row("name", "A", "age", "5")), "form.age: want a number, not a string", true},
		{row("form", row("colour", "green")), "form.colour: want one of red blue", true},
		{row("question", "x"), "form: want an object", true},
		{row("form", row("name", "fail")), "NodeVM Execution Error: Error: no", true},
	} {
		if text, failed := called(t, session, "form", c.arguments); failed != c.failed || !strings.HasSuffix(text, c.text) {
			t.Errorf("%v: %q, failed %t", c.arguments, text, failed)
		}
	}
}

// Nobody calls a flow without its token, and nobody learns which flows there are.
func TestPublishedTokens(t *testing.T) {
	s := newServer(t, nil)
	id, other := s.save("greets", greetingFlow, nil), s.save("asks", askingFlow, nil)
	_, token := s.published(id, map[string]any{"toolName": "greet"})
	ping := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
	refused := func(what, flow string, headers ...string) {
		t.Helper()
		got := s.do("POST", flowise+"mcp/"+flow, ping, append(headers, "Accept: application/json, text/event-stream")...)
		fault, _ := got.json["error"].(map[string]any)
		if got.status != http.StatusUnauthorized || fault["code"] != -32001.0 || got.json["jsonrpc"] != "2.0" {
			t.Errorf("%s: %d %s", what, got.status, got.text)
		}
	}
	refused("no token", id)
	refused("a wrong token", id, "Authorization: Bearer "+strings.Repeat("0", 32))
	refused("another flow", other, "Authorization: Bearer "+token)
	refused("no flow", "11111111-2222-4333-8444-555555555555", "Authorization: Bearer "+token)
	if got := s.do("POST", flowise+"mcp/"+id, ping, "Authorization: Bearer "+token, "Accept: application/json, text/event-stream"); got.status != http.StatusOK || !strings.Contains(got.text, `"greet"`) {
		t.Errorf("with the token: %d %s", got.status, got.text)
	}
	s.do("POST", flowise+"mcp-server/"+other, map[string]any{"toolName": "two words"}).refused(t, 400, "toolName")
	s.do("DELETE", flowise+"mcp-server/"+id, nil)
	refused("one that is published no more", id, "Authorization: Bearer "+token)
	refused("an empty token", id, "Authorization: Bearer ")
}
