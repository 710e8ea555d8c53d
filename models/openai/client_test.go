package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
)

func TestCompletion(t *testing.T) {
	s := serve(t, says("Hello there"))
	resp, err := s.client(t).Generate(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hello there" || resp.Object != nil || resp.Model != "gpt-4o-2024-08-06" || resp.FinishReason != "stop" {
		t.Errorf("response %+v", resp)
	}
	if want := (models.Usage{InputTokens: 100, OutputTokens: 20, CachedTokens: 40, ReasoningTokens: 5}); resp.Usage != want {
		t.Errorf("usage %+v, want %+v without a cost: this server is not OpenAI", resp.Usage, want)
	}
	got := s.seen()[0]
	if got.path != "/v1/chat/completions" || got.header.Get("Authorization") != "Bearer "+canary {
		t.Errorf("path %s, header %v", got.path, got.header)
	}
	if key := got.header.Get("Idempotency-Key"); key != "s1/ask/1/0" {
		t.Errorf("Idempotency-Key %q", key)
	}
	equalJSON(t, "body", got.body, `{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}`)
}

func TestEveryParameterGoesOut(t *testing.T) {
	s := serve(t, says("ok"))
	temperature, topP, seed := 0.0, 0.5, int64(7)
	req := models.Request{
		Model: "m", Temperature: &temperature, TopP: &topP, Seed: &seed, MaxTokens: 50, Stop: []string{"END"},
		ReasoningEffort: "low", ToolChoice: "look",
		Tools: []models.Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)}, {Name: "now"}},
		Extra: map[string]json.RawMessage{"top_k": json.RawMessage(`40`), "guided.choice": json.RawMessage(`["a"]`)},
		Messages: []models.Message{
			{Role: models.RoleUser, Name: "ada", Content: "What is this?", Images: []models.Image{{URL: "https://x.test/a.png", Detail: "low"}, {Data: []byte{1}}}},
			{Role: models.RoleAssistant, ToolCalls: []models.ToolCall{
				{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"a":1}`)}, {ID: "c2", Name: "look", Arguments: json.RawMessage(`"{broken"`)}}},
			{Role: models.RoleTool, ToolCallID: "c1", Content: "a cat"},
			{Role: models.RoleTool, ToolCallID: "c2", Content: "error"},
			{Role: models.RoleAssistant, Content: "A cat."},
			{Role: models.RoleUser, Name: "two words", Content: ""},
		},
	}
	if _, err := s.client(t).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	got := s.seen()[0]
	equalJSON(t, "body", got.body, `{"model":"m","temperature":0,"top_p":0.5,"seed":7,"max_tokens":50,"stop":["END"],
		"reasoning_effort":"low","top_k":40,"guided.choice":["a"],
		"tool_choice":{"type":"function","function":{"name":"look"}},
		"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{"z":{},"a":{}}}}},
			{"type":"function","function":{"name":"now"}}],
		"messages":[
			{"role":"user","name":"ada","content":[{"type":"text","text":"What is this?"},
				{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}},
				{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}}]},
			{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}},
				{"id":"c2","type":"function","function":{"name":"look","arguments":"{broken"}}]},
			{"role":"tool","tool_call_id":"c1","content":"a cat"},
			{"role":"tool","tool_call_id":"c2","content":"error"},
			{"role":"assistant","content":"A cat."},
			{"role":"user","content":""}]}`)
	if strings.Index(got.raw, `"z":{}`) > strings.Index(got.raw, `"a":{}`) {
		t.Error("the properties of a tool were sorted")
	}
	if got.header.Get("Idempotency-Key") != "" {
		t.Error("a call without a key sent one")
	}
}

func TestToolCalls(t *testing.T) {
	s := serve(t, completion(`{"role":"assistant","content":null,"tool_calls":[
		{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"id\": 7}"}},
		{"id":"c2","type":"function","function":{"name":"now","arguments":""}},
		{"id":"","type":"function","function":{"name":"odd","arguments":"{broken"}}]}`))
	resp, err := s.client(t).Generate(t.Context(), hello())
	if err != nil || resp.Text != "" || resp.FinishReason != models.FinishToolCalls {
		t.Fatalf("%+v, %v", resp, err)
	}
	equalJSON(t, "calls", resp.ToolCalls, `[{"id":"c1","name":"look","arguments":{"id":7}},
		{"id":"c2","name":"now","arguments":{}},{"id":"call_2","name":"odd","arguments":"{broken"}]`)
}

func TestUsageIsEstimatedWhereTheServerDoesNotTell(t *testing.T) {
	s := serve(t, reply(200, `{"choices":[{"message":{"role":"assistant","content":"four"},"finish_reason":"stop"}]}`))
	resp, err := s.client(t).Generate(t.Context(), hello())
	if err != nil || !resp.Usage.Estimated || resp.Usage.OutputTokens != 1 || resp.Model != "gpt-4o" {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestPricesGiveACost(t *testing.T) {
	s := serve(t, says("x"))
	c, err := openai.New(openai.Options{BaseURL: s.URL, Prices: models.Prices{"gpt-4o": {Input: 1e6, CachedInput: 5e5, Output: 2e6}}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Generate(t.Context(), hello())
	if err != nil || resp.Usage.Cost != 60+20+40 {
		t.Errorf("cost %v, %v", resp.Usage.Cost, err)
	}
	if auth := s.seen()[0].header.Get("Authorization"); auth != "" {
		t.Errorf("a client without a key sent Authorization %q", auth)
	}
}

func TestKeysBecomeHeaders(t *testing.T) {
	s := serve(t, says("x"))
	for key, want := range map[string]string{
		"a/b/1/0": "a/b/1/0", "é b/1": "%C3%A9%20b%2F1", "x\r\nEvil: 1": "x%0D%0AEvil:%201",
	} {
		req := hello()
		req.Key = key
		if _, err := s.client(t).Generate(t.Context(), req); err != nil {
			t.Errorf("%q: %v", key, err)
			continue
		}
		seen := s.seen()
		if got := seen[len(seen)-1].header; got.Get("Idempotency-Key") != want || got.Get("Evil") != "" {
			t.Errorf("%q: header %q", key, got.Get("Idempotency-Key"))
		}
	}
}

func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	t.Setenv("OPENAI_ORG_ID", "org-from-environment")
	if _, err := openai.New(openai.Options{}); err == nil || !strings.Contains(err.Error(), "no API key; set OPENAI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
	s := serve(t, says("x"))
	if _, err := s.client(t).Generate(t.Context(), hello()); err != nil {
		t.Fatal(err)
	}
	if h := s.seen()[0].header; h.Get("Authorization") != "Bearer "+canary || h.Get("OpenAI-Organization") != "" {
		t.Errorf("header %v", h)
	}
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	for _, base := range []string{"models.test", "ftp://x.test", "http://", "://" + canary} {
		_, err := openai.New(openai.Options{BaseURL: base, Key: canary})
		if err == nil || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("%s: %v", base, err)
		}
		noKey(t, base, err)
	}
}

func TestRequestsThatAreRefusedBeforeTheyGoOut(t *testing.T) {
	s := serve(t, says("x"))
	for want, change := range map[string]func(*models.Request){
		"no model named":                             func(r *models.Request) { r.Model = "" },
		`unknown role "boss"`:                        func(r *models.Request) { r.Messages[0].Role = "boss" },
		`the extra parameter "stream"`:               func(r *models.Request) { r.Extra = map[string]json.RawMessage{"stream": json.RawMessage(`true`)} },
		"the schema of the output is not valid JSON": func(r *models.Request) { r.Schema = json.RawMessage(`{`) },
		`tool "x": parameters`:                       func(r *models.Request) { r.Tools = []models.Tool{{Name: "x", Parameters: json.RawMessage(`{`)}} },
	} {
		req := hello()
		change(&req)
		_, err := s.client(t).Generate(t.Context(), req)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if n := len(s.seen()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

func TestProvider(t *testing.T) {
	if p := openai.Provider(openai.Options{BaseURL: openai.BaseURL + "/"}); p.Any {
		t.Error("OpenAI itself serves models of any name")
	}
	p := openai.Provider(openai.Options{BaseURL: "http://127.0.0.1:1/v1"})
	if m, err := p.Open(); err != nil || m == nil || !p.Any {
		t.Errorf("a local server: %v, any %v", err, p.Any)
	}
}
