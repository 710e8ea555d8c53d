package flowise_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// A runtime is what a recorded template was resolved in.
type runtime struct {
	Question   string
	Form       json.RawMessage
	Flow       map[string]json.RawMessage
	Vars       []struct{ Name, Value string }
	Uploaded   string
	History    []json.RawMessage
	LoopCounts map[string]int
	Webhook    json.RawMessage
	Iteration  *struct{ Value json.RawMessage }
}

// outputs are those of the session in which our workflow resolves the template: the nodes of
// the recorded context as they are here, and the values by name.
func (r runtime) outputs(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	vars := map[string]string{}
	for _, v := range r.Vars {
		vars[v.Name] = v.Value
	}
	loops := 0
	for _, n := range r.LoopCounts {
		loops = n
	}
	encode := func(v any) json.RawMessage {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return map[string]json.RawMessage{
		"question": encode(r.Question), "form": r.Form, "webhook": r.Webhook, "vars": encode(vars), "flow": encode(r.Flow), "state": r.Flow["state"],
		"past": encode(r.History[:1]), "chat": encode(r.History[1:]), "file_attachment": encode(r.Uploaded), "loop_count": encode(loops),
		"llmAgentflow_0":   json.RawMessage(`{"text":"new","output":{"score":7,"items":[{"n":"x"},{"n":"y"}],"flag":false,"zero":0,"nul":null,"title":"He said $& and $1"}}`),
		"httpAgentflow_0":  json.RawMessage(`{"response":{"ok":true,"list":[1,2]},"status_code":201}`),
		"objc_0":           json.RawMessage(`{"text":{"a":1}}`),
		"startAgentflow_0": json.RawMessage(`{"question":"hi there"}`),
	}
}

// around is a flow in which code reads a template, beside the nodes of the recorded context.
func around(t *testing.T, template string, inIteration bool) string {
	t.Helper()
	accept := `"inputParams":[{"name":"customFunctionInputVariables","array":[{"name":"variableValue","acceptVariable":true}]}]`
	parent := ""
	if inIteration {
		parent = `"parentNode":"iterationAgentflow_0",`
	}
	value, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	edge := func(from, to string) string { return `{"source":"` + from + `","target":"` + to + `"}` }
	edges := []string{edge("startAgentflow_0", "llmAgentflow_0"), edge("llmAgentflow_0", "httpAgentflow_0"), edge("httpAgentflow_0", "noOut_0"), edge("noOut_0", "objc_0")}
	nodes := []string{
		`{"id":"startAgentflow_0","data":{"name":"startAgentflow","inputs":{"startInputType":"chatInput"}}}`,
		`{"id":"llmAgentflow_0","data":{"name":"llmAgentflow","inputParams":[],"inputs":{"llmStructuredOutput":[{"key":"score","type":"number"},{"key":"items","type":"jsonArray","jsonSchema":"{}"},` +
			`{"key":"flag","type":"boolean"},{"key":"zero","type":"number"},{"key":"nul","type":"string"},{"key":"title","type":"string"}]}}}`,
		`{"id":"httpAgentflow_0","data":{"name":"httpAgentflow","inputParams":[],"inputs":{"url":"http://127.0.0.1:9/"}}}`,
		`{"id":"noOut_0","data":{"name":"customFunctionAgentflow","inputParams":[],"inputs":{"customFunctionJavascriptFunction":""}}}`,
		`{"id":"objc_0","data":{"name":"customFunctionAgentflow","inputParams":[],"inputs":{"customFunctionJavascriptFunction":""}}}`,
		`{"id":"read_0",` + parent + `"data":{"name":"customFunctionAgentflow",` + accept + `,"inputs":{"customFunctionJavascriptFunction":"return {value: $v}",` +
			`"customFunctionInputVariables":[{"variableName":"v","variableValue":` + string(value) + `}]}}}`,
	}
	if inIteration {
		nodes = append(nodes, `{"id":"iterationAgentflow_0","data":{"name":"iterationAgentflow","inputParams":[{"name":"iterationInput","acceptVariable":true}],"inputs":{"iterationInput":"{{$form.items}}"}}}`)
		edges = append(edges, edge("objc_0", "iterationAgentflow_0"))
	} else {
		edges = append(edges, edge("objc_0", "read_0"))
	}
	return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}

// Cases whose value is meant to be another here, and why.
var otherValues = map[string]struct{ want, why string }{
	"dollar-question-not-supported":     {`"hi there"`, "the seed document writes it so"},
	"chat-history-dollar-not-supported": {`"Human: q1\nAssistant: a1\nsys"`, "the same"},
	"question-twice-with-upload":        {`"hi there-hi there"`, "the uploaded text is part of the question"},
	"node-path-null-embedded":           {`"[{{llmAgentflow_0.output.nul}}]"`, "a key of a structured answer that is null is left out there: a model never leaves one"},
	"node-path-dollar-pattern-embedded": {`"t:He said $& and $1"`, "inserted values are never patterns"},
	"proto-path":                        {`"{{$form.__proto__}}"`, "values have no prototypes"},
}

func TestVariables(t *testing.T) {
	cases := logic(t, "variables")
	var base struct{ Context json.RawMessage }
	var whole struct{ Cases []json.RawMessage }
	readLogic(t, "variables", &whole)
	if err := json.Unmarshal(whole.Cases[0], &base); err != nil {
		t.Fatal(err)
	}
	r := start(t, nil, nil)
	played := 0
	for _, c := range cases {
		if c.Fn != "resolveVariables" {
			continue
		}
		played++
		t.Run(c.ID, func(t *testing.T) {
			var in struct {
				Template         string
				ContextOverrides json.RawMessage
			}
			var now runtime
			for text, into := range map[*json.RawMessage]any{&c.Input: &in, &base.Context: &now} {
				if err := json.Unmarshal(*text, into); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(string(in.ContextOverrides), "loopCounts") {
				now.LoopCounts = nil // decoding adds to a map
			}
			if in.ContextOverrides != nil {
				if err := json.Unmarshal(in.ContextOverrides, &now); err != nil {
					t.Fatal(err)
				}
			}
			want := string(c.Output)
			if other, ok := otherValues[c.ID]; ok {
				want = other.want
			}
			if got := resolved(t, r, c.ID, in.Template, now); !sameJSON(got, want) {
				t.Errorf("%s gives %s, want %s", in.Template, got, want)
			}
		})
	}
	if played == 0 {
		t.Error("no case was played")
	}
}

// resolved runs the step that reads a template, with the outputs of the recorded context.
func resolved(t *testing.T, r running, id, template string, now runtime) string {
	t.Helper()
	r.t = t
	outputs := now.outputs(t)
	if now.Iteration != nil {
		outputs["form"] = json.RawMessage(`{"items":[` + string(now.Iteration.Value) + `]}`)
	}
	w := r.put("v-"+id, around(t, template, now.Iteration != nil))
	entry := "read_0"
	if w.Step("read_0-values") != nil {
		entry = "read_0-values"
	}
	if now.Iteration != nil {
		entry = "iterationAgentflow_0"
	}
	session := r.play(engine.StartRequest{Workflow: w.ID, Entry: entry, Outputs: outputs})
	if session.Status != engine.StatusComplete {
		t.Fatalf("%s: %+v", session.Status, session.Error)
	}
	list, err := r.Executions(t.Context(), session.ID, engine.HistoryQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		if x.Step == "read_0" {
			var out struct {
				Result struct{ Value json.RawMessage }
			}
			if err := json.Unmarshal(x.Output, &out); err != nil {
				t.Fatal(err)
			}
			return string(out.Result.Value)
		}
	}
	t.Fatal("the step that reads has not run")
	return ""
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}
