package flowise_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
	"github.com/tidwall/gjson"
)

// Which scenario a reply of a model names.
func TestScenarios(t *testing.T) {
	reply := ""
	r := start(t, func(context.Context, models.Request) (models.Response, error) {
		return models.Response{Text: reply, FinishReason: models.FinishStop}, nil
	}, nil)
	choose := func(t *testing.T, id, text string, scenarios []string) (int, *engine.Session) {
		t.Helper()
		r := running{r.Engine, t}
		reply = text
		rows := []object{}
		for _, s := range scenarios {
			rows = append(rows, object{"scenario": s})
		}
		session, entries := r.record("choose-"+id, drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}),
			drawnNode(t, "c", "conditionAgentAgentflow", "", object{"conditionAgentScenarios": rows, "conditionAgentInput": "x"})}, "s>c"), engine.StartRequest{}, nil)
		for i, one := range gjson.GetBytes(entryOf(t, entries, "c").Data.Output, "conditions").Array() {
			if one.Get("isFulfilled").Bool() {
				return i, session
			}
		}
		return -1, session
	}
	eachLogic(t, "condition_agent", "findBestScenarioIndex", func(t *testing.T, c logicCase) {
		var in struct {
			Scenarios        []string
			CalledOutputName string
		}
		decode(t, c.Input, &in)
		text, _ := json.Marshal(object{"output": in.CalledOutputName})
		got, _ := choose(t, c.ID, string(text), in.Scenarios)
		number, _ := json.Marshal(got)
		same(t, "scenario", number, c.Output)
	})
	eachLogic(t, "condition_agent", "parseJsonMarkdown", func(t *testing.T, c logicCase) {
		var in struct{ Text string }
		decode(t, c.Input, &in)
		got, session := choose(t, c.ID, in.Text, []string{"other", "a"})
		if c.ID == "pj-brace-and-backtick-inside" {
			return // Flowise takes what stands between backticks for a fence; here it is a text
		}
		if c.Error == "" && got != 1 || c.Error != "" && session.Error == nil {
			t.Errorf("scenario %d, error %+v, want %s %s", got, session.Error, c.Output, c.Error)
		}
	})
}

// What a request changes of a node.
func TestRecordedOverrides(t *testing.T) {
	eachLogic(t, "misc", "replaceInputsWithConfig", func(t *testing.T, c logicCase) {
		var in struct {
			Node struct {
				ID, Name, Label string
				Inputs          json.RawMessage
			}
			OverrideConfig, NodeOverrides json.RawMessage
		}
		decode(t, c.Input, &in)
		document, _ := json.Marshal(object{"nodes": []object{{"id": in.Node.ID, "data": object{"id": in.Node.ID, "name": in.Node.Name, "label": in.Node.Label, "inputs": in.Node.Inputs}}}})
		config := flowise.ReadAPIConfig(`{"overrideConfig":{"status":true,"nodes":` + string(in.NodeOverrides) + `}}`)
		got, _ := config.Override(string(document), in.OverrideConfig)
		same(t, "inputs", json.RawMessage(gjson.Get(got, "nodes.0.data.inputs").Raw), c.Output)
	})
}

// Which histories and forms a request may bring.
func TestRequestParts(t *testing.T) {
	eachLogic(t, "misc", "validateHistorySchema", func(t *testing.T, c logicCase) {
		var in struct{ History json.RawMessage }
		decode(t, c.Input, &in)
		_, err := (&flowise.Prediction{History: in.History}).Before()
		if (err == nil) != (string(c.Output) == "true") {
			t.Errorf("%v, want %s", err, c.Output)
		}
	})
	eachLogic(t, "misc", "isObjectNotEmpty", func(t *testing.T, c logicCase) {
		var in struct{ Value json.RawMessage }
		decode(t, c.Input, &in)
		if got := (&flowise.Prediction{Form: in.Value}).HasForm(); got != (string(c.Output) == "true") {
			t.Errorf("%t, want %s", got, c.Output)
		}
	})
}

// What a webhook's text makes of the call.
func TestWebhookTexts(t *testing.T) {
	eachLogic(t, "variables", "resolveWebhookRefs", func(t *testing.T, c logicCase) {
		var in struct {
			Template string
			Webhook  json.RawMessage
		}
		decode(t, c.Input, &in)
		inputs := gjson.Parse(string(mustJSON(t, object{"webhookInputMode": "text", "webhookDefaultInput": in.Template})))
		start := flowise.Start{Input: "webhookTrigger", Inputs: inputs}
		var want string
		decode(t, c.Output, &want)
		if want == "" {
			want = " " // a run without words is one of a blank
		}
		if got := start.Asked(&flowise.Prediction{Webhook: in.Webhook}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// Which variables a request may override. Those that Flowise reads from the environment are
// configured here like all others.
func TestOverriddenVariables(t *testing.T) {
	eachLogic(t, "variables", "getGlobalVariable", func(t *testing.T, c logicCase) {
		var in struct {
			OverrideConfig, VariableOverrides json.RawMessage
			AvailableVariables                []struct {
				Name, Type string
				Value      json.RawMessage
			}
		}
		decode(t, c.Input, &in)
		got := map[string]json.RawMessage{}
		for _, v := range in.AvailableVariables {
			if v.Type == "runtime" {
				return
			}
			got[v.Name] = v.Value
		}
		config := flowise.ReadAPIConfig(`{"overrideConfig":{"status":true,"variables":` + string(in.VariableOverrides) + `}}`)
		for name, value := range config.Vars(in.OverrideConfig) {
			got[name] = value
		}
		same(t, "variables", mustJSON(t, got), c.Output)
	})
}

// How the talk reads as text.
func TestHistoryText(t *testing.T) {
	r := start(t, nil, nil)
	eachLogic(t, "variables", "convertChatHistoryToText", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct {
			History []struct{ Message, Type string }
		}
		decode(t, c.Input, &in)
		past := []flowise.ChatMessage{}
		for _, m := range in.History {
			past = append(past, flowise.ChatMessage{Role: strings.NewReplacer("apiMessage", "assistant", "userMessage", "user").Replace(m.Type), Content: m.Message})
		}
		_, entries := r.record("history-"+c.ID, drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}),
			drawnNode(t, "a", "directReplyAgentflow", "", object{"directReplyMessage": "{{chat_history}}"})}, "s>a"),
			engine.StartRequest{Outputs: map[string]json.RawMessage{"past": mustJSON(t, past)}}, nil)
		same(t, "history", json.RawMessage(gjson.GetBytes(entryOf(t, entries, "a").Data.Output, "content").Raw), c.Output)
	})
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
