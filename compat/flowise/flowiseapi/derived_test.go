package flowiseapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// says what a run asks and must be answered; order, where given, is what has run.
func turn(question, want string, order ...string) flowRun {
	return flowRun{request: asks(question), text: want, check: ran(order)}
}

func answered(kind, feedback, want string) flowRun {
	return flowRun{request: answers(kind, feedback), text: want}
}

// ran checks which nodes have run, by the end of their kinds and their numbers: F0 is
// customFunctionAgentflow_0.
func ran(order []string) func(*testing.T, *server, reply) {
	if order == nil {
		return nil
	}
	return func(t *testing.T, _ *server, r reply) {
		var got []string
		for _, e := range entriesOf(r.json["agentFlowExecutedData"]) {
			got = append(got, fmt.Sprint(e["nodeId"]))
		}
		var want []string
		for _, id := range order {
			want = append(want, wholeID(id))
		}
		if !slices.Equal(got, want) {
			t.Errorf("ran %v, want %v", got, want)
		}
	}
}

// wholeID is the id of a node of which a letter and a number are written.
func wholeID(short string) string {
	kinds := map[byte]string{'S': "start", 'D': "directReply", 'F': "customFunction", 'C': "condition", 'L': "loop", 'H': "humanInput", 'M': "llm", 'A': "agent",
		'P': "http", 'I': "iteration", 'K': "conditionAgent", 'T': "tool"}
	return kinds[short[0]] + "Agentflow_" + short[1:]
}

// edgesOf writes edges between short names in full: "S0>F0 C0:1>D0".
func edgesOf(short string) string {
	var out []string
	for _, one := range strings.Fields(short) {
		from, to, _ := strings.Cut(one, ">")
		source, handle, decides := strings.Cut(from, ":")
		whole := wholeID(source)
		if decides {
			whole += ":" + handle
		}
		out = append(out, whole+">"+wholeID(to))
	}
	return strings.Join(out, " ")
}

func kept(key string, value any) any { return row("key", key, "value", value) }

func begins(state ...any) map[string]any {
	return rowsNode("startAgentflow_0", map[string]any{"startInputType": "chatInput", "startState": state})
}

func decides(n int, rows ...any) map[string]any {
	return rowsNode(fmt.Sprint("conditionAgentflow_", n), map[string]any{"conditions": rows})
}

func texts(value1, operation, value2 string) any {
	return row("type", "string", "value1", value1, "operation", operation, "value2", value2)
}

func numbers(value1, operation, value2 string) any {
	return row("type", "number", "value1", value1, "operation", operation, "value2", value2)
}

func repeats(back string, most any, fallback string) map[string]any {
	return rowsNode("loopAgentflow_0", map[string]any{"loopBackToNode": wholeID(back) + "-x", "maxLoopCount": most, "fallbackMessage": fallback})
}

func human(n int, description string) map[string]any {
	return rowsNode(fmt.Sprint("humanInputAgentflow_", n), map[string]any{"humanInputDescriptionType": "fixed", "humanInputDescription": description, "humanInputEnableFeedback": true})
}

func thinks(n int, more map[string]any) map[string]any {
	return rowsNode(fmt.Sprint("llmAgentflow_", n), stubModel("llm", more))
}

func requests(path string, more map[string]any) map[string]any {
	in := map[string]any{"method": "GET", "url": "http://127.0.0.1:STUB_PORT/http/" + path}
	for name, value := range more {
		in[name] = value
	}
	return rowsNode("httpAgentflow_0", in)
}

// adds is code that adds a letter to the state.
func adds(n int, letter string) map[string]any {
	return runsCode(n, "return '"+letter+"'", map[string]any{"customFunctionUpdateState": []any{kept("n", "{{$flow.state.n}}"+letter)}})
}

// Cases derived from the rules of Flowise, where no recorded one shows them: joins, branches and
// loops.
func TestDerivedOrder(t *testing.T) {
	yes := texts("{{question}}", "equal", "y")
	letters := []any{runsCode(0, "return 'A'", nil), runsCode(1, "return 'B'", nil), runsCode(2, "return 'C'", nil), runsCode(3, "return 'X'", nil)}
	nested := append([]any{chatStart, decides(0, texts("{{question}}", "contains", "a")), decides(1, texts("{{question}}", "contains", "b")), decides(2, texts("{{question}}", "contains", "c")), says(0, "J")}, letters...)
	playFlows(t, map[string]flowCase{
		"parallel join": {[]any{chatStart, runsCode(0, "return 'a'", nil), runsCode(1, "return 'b'", nil), says(0, "{{customFunctionAgentflow_0}}{{customFunctionAgentflow_1}}")},
			edgesOf("S0>F0 S0>F1 F0>D0 F1>D0"), []flowRun{turn("x", "ab", "S0", "F0", "F1", "D0")}},
		"several edges of one handle": {[]any{chatStart, decides(0, yes), says(0, "y0"), says(1, "y1"), says(2, "n0"), says(3, "n1")}, edgesOf("S0>C0 C0:0>D0 C0:0>D1 C0:1>D2 C0:1>D3"),
			[]flowRun{turn("y", "y1", "S0", "C0", "D0", "D1"), turn("n", "n1", "S0", "C0", "D2", "D3")}},
		"two identical edges": {[]any{chatStart, runsCode(0, "return 'a'", nil), says(0, "{{customFunctionAgentflow_0}}")}, edgesOf("S0>F0 S0>F0 F0>D0"), []flowRun{turn("x", "a", "S0", "F0", "D0")}},
		"no edge for else":    {[]any{chatStart, decides(0, yes), says(0, "yes")}, edgesOf("S0>C0 C0:0>D0"), []flowRun{turn("y", "yes"), turn("n", " ", "S0", "C0")}},
		"start alone":         {[]any{chatStart}, "", []flowRun{turn("x", " ", "S0")}},
		"three nested conditions": {nested, edgesOf("S0>C0 C0:0>C1 C0:1>F0 C1:0>C2 C1:1>F1 C2:0>F2 C2:1>F3 F0>D0 F1>D0 F2>D0 F3>D0"), []flowRun{
			turn("abc", "J", "S0", "C0", "C1", "C2", "F2", "D0"), turn("ab", "J", "S0", "C0", "C1", "C2", "F3", "D0"), turn("a", "J", "S0", "C0", "C1", "F1", "D0"), turn("z", "J", "S0", "C0", "F0", "D0")}},
		"loop into a join": {[]any{begins(kept("n", "")), adds(0, "a"), adds(1, "b"), runsCode(2, "return $flow.state.n", nil), repeats("F0", 3, "fb {{$flow.state.n}}")},
			edgesOf("S0>F0 S0>F1 F0>F2 F1>F2 F2>L0"), []flowRun{turn("x", nil2, "S0", "F0", "F1", "F2", "L0", "F0", "F2", "L0", "F0", "F2", "L0")}},
		"loop of the text 0":  {[]any{begins(kept("n", "")), adds(0, "a"), repeats("F0", "0", "fb {{$flow.state.n}}")}, edgesOf("S0>F0 F0>L0"), []flowRun{turn("x", "fb aaaaaaaaaa")}},
		"loop of 0":           {[]any{begins(kept("n", "")), adds(0, "a"), repeats("F0", 0, "fb {{$flow.state.n}}")}, edgesOf("S0>F0 F0>L0"), []flowRun{turn("x", "fb aaaaa")}},
		"loop of 1":           {[]any{chatStart, runsCode(0, "return 1", nil), repeats("F0", 1, ""), says(0, "{{loopAgentflow_0}} {{loop_count}}")}, edgesOf("S0>F0 F0>L0 L0>D0"), []flowRun{turn("x", "Loop completed after reaching maximum iteration count of 1. 0")}},
		"loop with edges out": {[]any{chatStart, runsCode(0, "return 1", nil), repeats("F0", 3, ""), says(0, "{{loop_count}}")}, edgesOf("S0>F0 F0>L0 L0>D0"), []flowRun{turn("x", "2", "S0", "F0", "L0", "D0", "F0", "L0", "D0", "F0", "L0", "D0")}},
		"loop to nowhere":     {[]any{chatStart, runsCode(0, "return 1", nil), repeats("F7", 3, "")}, edgesOf("S0>F0 F0>L0"), []flowRun{turn("x", "Loop back to x (customFunctionAgentflow_7)", "S0", "F0", "L0")}},
		"an error in the midst": {[]any{chatStart, runsCode(0, "throw new Error('bad thing')", nil), says(0, "x")}, edgesOf("S0>F0 F0>D0"),
			[]flowRun{{request: asks("x"), status: 500, text: "Error: predictionsServices.buildChatflow - Error: NodeVM Execution Error: Error: bad thing"}}},
		"two people": {[]any{chatStart, human(0, "one {{question}}"), human(1, "two {{humanInputAgentflow_0}}"), says(0, "end {{question}} {{humanInputAgentflow_1}} {{chat_history}}")}, edgesOf("S0>H0 H0:0>H1 H1:0>D0"),
			[]flowRun{turn("q", "\n\none q"), answered("proceed", "fb1", "fb1\n\ntwo fb1"), answered("proceed", "", "end  proceed Human: q\nAssistant: \n\none q\nHuman: fb1\nAssistant: fb1\n\ntwo fb1")}},
		"a refusal that leads nowhere": {[]any{chatStart, human(0, "one"), says(0, "end")}, edgesOf("S0>H0 H0:0>D0"), []flowRun{turn("q", "\n\none"), answered("reject", "no way", "no way")}},
		"a question while one is open": {[]any{chatStart, human(0, "one {{question}}"), says(0, "end {{question}}")}, edgesOf("S0>H0 H0:0>D0"), []flowRun{turn("q", "\n\none q"), turn("q2", "\n\none q\n\none q2"), answered("proceed", "", "end "),
			{request: answers("proceed", ""), status: 500, text: "because it is in 'FINISHED' state. Only executions in 'STOPPED' state (or 'ERROR' after 'STOPPED') can be resumed."}}},
		"loop counts over stops": {[]any{chatStart, human(0, "again {{loop_count}}?"), repeats("H0", 2, "enough"), says(0, "ok")}, edgesOf("S0>H0 H0:0>D0 H0:1>L0"),
			[]flowRun{turn("q", "\n\nagain 0?"), answered("reject", "", "\n\nagain 0?\n\nagain 1?"), answered("reject", "", "enough")}},
	})
}

// nil2 is a text that depends on which of two branches came first.
const nil2 = "*"

// The same for values: conditions, requests, code, state and iterations.
func TestDerivedValues(t *testing.T) {
	lines := []any{runsCode(0, "return [1,'a']", nil), runsCode(1, `return '{"a":1}'`, nil), runsCode(2, "return 5", nil), runsCode(3, "return undefined", nil), runsCode(4, "return null", nil),
		runsCode(5, "return true", nil), runsCode(6, "return ''", nil), runsCode(7, "return await Promise.resolve('p')", nil), runsCode(8, "return '[broken'", nil), runsCode(9, "return 0", nil)}
	all, chain := "", "S0>F0"
	for i := range lines {
		all += fmt.Sprintf("{{customFunctionAgentflow_%d}}|", i)
		if i > 0 {
			chain += fmt.Sprintf(" F%d>F%d", i-1, i)
		}
	}
	one := edgesOf("S0>P0 P0>D0")
	request := func(path string, more map[string]any, shows string) []any {
		return []any{chatStart, requests(path, more), says(0, shows)}
	}
	branches := []any{says(0, "0"), says(1, "1"), says(2, "2"), says(3, "3"), says(4, "4")}
	fork := edgesOf("S0>C0 C0:0>D0 C0:1>D1 C0:2>D2 C0:3>D3 C0:4>D4")
	playFlows(t, map[string]flowCase{
		"conditions as text": {[]any{chatStart, rowsNode("conditionAgentflow_0", map[string]any{"conditions": `[{"type":"string","value1":"{{question}}","operation":"regex","value2":"^a\\\\d+$"},{"type":"number","value1":"{{question}}","operation":"larger","value2":"5"}]`}), says(0, "re"), says(1, "num"), says(2, "else")},
			edgesOf("S0>C0 C0:0>D0 C0:1>D1 C0:2>D2"), []flowRun{turn("a12", "re"), turn("12px", "num"), turn("b", "else")}},
		"numbers": {append([]any{chatStart, decides(0, numbers("{{question}}", "equal", "0"), numbers("{{question}}", "largerEqual", "1e3"), numbers("{{question}}", "isEmpty", ""), numbers("{{question}}", "notEmpty", ""))}, branches...), fork,
			[]flowRun{turn("abc", "0"), turn("1000", "1"), turn("-3", "3"), turn(".5x", "3")}},
		"markup in conditions": {append([]any{chatStart, decides(0, texts("<p>{{question}}</p>", "equal", "**yes**"), texts("{{question}}", "startsWith", "<b>q</b>"), texts("{{question}}", "isEmpty", ""), texts("{{question}}", "regex", "["))}, branches...), fork,
			[]flowRun{turn("yes", "0"), turn("*q*x", "1"), turn("", "2"), turn(" ", "4"), turn("Yes", "4")}},
		"which condition held": {[]any{chatStart, decides(0, texts("{{question}}", "equal", "y"), texts("{{question}}", "contains", "n")), says(0, "{{conditionAgentflow_0.output.conditions[0].isFulfilled}}"), says(1, "{{conditionAgentflow_0.output.conditions[1].operation}} {{conditionAgentflow_0}}"),
			says(2, "{{conditionAgentflow_0.output.conditions[2].isFulfilled}} {{conditionAgentflow_0.output.conditions[0].isFulfilled}}")}, edgesOf("S0>C0 C0:0>D0 C0:1>D1 C0:2>D2"),
			[]flowRun{turn("y", "true"), turn("nn", "contains {{conditionAgentflow_0}}"), turn("z", "true {{conditionAgentflow_0.output.conditions[0].isFulfilled}}")}},
		"which answer was given": {[]any{chatStart, human(0, "one"), says(0, "{{humanInputAgentflow_0.output.conditions[0].type}} {{humanInputAgentflow_0.output.conditions[0].feedback}} {{humanInputAgentflow_0.output.conditions[1].isFulfilled}} {{humanInputAgentflow_0.output.content}}")},
			edgesOf("S0>H0 H0:0>D0"), []flowRun{turn("q", "\n\none"), answered("proceed", "fb", "proceed fb false fb")}},
		"null in an answer":      {request("nulls", nil, "[{{httpAgentflow_0.output.http.data.query}}] [{{httpAgentflow_0.output.http.data.none}}] [{{httpAgentflow_0.output.http.data.items[1].name}}] {{httpAgentflow_0.output.http.data.items}}"), one, []flowRun{turn("x", "[null] [{{httpAgentflow_0.output.http.data.none}}] [null] [null,{\"name\":null}]")}},
		"null is an empty value": {[]any{chatStart, requests("nulls", nil), decides(0, texts("{{httpAgentflow_0.output.http.data.query}}", "isEmpty", "")), says(0, "empty"), says(1, "full")}, edgesOf("S0>P0 P0>C0 C0:0>D0 C0:1>D1"), []flowRun{turn("x", "empty")}},
		"a status is a result":   {request("status/503", nil, "{{httpAgentflow_0}} {{httpAgentflow_0.output.http.status}} {{httpAgentflow_0.output.http.statusText}}"), one, []flowRun{turn("x", `{"message":"status 503"} 503 Service Unavailable`)}},
		"rows of a body": {request("echo?a=1", map[string]any{"method": "POST", "bodyType": "xWwwFormUrlencoded", "queryParams": []any{kept("b", "{{question}}"), kept("", "x"), kept("c", "")}, "body": []any{kept("k", "{{question}} &"), kept("k", "2")}},
			"{{httpAgentflow_0}}"), one, []flowRun{turn("x y", `{"body":"k=x+y+%26&k=2","method":"POST","query":{"a":"1","b":"x y"}}`)}},
		"a raw body":        {request("echo", map[string]any{"method": "PUT", "bodyType": "raw", "body": "a {{question}}"}, "{{httpAgentflow_0.output.http.data.body}}"), one, []flowRun{turn("x y", "a x y")}},
		"lenient JSON":      {request("echo", map[string]any{"method": "PATCH", "bodyType": "json", "body": "\\{a: \"{{question}}\", // c\n 'b': \\[1,2,\\],}"}, "{{httpAgentflow_0.output.http.data.body}}"), one, []flowRun{turn("x y", `{"a":"x y","b":[1,2]}`)}},
		"GET sends no body": {request("echo", map[string]any{"bodyType": "json", "body": `{"a":1}`}, "{{httpAgentflow_0}}"), one, []flowRun{turn("x", `{"body":"","method":"GET","query":{}}`)}},
		"base64":            {request("text", map[string]any{"responseType": "base64"}, "{{httpAgentflow_0}}"), one, []flowRun{turn("x", "cGxhaW4gdGV4dA==")}},
		"what code returns": {append(append([]any{chatStart}, lines...), says(0, all)), edgesOf(chain + " F9>D0"), []flowRun{turn("x", "[\n  1,\n  \"a\"\n]|{\n  \"a\": 1\n}|5|{{customFunctionAgentflow_3}}|{{customFunctionAgentflow_4}}|true||p|[broken|0|")}},
		"into a text": {[]any{chatStart, runsCode(0, "return 'abc'", nil), says(0, "{{customFunctionAgentflow_0.output.content.length}} {{customFunctionAgentflow_0.output.content[1]}} {{customFunctionAgentflow_0.output.content.x}} {{customFunctionAgentflow_0.output.other.x}}")},
			edgesOf("S0>F0 F0>D0"), []flowRun{turn("x", "3 b {{customFunctionAgentflow_0.output.content.x}} {{customFunctionAgentflow_0.output.other.x}}")}},
		"what code reads":              {[]any{begins(kept("k", "v")), runsCode(0, "return $input + '|' + $flow.state.k + '|' + $flow.chatId + '|' + $flow.input + '|' + $a + '|' + $vars.token", map[string]any{"customFunctionInputVariables": []any{row("variableName", "a", "variableValue", "<p>{{question}}!</p>")}})}, edgesOf("S0>F0"), []flowRun{turn("x", "x|v|c|x|x!|T")}},
		"inserted text stays as it is": {[]any{chatStart, runsCode(0, "return '{{question}} {{$flow.sessionId}}'", nil), says(0, "{{ customFunctionAgentflow_0 }} {{customFunctionAgentflow\\_0}} {{{question}}} {{ nope }} {{question }}{{$flow.chatId}} {{ $vars.token }} {{$vars.none}} {{loop_count}} {{$iteration}}")}, edgesOf("S0>F0 F0>D0"), []flowRun{turn("x $& {{question}}", "{{question}} {{$flow.sessionId}} {{question}} {{$flow.sessionId}} x $& {{question}}} {{ nope }} x $& {{question}}c T {{$vars.none}} 0 {{$iteration}}")}},
		"updates of the state": {[]any{begins(kept("a", "1")), runsCode(0, `return {x:{y:[1,2]},s:"t"}`, map[string]any{"customFunctionUpdateState": []any{kept("p", "{{output.x.y}}"), kept("q", "see {{output.s}} here"), kept("u", "in {{output}} text"), kept("v", "{{ output.x.y[0] }}"), kept("w", "{{output.none}}")}}), says(0, "{{$flow.state}}")}, edgesOf("S0>F0 F0>D0"),
			[]flowRun{turn("x", `{"a":"1","p":[1,2],"q":"t","u":"in {{output}} text","v":"{{ output.x.y[0] }}","w":"{{output.none}}"}`)}},
		"state that persists": {[]any{rowsNode("startAgentflow_0", map[string]any{"startInputType": "chatInput", "startPersistState": true, "startState": `[{"key":"n","value":"0"},{"key":"m","value":"m"}]`}), runsCode(0, "return $flow.state.n + 'x'", map[string]any{"customFunctionUpdateState": []any{kept("n", "{{ output }}"), kept("extra", "e")}}), says(0, "{{$flow.state}}")}, edgesOf("S0>F0 F0>D0"),
			[]flowRun{turn("a", `{"n":"0x","m":"m","extra":"e"}`), turn("b", `{"n":"0xx","m":"m","extra":"e"}`)}},
		"items of all kinds":   {[]any{chatStart, iterates(`[{a: 1, 'b': [2]}, "s", 3, null, true,]`), inside("iterationAgentflow_0", says(1, "<{{$iteration}}|{{$iteration.a}}>")), says(0, "{{iterationAgentflow_0}}/{{iterationAgentflow_0.output.iterationResults[1]}}")}, throughIteration, []flowRun{turn("x", "<{\"a\":1,\"b\":[2]}|1>\n<s|s>\n<3|{{$iteration.a}}>\n<{{$iteration}}|{{$iteration.a}}>\n<true|{{$iteration.a}}>/<s|s>")}},
		"no list":              {[]any{chatStart, iterates(`{"a":1}`), inside("iterationAgentflow_0", says(1, "x")), says(0, "y")}, throughIteration, []flowRun{{request: asks("x"), status: 500, text: "Invalid input array"}}},
		"state between rounds": {[]any{begins(kept("n", "0")), iterates(`[1,2,3]`), inside("iterationAgentflow_0", runsCode(0, "return Number($flow.state.n)+Number($v)", map[string]any{"customFunctionInputVariables": []any{row("variableName", "v", "variableValue", "{{$iteration}}")}, "customFunctionUpdateState": []any{kept("n", "{{output}}")}})), says(0, "{{$flow.state.n}} {{customFunctionAgentflow_0}} {{iterationAgentflow_0}}")}, throughIteration, []flowRun{turn("x", "6 6 1\n3\n6")}},
		"a file goes with the question": {[]any{chatStart, thinks(0, nil), says(0, "{{question}} {{file_attachment}} {{chat_history}}")}, edgesOf("S0>M0 M0>D0"), []flowRun{{request: map[string]any{"question": "q", "chatId": "c", "uploads": []any{row("data", "FILE", "type", "file:full", "name", "a.txt")}}, script: []any{"r"},
			text: "<doc name='a.txt'>FILE</doc>\n\nq <doc name='a.txt'>FILE</doc> Human: <doc name='a.txt'>FILE</doc>\n\nq\nAssistant: r"}}},
	})
}

// The same for models: what they are asked, and what a person lets an agent call.
func TestDerivedTalks(t *testing.T) {
	asked := func(want ...string) func(*testing.T, *server, reply) {
		return func(t *testing.T, s *server, _ reply) {
			all, _ := s.stubs.heard()
			var got []string
			for _, one := range askedOf(all) {
				line := ""
				for _, m := range one.(map[string]any)["messages"].([]any) {
					line += fmt.Sprintf("%v:%v ", m.([]any)[0], m.([]any)[1])
				}
				got = append(got, strings.TrimSpace(line))
			}
			for i, w := range want {
				if i >= len(got) || w != "*" && got[i] != w {
					t.Errorf("call %d: asked %q\nwant %q", i, got, want)
				}
			}
		}
	}
	long := "a question with so many words that a short memory does not hold it"
	both := row("content", "", "tool_calls", []any{row("id", "c1", "name", "calculator", "args", map[string]any{"input": "2+3"}), row("id", "c2", "name", "calculator", "args", map[string]any{"input": "4*5"})})
	shows := func(input string) func(*testing.T, *server, reply) {
		return func(t *testing.T, _ *server, r reply) {
			if text := fmt.Sprint(r.json["text"]); !strings.Contains(text, `"input": "`+input+`"`) {
				t.Errorf("asks for leave for %s, want %s", text, input)
			}
		}
	}
	playFlows(t, map[string]flowCase{
		"order of messages": {[]any{chatStart, thinks(0, map[string]any{"llmMessages": []any{row("role", "user", "content", "u1"), row("role", "system", "content", "<p>sys {{question}}</p>"), row("role", "assistant", "content", "a1")}, "llmUserMessage": "<p>now {{question}}</p>", "llmReturnResponseAs": "userMessage"}),
			thinks(1, map[string]any{"llmMemoryType": "windowSize", "llmMemoryWindowSize": 1}), says(0, "{{runtime_messages_length}}")}, edgesOf("S0>M0 M0>M1 M1>D0"),
			[]flowRun{{request: asks("q1"), script: []any{"r1", "r2"}, text: "2", check: asked("system:sys q1 user:u1 assistant:a1 user:q1 user:now q1", "user:q1 user:r1")}}},
		"a summary and the newest messages": {[]any{chatStart, thinks(0, map[string]any{"llmMemoryType": "conversationSummaryBuffer", "llmMemoryMaxTokenLimit": 10})}, edgesOf("S0>M0"),
			[]flowRun{{request: asks(long), script: []any{"an answer that is as long as the question was, or longer"}}, {request: asks("q2"), script: []any{"SUM", "r2"}, text: "r2", check: asked("*", "system:Previous conversation summary: SUM user:q2")}}},
		"a summary beside a system message": {[]any{chatStart, thinks(0, map[string]any{"llmMemoryType": "conversationSummaryBuffer", "llmMemoryMaxTokenLimit": 10, "llmMessages": []any{row("role", "system", "content", "s")}})}, edgesOf("S0>M0"),
			[]flowRun{{request: asks(long), script: []any{"an answer that is as long as the question was, or longer"}}, {request: asks("q2"), script: []any{"SUM", "r2"}, check: asked("*", "system:s user:Previous conversation summary: SUM user:q2")}}},
		"history of a request": {[]any{chatStart, thinks(0, nil)}, edgesOf("S0>M0"), []flowRun{{request: map[string]any{"question": "q", "chatId": "c", "history": []any{row("role", "userMessage", "content", "h1"), row("role", "apiMessage", "content", "h2")}}, script: []any{"r"}, text: "r", check: asked("user:h1 assistant:h2 user:q")}}},
		"an empty answer":      {[]any{chatStart, thinks(0, nil), says(0, "[{{llmAgentflow_0}}]")}, edgesOf("S0>M0 M0>D0"), []flowRun{{request: asks("q"), script: []any{""}, text: "[]"}}},
		"ephemeral":            {[]any{rowsNode("startAgentflow_0", map[string]any{"startInputType": "chatInput", "startEphemeralMemory": true}), thinks(0, nil)}, edgesOf("S0>M0"), []flowRun{{request: asks("q1"), script: []any{"r1"}}, {request: asks("q2"), script: []any{"r2"}, check: asked("user:q2")}}},
		"two calls that need leave": {[]any{chatStart, rowsNode("agentAgentflow_0", stubModel("agent", map[string]any{"agentTools": []any{row("agentSelectedTool", "calculator", "agentSelectedToolRequiresHumanInput", true)}})), says(0, "R {{agentAgentflow_0}} {{agentAgentflow_0.output.usedTools[0].toolOutput}} {{agentAgentflow_0.output.usedTools[1].toolInput.input}}")}, edgesOf("S0>A0 A0>D0"),
			[]flowRun{{request: asks("q"), script: []any{both}, check: shows("2+3")}, {request: answers("proceed", ""), check: shows("4*5")}, {request: answers("proceed", ""), script: []any{"done"}, text: "R done 5 4*5"}}},
		"scenarios": {[]any{chatStart, rowsNode("conditionAgentAgentflow_0", stubModel("conditionAgent", map[string]any{"conditionAgentInput": "{{question}}", "conditionAgentEnableMemory": false, "conditionAgentInstructions": "<p>choose</p>", "conditionAgentScenarios": []any{row("scenario", "Order status"), row("scenario", "Refund"), row("scenario", "Other")}})),
			says(0, "0"), says(1, "1 {{conditionAgentAgentflow_0.output.conditions[1].output}}"), says(2, "2")}, edgesOf("S0>K0 K0:0>D0 K0:1>D1 K0:2>D2"), []flowRun{{request: asks("a"), script: []any{`{"output": "order STATUS"}`}, text: "0"},
			{request: asks("b"), script: []any{"Sure:\n```json\n{\"output\": \"a refund please\"}\n```"}, text: "1 Refund"}, {request: asks("c"), script: []any{`{"output": "nothing"}`}, text: "2"}, {request: asks("d"), script: []any{`{"output": "ord"}`}, text: "0"}}},
	})
}
