package flowise_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// Variables find what Flowise records of a node beside its text: the calls of an agent, the
// whole answer of a request, tokens. A path that leads nowhere stays as it is written.
func TestVariablesReadRecords(t *testing.T) {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Shop", "open")
		_, _ = w.Write([]byte(`{"a": 1}`))
	}))
	defer shop.Close()
	r := start(t, func(_ context.Context, q models.Request) (models.Response, error) {
		if len(q.Tools) > 0 && q.Messages[len(q.Messages)-1].Role != models.RoleTool {
			call := models.ToolCall{ID: "1", Name: "calculator", Arguments: json.RawMessage(`{"input": "6*7"}`)}
			return models.Response{ToolCalls: []models.ToolCall{call}, FinishReason: models.FinishToolCalls}, nil
		}
		return models.Response{Text: "done", FinishReason: models.FinishStop, Usage: models.Usage{InputTokens: 3, OutputTokens: 4}}, nil
	}, nil)
	document := drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}),
		drawnNode(t, "a", "agentAgentflow", "", object{"agentModel": "chatOpenAI", "agentUserMessage": "{{question}}",
			"agentTools": []any{object{"agentSelectedTool": "calculator", "agentSelectedToolConfig": object{"agentSelectedTool": "calculator"}}}}),
		drawnNode(t, "h", "httpAgentflow", "", object{"method": "GET", "url": shop.URL}),
		drawnNode(t, "d", "directReplyAgentflow", "", object{"directReplyMessage": "{{a.output.usedTools[0].tool}}={{a.output.usedTools[0].toolOutput}} of {{a.output.usedTools[0].toolInput}}, " +
			"{{a.output.usageMetadata.total_tokens}} tokens; {{h.output.http.headers.x-shop}} {{h.output.http}}; {{a.output.usedTools[9].tool}}"})},
		"s>a a>h h>d")
	session := r.play(engine.StartRequest{Workflow: r.put("records", document).ID, Inputs: json.RawMessage(`{"question": "6*7?"}`)})
	list, err := r.Executions(t.Context(), session.ID, engine.HistoryQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		if x.Step == "d" {
			var out struct{ Text string }
			if err := json.Unmarshal(x.Output, &out); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`calculator=42 of {"input":"6*7"}, 7 tokens; open {"http"`, `"data":{"a":1},"status":200`, `{{a.output.usedTools[9].tool}}`} {
				if !strings.Contains(out.Text, strings.Replace(want, `{"http"`, `{`, 1)) {
					t.Errorf("no %s in %s", want, out.Text)
				}
			}
			return
		}
	}
	t.Errorf("the reply never ran: %+v %+v", session.Error, session.Problems)
}

// A model that fails inside an iteration is a line in Flowise's words, without the address of
// the model.
func TestModelErrorInIteration(t *testing.T) {
	r := start(t, func(context.Context, models.Request) (models.Response, error) {
		return models.Response{}, models.StatusError("openai at 127.0.0.1:48731", http.StatusBadRequest, nil, "no bad")
	}, nil)
	document := drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}),
		drawnNode(t, "i", "iterationAgentflow", "", object{"iterationInput": `["a","b"]`}),
		drawnNode(t, "m", "llmAgentflow", "i", object{"llmModel": "chatOpenAI", "llmUserMessage": "{{$iteration}}"})}, "s>i")
	session := r.play(engine.StartRequest{Workflow: r.put("rounds", document).ID, Inputs: json.RawMessage(`{"question": "q"}`)})
	got, err := r.EvalReference(t.Context(), engine.ReferenceQuery{Session: session.ID, Text: "@{SESSION_ID}.i.text"})
	if err != nil {
		t.Fatal(err)
	}
	want := "Error in iteration 1: Error in LLM node: 400 no bad\nError in iteration 2: Error in LLM node: 400 no bad"
	var text string
	if err := json.Unmarshal(got.Value, &text); err != nil || text != want {
		t.Errorf("got %s %v, want %q", got.Value, err, want)
	}
}
