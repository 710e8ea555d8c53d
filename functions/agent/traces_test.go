package agent_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/agent"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
)

// A trace is a conversation of several models as another system recorded it: what its nodes
// were told, and what it sent to the model for them.
type trace struct {
	Flow struct{ Nodes []traceNode }
	Runs []traceRun
}

type traceNode struct {
	ID   string
	Data struct {
		Name, Label string
		Inputs      map[string]json.RawMessage
	}
}

type traceRun struct {
	Request struct {
		Question string
		History  []struct{ Role, Content string }
	}
	LLMScript   []json.RawMessage
	LLMRequests []map[string]any
	Status      int
	Response    struct {
		AgentFlowExecutedData []struct {
			NodeID string
			Data   struct{ ChatHistory []map[string]any }
		}
	}
}

func readTrace(t *testing.T, name string) trace {
	t.Helper()
	var out trace
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "flowise"), name+".json"), &out)
	return out
}

// scripted is a server that gives the replies of a run and keeps what it was sent.
type scripted struct {
	*httptest.Server
	replies []json.RawMessage
	seen    []map[string]any
}

func newScripted(t *testing.T) *scripted {
	s := &scripted{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &body)
	s.seen = append(s.seen, body)
	var reply struct {
		Content   string
		ToolCalls []struct {
			ID, Name string
			Args     json.RawMessage
		} `json:"tool_calls"`
	}
	if json.Unmarshal(s.replies[0], &reply.Content) != nil { // not just a text
		_ = json.Unmarshal(s.replies[0], &reply)
	}
	s.replies = s.replies[1:]
	message := map[string]any{"role": "assistant", "content": reply.Content}
	var calls []any
	for _, c := range reply.ToolCalls {
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": string(c.Args)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "stub-model", "choices": []any{map[string]any{"finish_reason": "stop", "message": message}}})
}

func (s *scripted) Model(string) (models.Model, string, error) {
	client, err := openai.New(openai.Options{BaseURL: s.URL})
	return client, "stub-model", err
}

func (s *scripted) Endpoint(models.Endpoint) (models.Model, error) { return nil, errors.New("none") }

// A talker plays the model nodes of a trace as agents, one after the other.
type talker struct {
	t      *testing.T
	server *scripted
	values map[string]json.RawMessage
	texts  map[string]string
	schema json.RawMessage
}

func (k *talker) node(n traceNode, calculator function.ToolInfo, run traceRun) {
	prefix := strings.TrimSuffix(n.Data.Name, "Agentflow")
	get := func(name string, v any) { _ = json.Unmarshal(n.Data.Inputs[prefix+name], v) }
	var remembers bool
	var memory, user, as string
	var window int
	var messages []map[string]string
	var structured, withTools []any
	get("EnableMemory", &remembers)
	get("MemoryType", &memory)
	get("MemoryWindowSize", &window)
	get("Messages", &messages)
	get("UserMessage", &user)
	get("ReturnResponseAs", &as)
	get("StructuredOutput", &structured)
	get("Tools", &withTools)
	for _, m := range messages {
		m["content"] = k.filled(m["content"])
	}
	in := map[string]any{"messages": messages, "user": k.filled(user), "memory": "none",
		"conversation": map[string]any{"name": "chat", "past": k.values["past"], "messages": k.values["chat"], "before": k.values["before"],
			"question": run.Request.Question, "role": strings.TrimSuffix(as, "Message"), "as": strings.ToLower(strings.ReplaceAll(n.Data.Label, " ", "_"))}}
	if remembers {
		in["memory"] = map[string]string{"allMessages": "all", "windowSize": "window", "conversationSummary": "summary"}[memory]
		in["history"] = "all"
	}
	if window > 0 && memory == "windowSize" {
		in["history"] = 2 * window
	}
	if structured != nil {
		in["schema"], in["schema_by"], in["text_as"], in["convert"] = k.schema, "tool", "pretty", prefix == "agent"
		if prefix == "agent" {
			in["text_as"] = "fenced"
		}
	}
	call := &function.Call{}
	if len(withTools) > 0 {
		call.Tools = []function.ToolInfo{calculator}
	}
	text, err := json.Marshal(in)
	if err != nil {
		k.t.Fatal(err)
	}
	heard := &function.Recorder{Named: map[string]json.RawMessage{"chat": k.values["chat"]}}
	var out json.RawMessage
	for {
		spec := agent.Extended(generate.Options{Models: k.server}, "agent", "")
		out, err = spec.Function.Call(function.WithSink(function.WithCall(k.t.Context(), call), heard), text)
		var over *function.CallTools
		if !errors.As(err, &over) {
			break
		}
		round := function.TranscriptEntry{Entry: over.Entry}
		for _, c := range over.Calls {
			round.Results = append(round.Results, function.ToolResult{ID: c.ID, Tool: c.Tool, Output: json.RawMessage(`"5"`)})
		}
		call.Transcript = append(call.Transcript, round)
	}
	if err != nil {
		k.t.Fatalf("%s: %v", n.ID, err)
	}
	var answer struct{ Text string }
	_ = json.Unmarshal(out, &answer)
	k.texts[n.ID] = answer.Text
	k.values["chat"] = heard.Named["chat"]
}

var markup = regexp.MustCompile(`</?p>`)

func (k *talker) filled(text string) string {
	for name, value := range k.texts {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	return markup.ReplaceAllString(text, "")
}

// TestRecordedConversations plays what another system recorded, and sends its models the same
// messages, tools and choices of tools; only how a summary is asked for is ours.
func TestRecordedConversations(t *testing.T) {
	for _, name := range []string{"llm_memory_roles", "llm_no_memory", "llm_window_memory", "llm_summary_memory", "llm_history_prepended", "llm_ephemeral",
		"llm_structured_output", "agent_plain", "agent_structured_output", "agent_tool_call"} {
		t.Run(name, func(t *testing.T) {
			flow, past := readTrace(t, name), []any{}
			for i, run := range flow.Runs {
				if run.Status != http.StatusOK {
					continue
				}
				k := &talker{t: t, server: newScripted(t), values: map[string]json.RawMessage{}, texts: map[string]string{"question": run.Request.Question}}
				k.server.replies = slices.Clone(run.LLMScript)
				k.values["past"], _ = json.Marshal(past)
				var before []any
				for _, m := range run.Request.History {
					before = append(before, map[string]any{"role": map[string]string{"userMessage": "user", "apiMessage": "assistant"}[m.Role], "content": m.Content})
				}
				k.values["before"], _ = json.Marshal(before)
				calculator := offered(run, k)
				last := ""
				for _, n := range flow.Flow.Nodes {
					if n.Data.Name == "llmAgentflow" || n.Data.Name == "agentAgentflow" {
						k.node(n, calculator, run)
						last = k.texts[n.ID]
					}
				}
				compareRun(t, i, run, k)
				if name != "llm_ephemeral" {
					past = append(past, map[string]any{"role": "user", "content": run.Request.Question}, map[string]any{"role": "assistant", "content": last})
				}
			}
		})
	}
}

// offered is the tool, and the schema of a structured output, that stand in a recorded request.
func offered(run traceRun, k *talker) (calculator function.ToolInfo) {
	for _, q := range run.LLMRequests {
		list, _ := q["tools"].([]any)
		for _, one := range list {
			f := one.(map[string]any)["function"].(map[string]any)
			parameters, _ := json.Marshal(f["parameters"])
			if f["name"] == "extract" {
				k.schema = parameters
				continue
			}
			calculator = function.ToolInfo{Name: f["name"].(string), Step: "calc", Function: "calculate", Description: f["description"].(string), Parameters: parameters}
		}
	}
	return calculator
}

const summaryMark = "<built-in summariser prompt with the conversation:> "

func compareRun(t *testing.T, i int, run traceRun, k *talker) {
	t.Helper()
	if len(k.server.seen) != len(run.LLMRequests) {
		t.Fatalf("run %d: the model was asked %d times, recorded are %d", i, len(k.server.seen), len(run.LLMRequests))
	}
	for n, want := range run.LLMRequests {
		got := k.server.seen[n]
		for _, list := range []any{want["messages"], got["messages"]} {
			for _, one := range list.([]any) {
				m := one.(map[string]any)
				if m["role"] == "tool" {
					delete(m, "name") // our wire has none
				}
				if m["tool_calls"] != nil && m["content"] == "" {
					delete(m, "content")
				}
			}
		}
		if text := lastContent(want); strings.HasPrefix(text, summaryMark) {
			if talked := strings.TrimPrefix(text, summaryMark); len(got["messages"].([]any)) != 1 || !strings.HasSuffix(lastContent(got), "\n\n"+talked) {
				t.Errorf("run %d, call %d: summed up %v, want %q", i, n, got["messages"], talked)
			}
			continue
		}
		for _, field := range []string{"messages", "tools", "tool_choice", "response_format"} {
			if !reflect.DeepEqual(got[field], want[field]) {
				t.Errorf("run %d, call %d: %s %v\nrecorded %v", i, n, field, got[field], want[field])
			}
		}
	}
	var added []map[string]any
	for _, e := range run.Response.AgentFlowExecutedData {
		for _, m := range e.Data.ChatHistory {
			delete(m, "additional_kwargs")
			added = append(added, m)
		}
	}
	var kept []map[string]any
	if err := json.Unmarshal(k.values["chat"], &kept); err != nil || !reflect.DeepEqual(kept, added) {
		t.Errorf("run %d: kept %s, recorded %v (%v)", i, k.values["chat"], added, err)
	}
}

func lastContent(q map[string]any) string {
	list := q["messages"].([]any)
	text, _ := list[len(list)-1].(map[string]any)["content"].(string)
	return text
}
