package flowiseapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// eventOf is an event with entries as short as the recorded ones.
func eventOf(one map[string]any) any {
	list, ok := one["data"].([]any)
	if !ok || one["event"] != "agentFlowExecutedData" {
		if data, ok := one["data"].(map[string]any); ok {
			one["data"] = withoutInput(withActions(data))
		}
		return one
	}
	var short []any
	for _, e := range entriesOf(list) {
		s := map[string]any{"nodeId": e["nodeId"], "status": e["status"]}
		if data, ok := e["data"].(map[string]any); ok {
			for _, part := range []string{"state", "error"} {
				if data[part] != nil {
					s[part] = data[part]
				}
			}
			s["output"] = partOf(e, "output")
		} else {
			for _, part := range []string{"state", "error"} {
				if e[part] != nil {
					s[part] = e[part]
				}
			}
			s["output"] = cleaned(e["output"])
		}
		short = append(short, s)
	}
	return map[string]any{"event": one["event"], "data": short}
}

func withActions(data map[string]any) map[string]any {
	if action, ok := data["action"]; ok {
		data["action"] = withoutInput(action)
	}
	return data
}

// withoutInput leaves out what a node was given: models' inputs hold what only Flowise has.
func withoutInput(action any) any {
	object, ok := action.(map[string]any)
	if !ok {
		return action
	}
	if data, ok := object["data"].(map[string]any); ok {
		delete(data, "input")
	}
	return object
}

func inSession(value any) any {
	text, _ := json.Marshal(value)
	var out any
	_ = json.Unmarshal([]byte(strings.ReplaceAll(strings.ReplaceAll(string(text), `\u003csession\u003e`, traceSession), "<session>", traceSession)), &out)
	return out
}

func fieldNames(object map[string]any) []string {
	var names []string
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func entriesOf(value any) []map[string]any {
	list, _ := value.([]any)
	var out []map[string]any
	for _, one := range list {
		if e, ok := one.(map[string]any); ok {
			out = append(out, e)
		}
	}
	return out
}

func orderOf(entries []map[string]any) []string {
	var out []string
	for _, e := range entries {
		out = append(out, fmt.Sprintf("%v:%v", e["nodeId"], e["status"]))
	}
	return out
}

func partOf(entry map[string]any, part string) any {
	data, _ := entry["data"].(map[string]any)
	switch part {
	case "output":
		return cleaned(data["output"])
	case "chatHistory":
		var out []any
		list, _ := data[part].([]any)
		for _, one := range list {
			message, _ := one.(map[string]any)
			out = append(out, []any{message["role"], message["content"], message["name"]})
		}
		return out
	}
	return data[part]
}

// recorded reports whether the recording of an entry has a part at all.
func recorded(entry map[string]any, part string) bool {
	data, _ := entry["data"].(map[string]any)
	if output, ok := data["output"].(map[string]any); ok && part == "output" {
		call, isCall := output["http"].(map[string]any)
		return !isCall || call["headers"] != nil
	}
	_, there := data[part]
	return there
}

// measured are fields of a model's output that hold times, counts of tokens and what the
// vendor's library says.
var measured = []string{"timeMetadata", "usageMetadata", "responseMetadata", "availableTools", "calledTools"}

func cleaned(output any) any {
	object, ok := output.(map[string]any)
	if !ok {
		return output
	}
	out := map[string]any{}
	for name, value := range object {
		switch {
		case slices.Contains(measured, name):
		case name == "humanInputAction":
			out[name] = withoutInput(value)
		case name == "http":
			out[name] = withKindOnly(value)
		default:
			out[name] = value
		}
	}
	return out
}

// withKindOnly leaves of headers what the traces have kept.
func withKindOnly(value any) any {
	object, _ := value.(map[string]any)
	if headers, ok := object["headers"].(map[string]any); ok {
		kind, _ := headers["content-type"].(string)
		kind, _, _ = strings.Cut(kind, ";")
		object["headers"] = map[string]any{"content-type": kind}
	}
	return object
}

// askedOf is what a model was asked, as far as flows decide it.
func askedOf(list []map[string]any) []any {
	out := []any{}
	for _, q := range list {
		var messages []any
		all, _ := q["messages"].([]any)
		for _, one := range all {
			m, _ := one.(map[string]any)
			var calls []any
			given, _ := m["tool_calls"].([]any)
			for _, c := range given {
				call, _ := c.(map[string]any)
				calls = append(calls, call["function"])
			}
			name := m["name"]
			if m["role"] == "tool" {
				name = nil // the call's id tells
			}
			content := m["content"]
			if content == "" {
				content = nil
			}
			messages = append(messages, []any{m["role"], content, name, calls})
		}
		var tools []any
		offered, _ := q["tools"].([]any)
		for _, one := range offered {
			tool, _ := one.(map[string]any)
			function, _ := tool["function"].(map[string]any)
			tools = append(tools, function["name"])
		}
		out = append(out, map[string]any{"model": q["model"], "temperature": q["temperature"], "messages": messages, "tools": tools, "tool_choice": q["tool_choice"]})
	}
	return out
}

// forgivePrompts takes our own instructions for Flowise's, of which the traces have only the
// place.
func forgivePrompts(got, want []any) {
	for i := range min(len(got), len(want)) {
		ours, _ := got[i].(map[string]any)["messages"].([]any)
		theirs, _ := want[i].(map[string]any)["messages"].([]any)
		for j := range min(len(ours), len(theirs)) {
			if text, _ := theirs[j].([]any)[1].(string); strings.HasPrefix(text, "<built-in ") {
				ours[j].([]any)[1] = text
			}
		}
	}
}

func calledOf(list []map[string]any) []any {
	out := []any{}
	for _, q := range list {
		out = append(out, []any{q["method"], q["path"], q["body"]})
	}
	return out
}
