package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

// thought streams an answer that thinks, in the open and not, before it calls a tool.
func thought() []string {
	return []string{oneLine(start),
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see."}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"aGlkZGVu"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"look","input":{}}}`,
		`{"type":"content_block_stop","index":2}`, ends("tool_use"), stop}
}

func TestThoughtsGoBackWithTheResultsOfTools(t *testing.T) {
	s := serve(t, streams(thought()...), says("A cat."))
	req := hello()
	req.ReasoningTokens = 2000
	var heard string
	req.Token = func(text string) { heard += text }
	resp, err := s.client(t).Generate(t.Context(), req)
	if err != nil || resp.Reasoning != "Let me see." || resp.Text != "" || heard != "" {
		t.Fatalf("%+v, heard %q, %v", resp, heard, err)
	}
	// A transcript keeps them as JSON.
	kept, err := json.Marshal(models.Message{Role: models.RoleAssistant, ToolCalls: resp.ToolCalls, Thinking: resp.Thinking})
	if err != nil {
		t.Fatal(err)
	}
	var back models.Message
	if err := json.Unmarshal(kept, &back); err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, back, models.Message{Role: models.RoleTool, ToolCallID: "c1", Content: "a cat"})
	if _, err := s.client(t).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	equalJSON(t, "body", s.seen(t)[1], `{"model":"claude-sonnet-4-5","max_tokens":10192,"stream":true,"thinking":{"type":"enabled","budget_tokens":2000},
		"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},
			{"role":"assistant","content":[{"type":"thinking","thinking":"Let me see.","signature":"c2ln"},{"type":"redacted_thinking","data":"aGlkZGVu"},
				{"type":"tool_use","id":"c1","name":"look","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a cat"}]}]}]}`)
}

func TestThoughtsOfOthersStayOut(t *testing.T) {
	s := serve(t, says("ok"))
	req := hello()
	req.Messages = append(req.Messages,
		models.Message{Role: models.RoleAssistant, Content: "a", Thinking: json.RawMessage(`{"reasoning_content":"mine"}`)}, models.Message{Role: models.RoleUser, Content: "b"},
		models.Message{Role: models.RoleAssistant, Content: "c", Thinking: json.RawMessage(`[{"type":"other"},{"type":"thinking","thinking":"unsigned"}]`)}, models.Message{Role: models.RoleUser, Content: "d"})
	if _, err := s.client(t).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if body := s.seen(t)[0]; strings.Contains(body, "mine") || strings.Contains(body, "unsigned") || strings.Contains(body, "other") {
		t.Errorf("sent %s", body)
	}
}

func TestAnswerMustHaveRoomBesideThinking(t *testing.T) {
	s := serve(t, says("ok"))
	req := hello()
	req.ReasoningTokens, req.MaxTokens = 2000, 2000
	if _, err := s.client(t).Generate(t.Context(), req); err == nil || !strings.Contains(err.Error(), "the first must be the larger") {
		t.Errorf("got %v", err)
	}
	if len(s.seen(t)) != 0 {
		t.Error("the request went out")
	}
}
