package flowise

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// shownInput is what Flowise records a node to have been given, as far as clients look at it:
// what it was resolved to, with the texts of the node for the rest.
func shownInput(n *shownNode, x *engine.Execution) json.RawMessage {
	in := gjson.ParseBytes(x.Input)
	var f fields
	switch n.name {
	case kindStart:
		gjson.ParseBytes(x.Output).ForEach(func(key, value gjson.Result) bool {
			switch name := key.String(); name {
			case "question", "webhook", "form":
				f.raw(name, []byte(value.Raw))
			}
			return true
		})
	case kindCustomFunction:
		rows := n.inputs.Get("customFunctionInputVariables").Raw
		if rows == "" || rows[0] != '[' {
			rows = "[]"
		}
		f.raw("inputVariables", []byte(rows))
		f.raw("code", []byte(n.inputs.Get("customFunctionJavascriptFunction").Raw))
	case kindCondition:
		f.raw("conditions", conditionInput(in))
	case kindHumanInput:
		out := gjson.ParseBytes(x.Output)
		f.set("type", orWord(out, ""))
		f.set("startNodeId", n.id)
		if remark := remarkOf(out); remark != "" {
			f.set("feedback", remark)
		}
	case kindLoop:
		f.raw("nodeID", []byte(gjson.GetBytes(x.Output, "target").Raw))
		f.raw("maxLoopCount", []byte(gjson.GetBytes(x.Output, "max").Raw))
	case kindIteration:
		f.raw("iterationInput", []byte(in.Get("items").Raw))
	case kindHTTP:
		var call fields
		call.raw("method", []byte(in.Get("method").Raw))
		call.raw("url", []byte(in.Get("url").Raw))
		f.raw("http", call.object())
	case kindDirectReply:
	default:
		n.inputs.ForEach(func(key, value gjson.Result) bool {
			if value.Type != gjson.String || value.String() != "" {
				f.raw(key.String(), []byte(value.Raw))
			}
			return true
		})
	}
	return f.object()
}

// conditionInput is the rules by their numbers.
func conditionInput(in gjson.Result) json.RawMessage {
	list := map[int]json.RawMessage{}
	for i, rule := range in.Get("rules").Array() {
		list[i] = ruleRecord(rule).object()
	}
	return plainJSON(list)
}

// askedInput is what a node that waits for a person is recorded to have been given.
func askedInput(n *shownNode) json.RawMessage {
	var f fields
	f.raw("messages", []byte("[]"))
	f.set("humanInputEnableFeedback", n.inputs.Get("humanInputEnableFeedback").Bool())
	return f.object()
}
