package flowise_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// Cases whose state is meant to be another here, and why.
var otherStates = map[string]struct{ want, why string }{
	"pt-dollar-pattern":     {`{"a":"x $& $1"}`, "inserted values are never patterns"},
	"pt-exact-object-typed": {`{"a":"{\n  \"x\": 1\n}"}`, "code shows an object as text"},
}

// What updates of the state make of a node's output: the value is in the update list of code
// that returns the recorded output.
func TestStateUpdates(t *testing.T) {
	r := start(t, nil, nil)
	played := 0
	for _, c := range logic(t, "state") {
		var in struct {
			State       map[string]json.RawMessage
			Update      []struct{ Key, Value string }
			FinalOutput json.RawMessage
		}
		if c.Fn != "processTemplateVariables" && c.Fn != "updateFlowState" || c.Error != "" {
			continue
		}
		if err := json.Unmarshal(c.Input, &in); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		played++
		t.Run(c.ID, func(t *testing.T) {
			update := map[string]json.RawMessage{}
			if c.Fn == "processTemplateVariables" {
				update, in.State = in.State, nil
			}
			for _, u := range in.Update {
				update[u.Key], _ = json.Marshal(u.Value)
			}
			rows := []map[string]json.RawMessage{}
			for key, value := range update {
				name, _ := json.Marshal(key)
				rows = append(rows, map[string]json.RawMessage{"key": name, "value": value})
			}
			if in.FinalOutput == nil {
				in.FinalOutput = json.RawMessage(`""`)
			}
			list, _ := json.Marshal(rows)
			code, _ := json.Marshal("return " + string(in.FinalOutput))
			state := []map[string]json.RawMessage{}
			for key, value := range in.State {
				name, _ := json.Marshal(key)
				state = append(state, map[string]json.RawMessage{"key": name, "value": value})
			}
			declared, _ := json.Marshal(state)
			flow := fmt.Sprintf(`{"nodes":[{"id":"start_0","data":{"name":"startAgentflow","inputs":{"startInputType":"chatInput","startState":%s}}},
				{"id":"code_0","data":{"name":"customFunctionAgentflow","inputParams":[{"name":"customFunctionUpdateState","array":[{"name":"value","acceptVariable":true}]}],
				"inputs":{"customFunctionJavascriptFunction":%s,"customFunctionUpdateState":%s}}},
				{"id":"end_0","data":{"name":"directReplyAgentflow","inputParams":[{"name":"directReplyMessage","acceptVariable":true}],"inputs":{"directReplyMessage":"{{$flow.state}}"}}}],
				"edges":[{"source":"start_0","target":"code_0"},{"source":"code_0","target":"end_0"}]}`, declared, code, list)
			own := r
			own.t = t
			w := own.put("s-"+c.ID, flow)
			session := own.play(engine.StartRequest{Workflow: w.ID})
			var got struct{ Text string }
			if err := json.Unmarshal(session.Result, &got); err != nil {
				t.Fatalf("%s: %s %v", session.Status, session.Result, session.Error)
			}
			want := string(c.Output)
			if other, ok := otherStates[c.ID]; ok {
				want = other.want
			}
			if !sameJSON(got.Text, want) {
				t.Errorf("state %s, want %s", got.Text, want)
			}
		})
	}
	if played == 0 {
		t.Error("no case was played")
	}
}
