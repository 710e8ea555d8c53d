package flowiseapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A streamedEvent is an event of a prediction as a line of text: its name, and of nodes and
// words what they tell.
func streamedEvent(t *testing.T, frame string) string {
	t.Helper()
	var e struct {
		Event string
		Data  json.RawMessage
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(frame, "data:")), &e); err != nil {
		t.Fatalf("%q: %v", frame, err)
	}
	var text string
	var node struct{ NodeLabel, Status string }
	switch {
	case json.Unmarshal(e.Data, &text) == nil:
		return e.Event + " " + text
	case e.Event == "nextAgentFlow" && json.Unmarshal(e.Data, &node) == nil:
		return node.NodeLabel + " " + node.Status
	}
	return e.Event
}

// follow runs a flow and hands over each event as it comes.
func (s *server) follow(flow string, body map[string]any, each func(event string)) {
	s.t.Helper()
	body["streaming"] = true
	text, _ := json.Marshal(body)
	r, err := http.Post(s.url+flowise+"prediction/"+flow, "application/json", bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") {
			each(streamedEvent(s.t, lines.Text()))
		}
	}
}

func (s *server) events(flow string, body map[string]any) string {
	s.t.Helper()
	var all []string
	s.follow(flow, body, func(event string) {
		if event != "agentFlowExecutedData" {
			all = append(all, event)
		}
	})
	return strings.Join(all, "|")
}

func sameEvents(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("\n got  %q\n want %q", got, want)
	}
}

func (s *server) modelNode(id, label string) map[string]any {
	return flowNode(id, label, map[string]any{"llmModel": "chatOpenAI", "llmEnableMemory": true, "llmMemoryType": "allMessages", "llmReturnResponseAs": "userMessage",
		"llmModelConfig": map[string]any{"modelName": "stub", "basepath": "http://127.0.0.1:" + s.stubs.port + "/v1", "streaming": true}})
}

// What the last node's model says is passed on as it comes; what others say is not.
func TestTokensAreStreamed(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("models", flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		s.modelNode("llmAgentflow_0", "First"), s.modelNode("llmAgentflow_1", "Last"),
	}, flowEdge("startAgentflow_0", "startAgentflow", "llmAgentflow_0"), flowEdge("llmAgentflow_0", "llmAgentflow", "llmAgentflow_1")), nil)
	s.stubs.play([]json.RawMessage{json.RawMessage(`"silent"`), json.RawMessage(`["one ", "two"]`)})
	let, begin := s.stubs.hold(), s.stubs.holdAll()
	var all []string
	s.follow(id, map[string]any{"question": "q", "chatId": "c"}, func(event string) {
		all = append(all, event)
		begin() // the session is followed by now
		if event == "token one " {
			let() // the model goes on only when its first word has arrived here
		}
	})
	sameEvents(t, strings.ReplaceAll(strings.Join(all, "|"), "agentFlowExecutedData|", ""), "agentFlowEvent INPROGRESS|Start INPROGRESS|Start FINISHED|First INPROGRESS|First FINISHED|"+
		"Last INPROGRESS|token one |token two|calledTools|usageMetadata|Last FINISHED|agentFlowEvent FINISHED|metadata|end [DONE]")
}

// A model that does not stream is asked for the whole answer, which is one token; what an agent
// has called is told.
func TestWholeAnswersInAStream(t *testing.T) {
	s := newServer(t, nil)
	in := stubModel("agent", map[string]any{"agentTools": []any{row("agentSelectedTool", "calculator")}})
	config := in["agentModelConfig"].(map[string]any)
	config["streaming"], config["basepath"] = false, "http://127.0.0.1:"+s.stubs.port+"/v1"
	id := s.save("agent", flowOf([]any{chatStart, flowNode("agentAgentflow_0", "Agent", in)}, flowEdge("startAgentflow_0", "startAgentflow", "agentAgentflow_0")), nil)
	s.stubs.play([]json.RawMessage{json.RawMessage(`{"tool_calls": [{"name": "calculator", "args": {"input": "1+1"}}]}`), json.RawMessage(`["it ", "is ", "2"]`)})
	got := s.events(id, map[string]any{"question": "q"})
	sameEvents(t, got, "agentFlowEvent INPROGRESS|start 0 INPROGRESS|start 0 FINISHED|Agent INPROGRESS|token it is 2|calledTools|usedTools|Agent FINISHED|agentFlowEvent FINISHED|metadata|end [DONE]")
	asked, _ := s.stubs.heard()
	for _, q := range asked {
		if q["stream"] == true {
			t.Errorf("asked for a stream: %v", q)
		}
	}
}

// Branches that run side by side are told of one after another.
func TestBranchesInAStream(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("branches", flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		s.modelNode("llmAgentflow_0", "Left"), s.modelNode("llmAgentflow_1", "Right"),
	}, flowEdge("startAgentflow_0", "startAgentflow", "llmAgentflow_0"), flowEdge("startAgentflow_0", "startAgentflow", "llmAgentflow_1")), nil)
	s.stubs.play([]json.RawMessage{json.RawMessage(`["a", "b", "c"]`), json.RawMessage(`["a", "b", "c"]`)})
	got := s.events(id, map[string]any{"question": "q"})
	one := func(label string) string {
		return fmt.Sprintf("%s INPROGRESS|token a|token b|token c|calledTools|usageMetadata|%s FINISHED|", label, label)
	}
	begin, end := "agentFlowEvent INPROGRESS|Start INPROGRESS|Start FINISHED|", "agentFlowEvent FINISHED|metadata|end [DONE]"
	joined := strings.NewReplacer("token abc|", "token a|token b|token c|", "token ab|token c|", "token a|token b|token c|", "token a|token bc|", "token a|token b|token c|").Replace(got)
	if joined != begin+one("Left")+one("Right")+end && joined != begin+one("Right")+one("Left")+end {
		t.Errorf("got %q", got)
	}
}

// An iteration that ends a run says the result of each item, on lines of their own.
func TestIterationInAStream(t *testing.T) {
	s := newServer(t, nil)
	child := flowNode("directReplyAgentflow_0", "Child", map[string]any{"directReplyMessage": "<{{$iteration}}>"})
	child["parentNode"], child["extent"] = "iterationAgentflow_0", "parent"
	id := s.save("iteration", flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		flowNode("iterationAgentflow_0", "Each", map[string]any{"iterationInput": `["a","b"]`}), child,
	}, flowEdge("startAgentflow_0", "startAgentflow", "iterationAgentflow_0")), nil)
	sameEvents(t, s.events(id, map[string]any{"question": "q"}), "agentFlowEvent INPROGRESS|Start INPROGRESS|Start FINISHED|Each INPROGRESS|"+
		"Child INPROGRESS|Child FINISHED|Child INPROGRESS|Child FINISHED|token <a>|token \n<b>|Each FINISHED|agentFlowEvent FINISHED|metadata|end [DONE]")
}

// What goes wrong before anything runs is an event too.
func TestErrorsInAStream(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("greets", greetingFlow, nil)
	sameEvents(t, s.events(id, map[string]any{"question": "q", "history": []any{map[string]any{"role": "nobody"}}}),
		`error Error: predictionsServices.buildChatflow - Invalid history format. Each history item must have: { role: "apiMessage" | "userMessage", content: string }|end [DONE]`)
}
