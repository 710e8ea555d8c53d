package api

import (
	"net/url"
	"strings"
	"testing"
)

// TestPathsOfImportedWorkflows: a path that the system a workflow came from would not connect
// is refused when it is added, and says why; one it would is taken.
func TestPathsOfImportedWorkflows(t *testing.T) {
	w := newWorld(t, Options{})
	for _, file := range []struct{ id, text string }{
		{"fl", `{"nodes":[{"id":"s","data":{"name":"startAgentflow","inputParams":[{"name":"startInputType"}],"inputs":{"startInputType":"chatInput"}}},
			{"id":"c","data":{"name":"conditionAgentflow","inputParams":[],"inputs":{"conditions":[]}}},
			{"id":"a","data":{"name":"directReplyAgentflow","inputParams":[],"inputs":{"directReplyMessage":"a"}}},
			{"id":"b","data":{"name":"directReplyAgentflow","inputParams":[],"inputs":{"directReplyMessage":"b"}}}],
			"edges":[{"source":"s","target":"c","sourceHandle":"s-output-s"},{"source":"c","target":"a","sourceHandle":"c-output-0"},{"source":"a","target":"b","sourceHandle":"a-output-a"}]}`},
		{"nf", `{"version":"1.1.0","nodes":[{"id":"t","type":"text-format","position":{"x":0,"y":0},"data":{"content":"t"}},{"id":"i","type":"if-else","position":{"x":0,"y":0},"data":{"content":"${1} == t"}},
			{"id":"p","type":"preview","position":{"x":0,"y":0},"data":{}}],
			"edges":[{"id":"1","source":"t","target":"i"},{"id":"2","source":"i","target":"p","sourceHandle":"true","targetHandle":"in-0"}]}`},
		{"az", `{"name":"az","nodes":[{"id":"in","type":"input","position":{"x":0,"y":0},"data":{"label":"I"}},{"id":"c","type":"condition","position":{"x":0,"y":0},"data":{"label":"C","expression":"True"}},
			{"id":"g","type":"agent","position":{"x":0,"y":0},"data":{"label":"G"}},{"id":"h","type":"agent","position":{"x":0,"y":0},"data":{"label":"H"}},{"id":"out","type":"output","position":{"x":0,"y":0},"data":{"label":"O"}}],
			"edges":[{"id":"1","source":"in","target":"c"},{"id":"2","source":"c","target":"g","sourceHandle":"true"},{"id":"3","source":"g","target":"out"},{"id":"4","source":"in","target":"h"},{"id":"5","source":"h","target":"out"}]}`},
		{"cc", `{"nodes":[{"id":"r","type":"routerNode","data":{"agentName":"R"}},{"id":"d","type":"departmentNode","data":{"agentName":"D"}},{"id":"e","type":"departmentNode","data":{"agentName":"E"}},
			{"id":"t","type":"subAgentNode","data":{"functionName":"t"}},{"id":"i","type":"integrationNode","data":{"integrationType":"mock","mockOutput":"{}"}},
			{"id":"k","type":"integrationNode","data":{"integrationType":"mock","mockOutput":"{}"}}],
			"edges":[{"id":"1","source":"r","target":"d"},{"id":"2","source":"d","target":"t"},{"id":"3","source":"t","target":"i"},{"id":"4","source":"d","target":"e"}]}`},
	} {
		w.do("POST", "/api/v1/workflows/import?force=true&name="+file.id+".json&workflow="+file.id, file.text).want(200)
	}
	for _, c := range []struct{ workflow, path, want string }{
		{"fl", `{"source":"a","target":"a"}`, "itself"},
		{"fl", `{"source":"b","target":"c"}`, "closes a circle: b > c > a > b"},
		{"fl", `{"source":"b","target":"a"}`, "Loop node"},
		{"fl", `{"source":"c","target":"b","extra":{"from_port":"c-output-7"}}`, "there is no"},
		{"fl", `{"source":"c","target":"b","extra":{"from_port":"c-output-0-A","to_port":"b-input-x-B"}}`, "types"},
		{"nf", `{"source":"p","target":"t"}`, "closes a circle"},
		{"nf", `{"source":"i","target":"p","extra":{"to_port":"in-1"}}`, "by true or by false"},
		{"nf", `{"source":"t","target":"p","extra":{"to_port":"in-0"}}`, "has its edge already"},
		{"az", `{"source":"g","target":"in"}`, "closes a circle"},
		{"az", `{"source":"c","target":"h","extra":{"from_port":"true"}}`, "for true already"},
		{"az", `{"source":"c","target":"h"}`, "by true or by false"},
		{"cc", `{"kind":"TOOL","source":"d","target":"d"}`, "itself"},
		{"cc", `{"kind":"TOOL","source":"e","target":"d"}`, "closes a circle: e > d > e"},
		{"cc", `{"kind":"TOOL","source":"e","target":"r"}`, "closes a circle"},
		{"cc", `{"kind":"TOOL","source":"k","target":"e"}`, "a tool uses an integration"},
		{"cc", `{"kind":"TOOL","source":"r","target":"i"}`, "a tool uses an integration"},
		{"cc", `{"kind":"TOOL","source":"t","target":"k"}`, "uses the integration"},
	} {
		got := w.do("POST", "/api/v1/workflows/"+c.workflow+"/paths", c.path).problem("path_refused")
		if !strings.Contains(got.text, c.want) {
			t.Errorf("%s %s: %s, want %q", c.workflow, c.path, got.text, c.want)
		}
	}
	w.do("POST", "/api/v1/workflows/fl/paths", `{"source":"c","target":"b","extra":{"from_port":"c-output-0"}}`).want(201)
	w.do("POST", "/api/v1/workflows/nf/paths", `{"source":"t","target":"p","extra":{"to_port":"in-1"}}`).want(201)
	w.do("POST", "/api/v1/workflows/az/paths", `{"source":"c","target":"h","extra":{"from_port":"false"}}`).want(201)
	w.do("POST", "/api/v1/workflows/cc/paths", `{"kind":"TOOL","source":"r","target":"e"}`).want(201)

	// An edit of the whole workflow, and one that takes a path to another handle, obey the same rules.
	whole := w.do("GET", "/api/v1/workflows/fl", nil).want(200).json
	paths, _ := whole["paths"].([]any)
	whole["paths"] = append(paths, map[string]any{"source": "b", "target": "c"})
	if got := w.do("PUT", "/api/v1/workflows/fl", whole).problem("path_refused"); !strings.Contains(got.text, "closes a circle") {
		t.Errorf("PUT: %s", got.text)
	}
	whole["paths"] = paths
	w.do("PUT", "/api/v1/workflows/fl?force=true", whole).want(200)
	for _, v := range paths {
		p, _ := v.(map[string]any)
		if id, _ := p["id"].(string); p["source"] == "c" && p["target"] == "b" {
			got := w.do("PATCH", "/api/v1/workflows/fl/paths/"+url.PathEscape(id), `{"extra":{"from_port":"c-output-7"}}`, "Content-Type: application/merge-patch+json").problem("path_refused")
			if !strings.Contains(got.text, "there is no") {
				t.Errorf("PATCH: %s", got.text)
			}
		}
	}
	w.do("PUT", "/api/v1/workflows/own", `{"steps":[{"id":"root"}],"paths":[]}`).want(201)
	w.do("POST", "/api/v1/workflows/own/paths", `{"source":"root","target":"root"}`).want(201)
}
