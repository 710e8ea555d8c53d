package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/anthropic"
)

func TestAnswerIsStreamed(t *testing.T) {
	s := serve(t, says("Hel", "lo é"))
	req := hello()
	var parts []string
	req.Token = func(text string) { parts = append(parts, text) }
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hello é" || fmt.Sprint(parts) != "[Hel lo é]" || resp.FinishReason != models.FinishStop || resp.Model != "claude-sonnet-4-5-20250929" {
		t.Errorf("%+v, parts %q", resp, parts)
	}
	if want := (models.Usage{InputTokens: 45, CachedTokens: 30, OutputTokens: 20}); resp.Usage != want {
		t.Errorf("usage %+v, want %+v", resp.Usage, want)
	}
	equalJSON(t, "body", s.seen(t)[0], `{"model":"claude-sonnet-4-5","max_tokens":8192,"stream":true,
		"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`)
	if h := s.headers[0]; h.Get("X-Api-Key") != canary || h.Get("Idempotency-Key") != "s1/ask/1/0" || h.Get("Anthropic-Version") == "" {
		t.Errorf("header %v", h)
	}
}

func TestServerThatDoesNotStream(t *testing.T) {
	s := serve(t, reply(200, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"max_tokens"}`))
	req := hello()
	heard := ""
	req.Token = func(text string) { heard += text }
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil || resp.Text != "ab" || heard != "ab" || resp.FinishReason != models.FinishLength || !resp.Usage.Estimated {
		t.Errorf("%+v, heard %q, %v", resp, heard, err)
	}
}

func TestEveryParameterGoesOut(t *testing.T) {
	s := serve(t, says("ok"))
	temperature, topP := 0.0, 0.5
	req := models.Request{
		Model: "m", Temperature: &temperature, TopP: &topP, MaxTokens: 50, Stop: []string{"END"}, ReasoningEffort: "low", ToolChoice: "look",
		Tools: []models.Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)}, {Name: "now"}},
		Extra: map[string]json.RawMessage{"top_k": json.RawMessage(`40`)},
		Messages: []models.Message{
			{Role: models.RoleSystem, Content: "Be brief."},
			{Role: models.RoleUser, Content: "What is this?", Images: []models.Image{{URL: "https://x.test/a.png"}, {Data: []byte{1}}}},
			{Role: models.RoleAssistant, Content: "Let me look.", ToolCalls: []models.ToolCall{
				{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"a":1}`)}, {ID: "c2", Name: "look", Arguments: json.RawMessage(`"{broken"`)}, {ID: "c3", Name: "now"}}},
			{Role: models.RoleTool, ToolCallID: "c1", Content: "a cat"},
			{Role: models.RoleTool, ToolCallID: "c2", Content: ""},
			{Role: models.RoleUser, Content: "And?"},
			{Role: models.RoleUser, Content: ""},
			{Role: models.RoleSystem, Content: "Be nice."},
		},
	}
	if _, err := s.client(t).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	body := s.seen(t)[0]
	equalJSON(t, "body", body, `{"model":"m","max_tokens":50,"temperature":0,"top_p":0.5,"stop_sequences":["END"],"stream":true,"top_k":40,
		"output_config":{"effort":"low"},"tool_choice":{"type":"tool","name":"look"},
		"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be nice."}],
		"tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object","properties":{"z":{},"a":{}}}},{"name":"now","input_schema":{"type":"object"}}],
		"messages":[
			{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x.test/a.png"}},
				{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQ=="}},{"type":"text","text":"What is this?"}]},
			{"role":"assistant","content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"c1","name":"look","input":{"a":1}},
				{"type":"tool_use","id":"c2","name":"look","input":{"arguments":"{broken"}},{"type":"tool_use","id":"c3","name":"now","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a cat"}]},
				{"type":"tool_result","tool_use_id":"c2"},{"type":"text","text":"And?"}]}]}`)
	if strings.Index(body, `"z":{}`) > strings.Index(body, `"a":{}`) {
		t.Error("the properties of a tool were sorted")
	}
}

func TestToolCallsAreAssembled(t *testing.T) {
	part := func(text string) string {
		quoted, _ := json.Marshal(text)
		return `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":` + string(quoted) + `}}`
	}
	s := serve(t, streams(oneLine(start), openText, words("One moment."), shut,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"look","input":{}}}`,
		part(""), part(`{"id":`), part(` 7}`), `{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c2","name":"now","input":{}}}`,
		`{"type":"content_block_stop","index":2}`, ends("tool_use"), stop))
	resp, err := s.client(t).Generate(t.Context(), hello())
	if err != nil || resp.Text != "One moment." || resp.FinishReason != models.FinishToolCalls {
		t.Fatalf("%+v, %v", resp, err)
	}
	got, _ := json.Marshal(resp.ToolCalls)
	equalJSON(t, "calls", string(got), `[{"id":"c1","name":"look","arguments":{"id":7}},{"id":"c2","name":"now","arguments":{}}]`)
}

func TestStructuredOutput(t *testing.T) {
	s := serve(t, says(`{"a": 1}`))
	req := hello()
	req.Schema = json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil || string(resp.Object) != `{"a":1}` {
		t.Errorf("%+v, %v", resp, err)
	}
	if want := `"output_config":{"format":{"type":"json_schema","schema":` + string(req.Schema) + `}}`; !strings.Contains(s.seen(t)[0], want) {
		t.Errorf("body %s", s.seen(t)[0])
	}
}

func TestSchemaInWordsWhereItIsRefused(t *testing.T) {
	s := serve(t, reply(400, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format: not supported by this model"}}`), says("```json\n{\"a\": 1}\n```"))
	c := s.client(t)
	req := hello()
	req.Schema = json.RawMessage(`{"type":"object"}`)
	for range 2 {
		resp, err := c.Generate(t.Context(), req)
		if err != nil || string(resp.Object) != `{"a":1}` {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	seen := s.seen(t)
	if len(seen) != 3 || strings.Contains(seen[2], "output_config") || !strings.Contains(seen[2], `JSON Schema:\n{\"type\":\"object\"}`) {
		t.Errorf("%d requests, the last %s", len(seen), seen[len(seen)-1])
	}
}

func TestRequestsThatAreRefusedBeforeTheyGoOut(t *testing.T) {
	s := serve(t, says("x"))
	for want, change := range map[string]func(*models.Request){
		"no model named":                             func(r *models.Request) { r.Model = "" },
		`unknown role "boss"`:                        func(r *models.Request) { r.Messages[0].Role = "boss" },
		`the extra parameter "stream"`:               func(r *models.Request) { r.Extra = map[string]json.RawMessage{"stream": json.RawMessage(`false`)} },
		"the schema of the output is not valid JSON": func(r *models.Request) { r.Schema = json.RawMessage(`{`) },
		`tool "x": the schema`:                       func(r *models.Request) { r.Tools = []models.Tool{{Name: "x", Parameters: json.RawMessage(`{`)}} },
	} {
		req := hello()
		change(&req)
		if _, err := s.client(t).Generate(t.Context(), req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if n := len(s.seen(t)); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

func TestNew(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-from-environment")
	if _, err := anthropic.New(anthropic.Options{}); err == nil || !strings.Contains(err.Error(), "no API key; set ANTHROPIC_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
	if _, err := anthropic.New(anthropic.Options{BaseURL: "models.test"}); err == nil || !strings.Contains(err.Error(), "base URL") {
		t.Errorf("no address: %v", err)
	}
	s := serve(t, says("x"))
	c, err := anthropic.New(anthropic.Options{BaseURL: s.URL + "/base/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Generate(t.Context(), hello()); err != nil || s.headers[0].Get("X-Api-Key") != "" {
		t.Errorf("without a key: %v, header %v", err, s.headers[0])
	}
	if m, err := anthropic.Provider(anthropic.Options{Key: canary}).Open(); err != nil || m == nil {
		t.Errorf("provider: %v", err)
	}
}
