package flowiseapi_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// changedTemplate is a template of Flowise's marketplace with the changes it was recorded
// with; a change that is not known fails the test.
func changedTemplate(t *testing.T, file string, changes []string) json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var flow map[string]any
	if err := json.Unmarshal(text, &flow); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		dropped, drops := strings.CutPrefix(change, "dropped nodes ")
		node, rest, _ := strings.Cut(change, ": ")
		switch {
		case strings.HasPrefix(change, "every model replaced"):
			for _, inputs := range templateInputs(flow, "") {
				replaceModels(inputs)
			}
		case drops:
			dropNodes(flow, strings.Split(dropped, ", "))
		case rest == "agentTools removed":
			for _, inputs := range templateInputs(flow, node) {
				inputs["agentTools"] = ""
			}
		case strings.HasPrefix(rest, "url set"):
			for _, inputs := range templateInputs(flow, node) {
				inputs["url"] = "http://127.0.0.1:STUB_PORT/http/json"
			}
		default:
			t.Fatalf("%s: the change %q", file, change)
		}
	}
	text, err = json.Marshal(flow)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// templateInputs are the inputs of a node, of all nodes when id is "".
func templateInputs(flow map[string]any, id string) []map[string]any {
	var out []map[string]any
	nodes, _ := flow["nodes"].([]any)
	for _, one := range nodes {
		node, _ := one.(map[string]any)
		data, _ := node["data"].(map[string]any)
		if inputs, ok := data["inputs"].(map[string]any); ok && (id == "" || node["id"] == id) {
			out = append(out, inputs)
		}
	}
	return out
}

func replaceModels(inputs map[string]any) {
	for _, name := range []string{"llmModel", "agentModel", "conditionAgentModel", "humanInputModel"} {
		if text, _ := inputs[name].(string); text != "" {
			inputs[name] = "chatOpenAI"
			inputs[name+"Config"] = map[string]any{"modelName": "stub-model", "temperature": 0.2, "streaming": false,
				"basepath": "http://127.0.0.1:STUB_PORT/v1", name: "chatOpenAI"}
		}
	}
}

func dropNodes(flow map[string]any, ids []string) {
	nodes, _ := flow["nodes"].([]any)
	flow["nodes"] = slices.DeleteFunc(nodes, func(one any) bool {
		node, _ := one.(map[string]any)
		id, _ := node["id"].(string)
		return slices.Contains(ids, id)
	})
	edges, _ := flow["edges"].([]any)
	flow["edges"] = slices.DeleteFunc(edges, func(one any) bool {
		edge, _ := one.(map[string]any)
		from, _ := edge["source"].(string)
		to, _ := edge["target"].(string)
		return slices.Contains(ids, from) || slices.Contains(ids, to)
	})
}
