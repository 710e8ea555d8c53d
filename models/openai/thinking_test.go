package openai_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

func TestReasoningOfCompatibleServers(t *testing.T) {
	call := `"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]`
	for name, answer := range map[string]http.HandlerFunc{
		"whole": completion(`{"role":"assistant","content":null,"reasoning_content":"Let me see.",` + call + `}`),
		"streamed": streams(delta(`{"role":"assistant","reasoning_content":"Let me "}`, ""), delta(`{"content":null,"reasoning_content":"see."}`, ""),
			delta(`{`+call+`}`, "tool_calls"), "[DONE]"),
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, answer, says("A cat."))
			req := hello()
			if name == "streamed" {
				req.Token = func(text string) { t.Errorf("heard %q", text) }
			}
			resp, err := s.client(t).Generate(t.Context(), req)
			if err != nil || resp.Reasoning != "Let me see." || len(resp.ToolCalls) != 1 {
				t.Fatalf("%+v, %v", resp, err)
			}
			req.Token = nil
			req.Messages = append(req.Messages, models.Message{Role: models.RoleAssistant, ToolCalls: resp.ToolCalls, Thinking: resp.Thinking},
				models.Message{Role: models.RoleTool, ToolCallID: "c1", Content: "a cat"},
				models.Message{Role: models.RoleAssistant, Content: "Hm.", Thinking: resp.Thinking},
				models.Message{Role: models.RoleAssistant, ToolCalls: resp.ToolCalls, Thinking: json.RawMessage(`[{"type":"thinking","thinking":"of another"}]`)})
			if _, err := s.client(t).Generate(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			messages, _ := wire(s.seen()[1], "messages").([]any)
			if len(messages) != 6 {
				t.Fatalf("%d messages", len(messages))
			}
			for i, want := range map[int]any{2: "Let me see.", 4: nil, 5: nil} {
				if got := messages[i].(map[string]any)["reasoning_content"]; got != want {
					t.Errorf("message %d: reasoning_content is %v, want %v", i, got, want)
				}
			}
		})
	}
}
