package flowiseapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A flowCase is a flow of our own with what the runs of it have to answer, as Flowise would.
type flowCase struct {
	nodes []any
	edges string // a>b, or a:0>b for a branch, with blanks between them
	runs  []flowRun
}

type flowRun struct {
	request map[string]any
	script  []any // of the model
	text    any   // of the answer; of a run that fails the end of the message
	status  int   // 200 when 0
	check   func(t *testing.T, s *server, r reply)
}

func asks(question string) map[string]any {
	return map[string]any{"question": question, "chatId": "c"}
}

func answers(kind, feedback string) map[string]any {
	return map[string]any{"chatId": "c", "humanInput": map[string]any{"type": kind, "feedback": feedback}}
}

// rowsNode is a node as flowNode, whose lists accept variables in all their rows.
func rowsNode(id string, inputs map[string]any) map[string]any {
	return flowNode(id, strings.ReplaceAll(id, "Agentflow_", " "), inputs)
}

func inside(iteration string, node map[string]any) map[string]any {
	node["parentNode"], node["extent"] = iteration, "parent"
	return node
}

var chatStart = rowsNode("startAgentflow_0", map[string]any{"startInputType": "chatInput"})

func says(n int, message string) map[string]any {
	return rowsNode(fmt.Sprint("directReplyAgentflow_", n), map[string]any{"directReplyMessage": message})
}

func runsCode(n int, code string, inputs map[string]any) map[string]any {
	in := map[string]any{"customFunctionJavascriptFunction": code}
	for name, value := range inputs {
		in[name] = value
	}
	return rowsNode(fmt.Sprint("customFunctionAgentflow_", n), in)
}

// row is a row of a list: names and values.
func row(namesAndValues ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(namesAndValues); i += 2 {
		out[namesAndValues[i].(string)] = namesAndValues[i+1]
	}
	return out
}

func (c flowCase) flow() map[string]any {
	var edges []any
	for _, one := range strings.Fields(c.edges) {
		from, to, _ := strings.Cut(one, ">")
		source, handle, _ := strings.Cut(from, ":")
		if handle == "" {
			handle, _, _ = strings.Cut(source, "_")
		}
		edges = append(edges, flowEdge(source, handle, to))
	}
	return flowOf(c.nodes, edges...)
}

// playFlows runs each case on a server of its own.
func playFlows(t *testing.T, cases map[string]flowCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, map[string]json.RawMessage{"token": json.RawMessage(`"T"`)})
			text, err := json.Marshal(c.flow())
			if err != nil {
				t.Fatal(err)
			}
			id := s.save(name, json.RawMessage(strings.ReplaceAll(string(text), "STUB_PORT", s.stubs.port)), nil)
			for i, run := range c.runs {
				var script []json.RawMessage
				for _, reply := range run.script {
					one, err := json.Marshal(reply)
					if err != nil {
						t.Fatal(err)
					}
					script = append(script, one)
				}
				s.stubs.play(script)
				r := s.predict(id, run.request)
				if run.status != 0 && run.status != 200 {
					r.refused(t, run.status, fmt.Sprint(run.text))
				} else if run.text != nil && run.text != nil2 && (r.status != 200 || r.json["text"] != run.text) {
					t.Errorf("run %d: %d %q, want %q\n%s", i+1, r.status, r.json["text"], run.text, r.text)
				}
				if run.check != nil {
					run.check(t, s, r)
				}
			}
		})
	}
}

// outputOf is the last output of a node in an answer, as JSON.
func outputOf(r reply, node string) string {
	out := ""
	for _, e := range entriesOf(r.json["agentFlowExecutedData"]) {
		if e["nodeId"] == node {
			text, _ := json.Marshal(partOf(e, "output"))
			out = string(text)
		}
	}
	return out
}

const throughIteration = "startAgentflow_0>iterationAgentflow_0 iterationAgentflow_0>directReplyAgentflow_0"

func iterates(input any) map[string]any {
	return rowsNode("iterationAgentflow_0", map[string]any{"iterationInput": input})
}

// A declared value that holds the output of a node is filled in by the first node with an
// update list; one that was changed before, or whose path is not there, stays.
func TestDeclaredOutputs(t *testing.T) {
	begin := rowsNode("startAgentflow_0", map[string]any{"startInputType": "chatInput", "startState": []any{row("key", "a", "value", "{{ output }}"), row("key", "b", "value", "x {{ output }}"),
		row("key", "c", "value", "{{ output.k.v }}"), row("key", "d", "value", "{{ output.none }}"), row("key", "e", "value", "{{ output }}"), row("key", "f", "value", "plain")}})
	first := runsCode(0, "return {k: {v: 5}}", map[string]any{"customFunctionUpdateState": []any{row("key", "e", "value", "own")}})
	second := runsCode(1, "return 'two'", map[string]any{"customFunctionUpdateState": []any{row("key", "z", "value", "{{ output }}")}})
	pretty := `{\n  \"k\": {\n    \"v\": 5\n  }\n}`
	playFlows(t, map[string]flowCase{"": {[]any{begin, runsCode(2, "return 'no list'", nil), first, second, says(0, "{{$flow.state}}")},
		"startAgentflow_0>customFunctionAgentflow_2 customFunctionAgentflow_2>customFunctionAgentflow_0 customFunctionAgentflow_0>customFunctionAgentflow_1 customFunctionAgentflow_1>directReplyAgentflow_0",
		[]flowRun{{request: asks("q"), text: `{"a":"` + pretty + `","b":"x ` + pretty + `","c":5,"d":"{{ output.none }}","e":"own","f":"plain","z":"two"}`}}}})
}

// A round that ends with a node that shows no text shows a blank.
func TestRoundsWithoutText(t *testing.T) {
	get := rowsNode("httpAgentflow_0", map[string]any{"method": "GET", "url": "http://127.0.0.1:STUB_PORT/http/{{$iteration}}"})
	large := rowsNode("conditionAgentflow_0", map[string]any{"conditions": []any{row("type", "number", "value1", "{{$iteration}}", "operation", "larger", "value2", "2")}})
	playFlows(t, map[string]flowCase{
		"a request": {[]any{chatStart, iterates(`["json", "status/404"]`), inside("iterationAgentflow_0", get), says(0, "[{{iterationAgentflow_0}}]")},
			throughIteration, []flowRun{{request: asks("q"), text: "[ \n ]"}}},
		"a branch that leads nowhere": {[]any{chatStart, iterates(`[1, 2, 3]`), inside("iterationAgentflow_0", large), inside("iterationAgentflow_0", says(1, "large {{$iteration}}")), says(0, "[{{iterationAgentflow_0}}]")},
			throughIteration + " conditionAgentflow_0:0>directReplyAgentflow_1", []flowRun{{request: asks("q"), text: "[ \n \nlarge 3]"}}},
	})
}

// Paths are those of lodash.
func TestPaths(t *testing.T) {
	form := map[string]any{"first name": "F", "a@b": "at", "x-y": "XY", "é": "E", "l": []any{map[string]any{"z": "Z"}, 2}}
	formStart := rowsNode("startAgentflow_0", map[string]any{"startInputType": "formInput"})
	playFlows(t, map[string]flowCase{
		"form": {[]any{formStart, says(0, "{{$form.first name}}|{{$form.a@b}}|{{$form.x-y}}|{{$form.é}}|{{$form.l[0].z}}|{{$form.l.0.z}}|{{$form.l.length}}|{{$form.é.length}}|{{$form.no such}}|{{$form.l[-1]}}|{{$form..}}|{{$form.l[}}")},
			"startAgentflow_0>directReplyAgentflow_0", []flowRun{{request: map[string]any{"form": form}, text: "F|at|XY|E|Z|Z|2|1|{{$form.no such}}|{{$form.l[-1]}}|{{$form..}}|{{$form.l[}}"}}},
		"item": {[]any{chatStart, iterates(`[{"first name": "F", "l": [1, 2]}]`), inside("iterationAgentflow_0", says(1, `{{$iteration.first name}} {{$iteration["first name"]}} {{$iteration.l.length}}`)), says(0, "{{iterationAgentflow_0}}")},
			throughIteration, []flowRun{{request: asks("q"), text: "F F 2"}}},
	})
}

// What a description of a structured output says may come from the talk, and keys may have any
// name.
func TestStructuredOutputs(t *testing.T) {
	model := rowsNode("llmAgentflow_0", stubModel("llm", map[string]any{"llmStructuredOutput": []any{row("key", "two words", "type", "string", "description", "about {{question}}"),
		row("key", "l", "type", "stringArray", "description", ""), row("key", "e", "type", "enum", "enumValues", "a, @{b}", "description", "")}}))
	playFlows(t, map[string]flowCase{"": {[]any{chatStart, model, says(0, "{{llmAgentflow_0.output.two words}}|{{llmAgentflow_0.output.l.length}}|{{llmAgentflow_0.output.l[0]}}|{{llmAgentflow_0.output.l[7]}}")},
		"startAgentflow_0>llmAgentflow_0 llmAgentflow_0>directReplyAgentflow_0", []flowRun{{request: asks("cats"), text: "tw|1|a|{{llmAgentflow_0.output.l[7]}}",
			script: []any{row("tool_calls", []any{row("name", "extract", "args", row("two words", "tw", "l", []any{"a"}, "e", "a"))})},
			check: func(t *testing.T, s *server, _ reply) {
				asked, _ := s.stubs.heard()
				if tools, _ := json.Marshal(asked[0]["tools"]); !strings.Contains(string(tools), `"description":"about cats"`) || !strings.Contains(string(tools), `"enum":["a","@{b}"]`) {
					t.Errorf("asked for %s", tools)
				}
			}}}}})
}

// stubModel are the inputs of a model node that asks the model of the stub.
func stubModel(prefix string, inputs map[string]any) map[string]any {
	out := map[string]any{prefix + "Model": "chatOpenAI", prefix + "ModelConfig": map[string]any{"modelName": "stub-model", "basepath": "http://127.0.0.1:STUB_PORT/v1"},
		prefix + "EnableMemory": true, prefix + "MemoryType": "allMessages", prefix + "ReturnResponseAs": "assistantMessage"}
	for name, value := range inputs {
		out[name] = value
	}
	return out
}

// Variables in an update of the state are resolved before the node runs, but for its output.
func TestStateUpdatesReadWhatWas(t *testing.T) {
	counts := runsCode(0, "return 'R' + $flow.state.p.length", map[string]any{"customFunctionUpdateState": []any{row("key", "p", "value", "{{customFunctionAgentflow_0}}"), row("key", "o", "value", "{{ output }}")}})
	again := rowsNode("loopAgentflow_0", map[string]any{"loopBackToNode": "customFunctionAgentflow_0-x", "maxLoopCount": 3, "loopUpdateState": []any{row("key", "l", "value", "{{$flow.state.l}}{{loop_count}}")},
		"fallbackMessage": "{{$flow.state.p}} {{$flow.state.o}} {{$flow.state.l}} {{loop_count}}"})
	begin := rowsNode("startAgentflow_0", map[string]any{"startInputType": "chatInput", "startState": []any{row("key", "p", "value", ""), row("key", "l", "value", "")}})
	playFlows(t, map[string]flowCase{"": {[]any{begin, counts, again}, "startAgentflow_0>customFunctionAgentflow_0 customFunctionAgentflow_0>loopAgentflow_0",
		[]flowRun{{request: asks("q"), text: "R29 R2 01 2"}}}})
}

// The rows of a body are those of its list, though its parameter stands twice in a node; what
// a request was answered is there in all its parts.
func TestRequestNodes(t *testing.T) {
	body := rowsNode("httpAgentflow_0", map[string]any{"method": "POST", "url": "http://127.0.0.1:STUB_PORT/http/echo", "bodyType": "xWwwFormUrlencoded",
		"body": []any{row("key", "{{question}}", "value", "<p>{{question}} & b</p>"), row("key", "", "value", "x"), row("key", "none", "value", "")}})
	data := body["data"].(map[string]any)
	data["inputParams"] = []any{row("name", "url", "acceptVariable", true), row("name", "body", "type", "string", "acceptVariable", true),
		row("name", "body", "type", "array", "acceptVariable", true, "array", []any{row("name", "key"), row("name", "value", "acceptVariable", true)})}
	nested := rowsNode("httpAgentflow_0", map[string]any{"method": "POST", "url": "http://127.0.0.1:STUB_PORT/http/status/404", "bodyType": "json",
		"body": map[string]any{"a": []any{"{{question}}", 1}}})
	broken := rowsNode("httpAgentflow_0", map[string]any{"method": "POST", "url": "http://127.0.0.1:STUB_PORT/http/echo", "bodyType": "json", "body": `{"a": }`})
	const edges = "startAgentflow_0>httpAgentflow_0 httpAgentflow_0>directReplyAgentflow_0"
	sent := func(want string) func(*testing.T, *server, reply) {
		return func(t *testing.T, s *server, _ reply) {
			if _, called := s.stubs.heard(); len(called) != 1 || called[0]["body"] != want {
				t.Errorf("sent %v, want %s", called, want)
			}
		}
	}
	playFlows(t, map[string]flowCase{
		"rows": {[]any{chatStart, body, says(0, "{{httpAgentflow_0.output.http.data.body}}")}, edges, []flowRun{{request: asks("a"), text: "a=a+%26+b"}}},
		"an object": {[]any{chatStart, nested, says(0, "{{httpAgentflow_0.output.http.status}} {{httpAgentflow_0.output.http.statusText}} {{httpAgentflow_0.output.http.headers.content-type}}")}, edges,
			[]flowRun{{request: asks(`say "hi"`), text: "404 Not Found application/json", check: sent(`{"a":["say \"hi\"",1]}`)}}},
		"no JSON": {[]any{chatStart, broken, says(0, "x")}, edges, []flowRun{{request: asks("a"), status: 500, text: "Invalid JSON format in body. Original error: "}}},
	})
}

// Tools that make requests give what was answered, as text; arguments that are JSON once their
// variables have values are what they say.
func TestRequestTools(t *testing.T) {
	tool := func(component, url string, more map[string]any) map[string]any {
		in := map[string]any{"toolAgentflowSelectedTool": component, "toolAgentflowSelectedToolConfig": map[string]any{component + "Url": url}, "toolInputArgs": "", "toolUpdateState": ""}
		for name, value := range more {
			in[name] = value
		}
		return rowsNode("toolAgentflow_0", in)
	}
	const edges = "startAgentflow_0>toolAgentflow_0 toolAgentflow_0>directReplyAgentflow_0"
	sent := func(want string) func(*testing.T, *server, reply) {
		return func(t *testing.T, s *server, _ reply) {
			if _, called := s.stubs.heard(); len(called) != 1 || called[0]["body"] != want {
				t.Errorf("sent %v, want %s", called, want)
			}
		}
	}
	post := func(body string) []any {
		return []any{chatStart, tool("requestsPost", "http://127.0.0.1:STUB_PORT/http/echo", map[string]any{"toolInputArgs": []any{row("inputArgName", "body", "inputArgValue", body)}}), says(0, "ok")}
	}
	agent := rowsNode("agentAgentflow_0", stubModel("agent", map[string]any{"agentTools": []any{row("agentSelectedTool", "requestsGet", "agentSelectedToolConfig",
		map[string]any{"requestsGetUrl": "http://127.0.0.1:STUB_PORT/http/text", "requestsGetName": "get"})}}))
	playFlows(t, map[string]flowCase{
		"shown": {[]any{chatStart, tool("requestsGet", "http://127.0.0.1:STUB_PORT/http/{{question}}", map[string]any{"toolUpdateState": []any{row("key", "n", "value", "{{ output.items.1.name }}")}}), says(0, "{{toolAgentflow_0}}{{$flow.state.n}}")},
			edges, []flowRun{{request: asks("text"), text: "plain text{{ output.items.1.name }}"}, {request: asks("json"), text: `{"items":[{"id":1,"name":"one"},{"id":2,"name":"two"}],"ok":true}` + "\ntwo"}}},
		"JSON":         {post(`{"a": "{{question}}"}`), edges, []flowRun{{request: asks("x"), check: sent(`{"a":"x"}`)}}},
		"escaped JSON": {post(`\{"a": \["{{question}}"\]\}`), edges, []flowRun{{request: asks("x"), check: sent(`{"a":["x"]}`)}}},
		"other text":   {post(`{{question}}`), edges, []flowRun{{request: asks("{x"), check: sent(`{x`)}}},
		"of an agent": {[]any{chatStart, agent, says(0, "{{agentAgentflow_0}}")}, "startAgentflow_0>agentAgentflow_0 agentAgentflow_0>directReplyAgentflow_0", []flowRun{{request: asks("q"), text: "done",
			script: []any{row("tool_calls", []any{row("name", "get", "args", map[string]any{})}), "done"}, check: func(t *testing.T, _ *server, r reply) {
				if got := outputOf(r, "agentAgentflow_0"); !strings.Contains(got, `"usedTools":[{"tool":"get","toolInput":{},"toolOutput":"plain text"}]`) {
					t.Errorf("output %s", got)
				}
			}}}},
	})
}

// What a model said before it asks for leave to call a tool stands above the question.
func TestLeaveForTools(t *testing.T) {
	agent := rowsNode("agentAgentflow_0", stubModel("agent", map[string]any{"agentTools": []any{row("agentSelectedTool", "calculator", "agentSelectedToolRequiresHumanInput", true)}}))
	call := func(words, input string) any {
		return row("content", words, "tool_calls", []any{row("id", "c1", "name", "calculator", "args", map[string]any{"input": input})})
	}
	playFlows(t, map[string]flowCase{"": {[]any{chatStart, agent, says(0, "R {{agentAgentflow_0}}")}, "startAgentflow_0>agentAgentflow_0 agentAgentflow_0>directReplyAgentflow_0", []flowRun{
		{request: asks("q"), script: []any{call("Let me see.", "1+1")}, check: func(t *testing.T, _ *server, r reply) {
			if text := fmt.Sprint(r.json["text"]); !strings.HasPrefix(text, "Let me see.\nAttempting to use tool:\n```json\n{\n  \"name\": \"calculator\"") || r.json["action"] == nil {
				t.Errorf("asks %s", r.text)
			}
		}},
		{request: answers("proceed", "go"), script: []any{call("", "2+2")}},
		{request: answers("proceed", ""), script: []any{"done"}, text: "R done", check: func(t *testing.T, _ *server, r reply) {
			if got := outputOf(r, "agentAgentflow_0"); !strings.Contains(got, `"toolOutput":"2"`) || !strings.Contains(got, `"toolOutput":"4"`) {
				t.Errorf("output %s", got)
			}
		}}}}})
}

// A run that has executed too many nodes fails, and is not left in progress.
func TestNodeLimit(t *testing.T) {
	again := rowsNode("loopAgentflow_0", map[string]any{"loopBackToNode": "customFunctionAgentflow_0-x", "maxLoopCount": 2000})
	playFlows(t, map[string]flowCase{"": {[]any{chatStart, runsCode(0, "return 1", nil), again}, "startAgentflow_0>customFunctionAgentflow_0 customFunctionAgentflow_0>loopAgentflow_0",
		[]flowRun{{request: asks("q"), status: 500, text: "Error: predictionsServices.buildChatflow - Maximum iteration limit reached", check: func(t *testing.T, s *server, _ reply) {
			if list := s.do("GET", flowise+"executions?state=ERROR", nil); list.json["total"] != 1.0 {
				t.Errorf("executions in error: %v", list.json["total"])
			}
		}}}}})
}

// What a person says to a node that takes no feedback is its content, and stands nowhere else.
func TestNoFeedback(t *testing.T) {
	human := rowsNode("humanInputAgentflow_0", map[string]any{"humanInputDescriptionType": "fixed", "humanInputDescription": "OK?", "humanInputEnableFeedback": false})
	playFlows(t, map[string]flowCase{"": {[]any{chatStart, human, says(0, "{{humanInputAgentflow_0}}")}, "startAgentflow_0>humanInputAgentflow_0 humanInputAgentflow_0:0>directReplyAgentflow_0",
		[]flowRun{{request: asks("q"), text: "\n\nOK?"}, {request: answers("proceed", "good"), text: "good", check: func(t *testing.T, _ *server, r reply) {
			want := `{"conditions":[{"isFulfilled":true,"startNodeId":"humanInputAgentflow_0","type":"proceed"},{"isFulfilled":false,"startNodeId":"humanInputAgentflow_0","type":"reject"}],"content":"good"}`
			if got := outputOf(r, "humanInputAgentflow_0"); got != want {
				t.Errorf("output %s, want %s", got, want)
			}
		}}}}})
}

// A condition agent fails when the reply names no scenario as text, and shows the reply as it
// came.
func TestRepliesOfConditionAgents(t *testing.T) {
	chooses := rowsNode("conditionAgentAgentflow_0", stubModel("conditionAgent", map[string]any{"conditionAgentInput": "{{question}}", "conditionAgentInstructions": "",
		"conditionAgentScenarios": []any{row("scenario", "A"), row("scenario", "B")}}))
	cases := map[string]flowCase{}
	for _, reply := range []string{`{"x": "A"}`, `{"output": 5}`, `{"output": ""}`, `none`} {
		cases[reply] = flowCase{[]any{chatStart, chooses, says(0, "a"), says(1, "b")},
			"startAgentflow_0>conditionAgentAgentflow_0 conditionAgentAgentflow_0:0>directReplyAgentflow_0 conditionAgentAgentflow_0:1>directReplyAgentflow_1",
			[]flowRun{{request: asks("q"), script: []any{reply}, status: 500, text: `Raw LLM Response: "` + reply + `"`}}}
	}
	playFlows(t, cases)
}
