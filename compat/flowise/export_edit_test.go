package flowise_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

const tuned = `{"nodes":[
 {"id":"startAgentflow_0","type":"agentFlow","position":{"x":1,"y":2},"data":{"name":"startAgentflow","label":"Start","inputs":{"startInputType":"chatInput"}}},
 {"id":"conditionAgentflow_0","type":"agentFlow","position":{"x":1,"y":2},"data":{"name":"conditionAgentflow","label":"Is it?","inputParams":[{"name":"conditions","acceptVariable":true}],
   "outputAnchors":[{"id":"conditionAgentflow_0-output-0"},{"id":"conditionAgentflow_0-output-1"}],
   "inputs":{"conditions":[{"type":"string","value1":"{{question}}","operation":"equal","value2":"yes"}]}}},
 {"id":"llmAgentflow_0","type":"agentFlow","position":{"x":3,"y":4},"data":{"name":"llmAgentflow","label":"Think","inputParams":[{"name":"llmMessages","acceptVariable":true},{"name":"llmUserMessage","acceptVariable":true}],
   "inputs":{"llmModel":"chatOpenAI","llmModelConfig":{"modelName":"gpt-4o","temperature":"0.5"},"llmMessages":[{"role":"system","content":"<p>You are Concierge. Be brief &amp; kind.</p>"},{"role":"user","content":"<p>Asked: {{question}}</p>"}],"llmEnableMemory":false}}},
 {"id":"directReplyAgentflow_0","type":"agentFlow","position":{"x":3,"y":4},"data":{"name":"directReplyAgentflow","label":"Say","inputParams":[{"name":"directReplyMessage","acceptVariable":true}],"inputs":{"directReplyMessage":"<p>r {{question}}</p>"}}}],
 "edges":[
 {"id":"e1","source":"startAgentflow_0","target":"conditionAgentflow_0","sourceHandle":"startAgentflow_0-output-startAgentflow","targetHandle":"conditionAgentflow_0"},
 {"id":"e2","source":"conditionAgentflow_0","target":"llmAgentflow_0","sourceHandle":"conditionAgentflow_0-output-0","targetHandle":"llmAgentflow_0"},
 {"id":"e3","source":"conditionAgentflow_0","target":"directReplyAgentflow_0","sourceHandle":"conditionAgentflow_0-output-1","targetHandle":"directReplyAgentflow_0"}]}`

// edited is the tuned flow with one text of its steps' inputs changed.
func edited(t *testing.T, old, now string) *engine.Workflow {
	t.Helper()
	file, err := flowise.Parse("tuned.json", []byte(tuned))
	if err != nil {
		t.Fatal(err)
	}
	w, found := &file.Workflows[0], 0
	for i := range w.Steps {
		s := &w.Steps[i]
		found += strings.Count(s.Input, old)
		s.Input = strings.ReplaceAll(s.Input, old, now)
	}
	if found == 0 {
		for i := range w.Steps {
			t.Logf("%s %s", w.Steps[i].ID, w.Steps[i].Input)
		}
		t.Fatalf("no step has %s", old)
	}
	return w
}

// What people edit while a flow runs is written into the field it came from.
func TestEditsAreWrittenBack(t *testing.T) {
	for name, c := range map[string]struct{ old, now, want string }{
		"a prompt":       {"You are Concierge.", "You are Marvin & Co.", `"content": "<p>You are Marvin &amp; Co. Be brief &amp; kind.</p>"`},
		"a user message": {`Asked: `, `Asked just now: `, `"content": "<p>Asked just now: {{question}}</p>"`},
		"a reply":        {`"r `, `"EDITED `, `"directReplyMessage": "<p>EDITED {{question}}</p>"`},
		"a condition":    {`"yes"`, `"sure"`, `"value2": "sure"`},
		"a model":        {"gpt-4o", "gpt-4o-mini", `"modelName": "gpt-4o-mini"`},
		"a temperature":  {"0.5", "0.7", `"temperature": "0.7"`},
	} {
		t.Run(name, func(t *testing.T) {
			text, problems, err := flowise.Export(edited(t, c.old, c.now))
			if err != nil || len(problems) > 0 || !strings.Contains(string(text), c.want) {
				t.Errorf("%v %v\n%s", err, problems, text)
			}
		})
	}
}

// A reply written anew, with a reference of ours, becomes one with a variable of Flowise.
func TestATextWrittenAnewIsWrittenBack(t *testing.T) {
	w := edited(t, "r ", "r ")
	s := w.Step("directReplyAgentflow_0")
	s.Input = `{"say": true, "template": "Well, @{SESSION_ID}.question it is."}`
	text, problems, err := flowise.Export(w)
	if err != nil || len(problems) > 0 || !strings.Contains(string(text), "Well, {{question}} it is.") {
		t.Errorf("%v %v\n%s", err, problems, text)
	}
}

// What no field of the flow says is one sentence for each node.
func TestWhatCannotBeWrittenBackIsOneSentence(t *testing.T) {
	w := edited(t, "r ", "r ")
	w.Step("directReplyAgentflow_0").Function = "api"
	w.Step("llmAgentflow_0").Retry = `{"max_attempts": 9}`
	_, problems, err := flowise.Export(w)
	if err != nil || len(problems) != 2 {
		t.Fatalf("%v %v", err, problems)
	}
	for i, want := range []string{`step "directReplyAgentflow_0": its function is "api", and the file means "template"`, `step "llmAgentflow_0": its retry is {"max_attempts":9}, and the file means ""`} {
		if problems[i].Message != want {
			t.Errorf("got %s, want %s", problems[i].Message, want)
		}
	}
}

// A path drawn here becomes an edge as Flowise's editor makes one: id, handles, colours, label.
func TestNewPathsAreCompleteEdges(t *testing.T) {
	w := edited(t, "r ", "r ")
	w.Paths = append(w.Paths, engine.Path{ID: "x", Kind: engine.Next, Source: "llmAgentflow_0", Target: "directReplyAgentflow_0"},
		engine.Path{ID: "y", Kind: engine.Next, Source: "conditionAgentflow_0", Target: "llmAgentflow_0", Condition: "@{SESSION_ID}.conditionAgentflow_0.branches.1"})
	w.Normalize()
	text, problems, err := flowise.Export(w)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", err, problems)
	}
	for _, want := range []string{
		`{"id":"llmAgentflow_0-llmAgentflow_0-output-llmAgentflow-directReplyAgentflow_0-directReplyAgentflow_0","type":"agentFlow","source":"llmAgentflow_0","sourceHandle":"llmAgentflow_0-output-llmAgentflow","target":"directReplyAgentflow_0","targetHandle":"directReplyAgentflow_0","data":{"sourceColor":"#64B5F6","targetColor":"#4DDBBB","isHumanInput":false}}`,
		`{"id":"conditionAgentflow_0-conditionAgentflow_0-output-1-llmAgentflow_0-llmAgentflow_0","type":"agentFlow","source":"conditionAgentflow_0","sourceHandle":"conditionAgentflow_0-output-1","target":"llmAgentflow_0","targetHandle":"llmAgentflow_0","data":{"sourceColor":"#FFB938","targetColor":"#64B5F6","isHumanInput":false,"edgeLabel":"1"}}`} {
		var compact bytes.Buffer
		if json.Compact(&compact, text) != nil || !strings.Contains(compact.String(), want) {
			t.Errorf("there is no %s in\n%s", want, compact.String())
		}
	}
}

// Steps and paths that were added in the graph become nodes and edges, complete with handles,
// anchors and places; loaded again they are the same steps, and written again the same document.
func TestAddedStepsAreWritten(t *testing.T) {
	step := func(id, function, input string) engine.Step {
		x, y := 10.0, 20.0
		return engine.Step{ID: id, Name: "Step " + id, Function: function, Input: input, X: &x, Y: &y}
	}
	for name, c := range map[string]struct {
		step engine.Step
		want []string
	}{
		"a reply":       {step("n", "template", `{"template": "Well, @{SESSION_ID}.llmAgentflow_0.text and @{SESSION_ID}.state.k", "say": true}`), []string{`"directReplyMessage":"Well, {{llmAgentflow_0}} and {{$flow.state.k}}"`, `"name":"directReplyAgentflow"`}},
		"a request":     {step("n", "api", `{"method": "POST", "url": "https://example.com/@{SESSION_ID}.question", "headers": {"X-A": "b"}, "body": {"q": "@{SESSION_ID}.question"}}`), []string{`"url":"https://example.com/{{question}}"`, `"headers":[{"key":"X-A","value":"b"}]`, `"body":"{\"q\": \"{{question}}\"}"`}},
		"code":          {step("n", "code", `{"language": "javascript", "code": "return $a + 1", "variables": {"$a": "@{SESSION_ID}.llmAgentflow_0.text"}}`), []string{`"variableValue":"{{llmAgentflow_0}}"`}},
		"a question":    {step("n", "confirm", `{"prompt": "Send?"}`), []string{`"humanInputDescription":"Send?"`, `"id":"n-output-0"`, `"id":"n-output-1"`}},
		"another flow":  {step("n", "subflow", `{"workflow": "other", "inputs": {"question": "@{SESSION_ID}.question"}}`), []string{`"executeFlowSelectedFlow":"other"`, `"executeFlowInput":"{{question}}"`}},
		"a calculation": {step("n", "calculate", `{"expression": "1+@{SESSION_ID}.question"}`), []string{`"inputArgValue":"1+{{question}}"`}},
		"a model":       {step("n", "agent", `{"system": "Be brief.", "prompt": "@{SESSION_ID}.question", "temperature": 0.1, "model": "gpt-4o"}`), []string{`{"role":"system","content":"Be brief."}`, `"temperature":0.1`, `"modelName":"gpt-4o"`}},
		"a condition":   {step("n", "switch", `{"rules": [{"left": "@{SESSION_ID}.question", "operator": "contains", "right": "x"}, {"type": "number", "left": "@{SESSION_ID}.question", "operator": "larger", "right": "2"}]}`), []string{`"value1":"{{question}}"`, `"operation":"larger"`, `"id":"n-output-2"`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := edited(t, "r ", "r ")
			w.Steps = append(w.Steps, c.step)
			w.Paths = append(w.Paths, engine.Path{ID: "x", Kind: engine.Next, Source: "llmAgentflow_0", Target: "n"},
				engine.Path{ID: "y", Kind: engine.Next, Source: "directReplyAgentflow_0", Target: "n"})
			w.Normalize()
			text, problems, err := flowise.Export(w)
			if err != nil || len(problems) > 0 {
				t.Fatalf("%v %v\n%s", err, problems, text)
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, text); err != nil {
				t.Fatal(err)
			}
			for _, want := range append(c.want, `"position":{"x":10,"y":20}`, `"source":"llmAgentflow_0","sourceHandle":"llmAgentflow_0-output-llmAgentflow","target":"n","targetHandle":"n"`) {
				if !strings.Contains(compact.String(), want) {
					t.Errorf("there is no %s in\n%s", want, compact.String())
				}
			}
			file, err := flowise.Parse("again.json", text)
			if err != nil {
				t.Fatal(err)
			}
			if s := file.Workflows[0].Step("n"); s == nil || !strings.HasPrefix(s.Function+".", c.step.Function+".") || s.Name != c.step.Name {
				t.Errorf("loaded again: %+v", s)
			}
			second, problems, err := flowise.Export(&file.Workflows[0])
			if err != nil || len(problems) > 0 || !bytes.Equal(second, text) {
				t.Errorf("written again: %v %v\n%s", err, problems, second)
			}
		})
	}
}

// A step that no node of Flowise is like is named in one sentence, and so is a field that none has.
func TestAddedStepsThatFlowiseHasNot(t *testing.T) {
	for _, c := range []struct{ function, input, want string }{
		{"wait", `{"seconds": 5}`, `step "n": it was added, and no node of Flowise does what the function "wait" does`},
		{"template", `{"template": "x"}`, `step "n": it was added, and a node that only puts a text together is a Direct Reply, which says it: set "say": true`},
		{"api", `{"url": "https://example.com", "retry_on": [500]}`, `step "n": it was added, and HTTP has no field for "retry_on" of its input`},
	} {
		w := edited(t, "r ", "r ")
		w.Steps = append(w.Steps, engine.Step{ID: "n", Function: c.function, Input: c.input})
		_, problems, err := flowise.Export(w)
		if err != nil || len(problems) != 1 || problems[0].Message != c.want || problems[0].Step != "n" {
			t.Errorf("%v %v", err, problems)
		}
	}
}

// A field that a model of Flowise has is written where somebody adds it.
func TestAddedFieldsAreWritten(t *testing.T) {
	w := edited(t, "r ", "r ")
	s := w.Step("llmAgentflow_0")
	s.Input = strings.Replace(s.Input, "{", `{"max_tokens": 50, `, 1)
	text, problems, err := flowise.Export(w)
	if err != nil || len(problems) > 0 || !strings.Contains(string(text), `"maxTokens": 50`) {
		t.Errorf("%v %v\n%s", err, problems, text)
	}
}

const fetching = `{"nodes":[
 {"id":"startAgentflow_0","type":"agentFlow","data":{"name":"startAgentflow","label":"Start","inputs":{"startInputType":"chatInput"}}},
 {"id":"httpAgentflow_0","type":"agentFlow","data":{"name":"httpAgentflow","label":"Fetch","inputParams":[],"inputs":{"method":"GET","url":"https://shop.example/"}}},
 {"id":"agentAgentflow_0","type":"agentFlow","data":{"name":"agentAgentflow","label":"Agent","inputParams":[],"inputs":{"agentModel":"chatOpenAI","agentModelConfig":{"modelName":"gpt-4o"},"agentTools":[],"agentMessages":[]}}},
 {"id":"directReplyAgentflow_0","type":"agentFlow","data":{"name":"directReplyAgentflow","label":"Say","inputParams":[{"name":"directReplyMessage","acceptVariable":true}],
   "inputs":{"directReplyMessage":"old {{httpAgentflow_0.output.http.data.list[1]}} {{agentAgentflow_0.output.usedTools[0].tool}} of {{chat_history}}"}}}],
 "edges":[
 {"id":"e1","source":"startAgentflow_0","target":"httpAgentflow_0","sourceHandle":"startAgentflow_0-output-startAgentflow","targetHandle":"httpAgentflow_0"},
 {"id":"e2","source":"httpAgentflow_0","target":"agentAgentflow_0","sourceHandle":"httpAgentflow_0-output-httpAgentflow","targetHandle":"agentAgentflow_0"},
 {"id":"e3","source":"agentAgentflow_0","target":"directReplyAgentflow_0","sourceHandle":"agentAgentflow_0-output-agentAgentflow","targetHandle":"directReplyAgentflow_0"}]}`

// A text that is written anew with native references is written back, whether the compiler puts a
// step with values in front of the node for the old text, the new one, both or none.
func TestNativeReferencesAreWrittenBack(t *testing.T) {
	for now, want := range map[string]string{
		"q @{SESSION_ID}.question":                                                          "q {{question}}",
		"all @{SESSION_ID}.httpAgentflow_0.response":                                        "all {{httpAgentflow_0.output.http.data}}",
		"ok @{SESSION_ID}.httpAgentflow_0.response.ok":                                      "ok {{httpAgentflow_0.output.http.data.ok}}",
		"two @{SESSION_ID}.httpAgentflow_0.response.list[1]":                                "two {{httpAgentflow_0.output.http.data.list[1]}}",
		"deep @{SESSION_ID}.httpAgentflow_0.response.a.b-c[0].d and @{SESSION_ID}.question": "deep {{httpAgentflow_0.output.http.data.a.b-c[0].d}} and {{question}}",
		"code @{SESSION_ID}.httpAgentflow_0.status_code":                                    "code {{httpAgentflow_0.output.http.status}}",
		"type @{SESSION_ID}.httpAgentflow_0.headers.Content-Type":                           "type {{httpAgentflow_0.output.http.headers.content-type}}",
		"cost @{SESSION_ID}.agentAgentflow_0.tokens":                                        "cost {{agentAgentflow_0.output.usageMetadata.total_tokens}}",
		"said @{SESSION_ID}.agentAgentflow_0.text":                                          "said {{agentAgentflow_0}}",
		"no variable": "no variable",
	} {
		file, err := flowise.Parse("fetching.json", []byte(fetching))
		if err != nil {
			t.Fatal(err)
		}
		w := &file.Workflows[0]
		w.Step("directReplyAgentflow_0").Input = string(mustJSON(t, map[string]any{"say": true, "template": now}))
		text, problems, err := flowise.Export(w)
		if err != nil || len(problems) > 0 || !strings.Contains(string(text), string(mustJSON(t, want))) {
			t.Errorf("%s: %v %v", now, err, problems)
		}
		if strings.Contains(string(text), "old ") {
			t.Errorf("%s: the old text is still there", now)
		}
	}
}

// A step with values that somebody edited is not dropped in silence.
func TestEditedValuesAreReported(t *testing.T) {
	file, err := flowise.Parse("fetching.json", []byte(fetching))
	if err != nil {
		t.Fatal(err)
	}
	w := &file.Workflows[0]
	s := w.Step("directReplyAgentflow_0-values")
	s.Input = strings.Replace(s.Input, "return {", "log('seen'); return {", 1)
	if _, problems, err := flowise.Export(w); err != nil || len(problems) != 1 || problems[0].Step != s.ID {
		t.Errorf("%v %v", err, problems)
	}
	file, _ = flowise.Parse("fetching.json", []byte(fetching))
	s = file.Workflows[0].Step("directReplyAgentflow_0")
	s.Input = strings.Replace(s.Input, "old ", "new ", 1)
	if text, problems, err := flowise.Export(&file.Workflows[0]); err != nil || len(problems) > 0 || !strings.Contains(string(text), `"new {{httpAgentflow_0.output.http.data.list[1]}} {{agentAgentflow_0.output.usedTools[0].tool}} of {{chat_history}}"`) {
		t.Errorf("a word beside variables: %v %v\n%s", err, problems, text)
	}
}
