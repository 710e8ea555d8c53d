package formats

import (
	"strings"
	"testing"
)

// A prompt goes to the input that the workflow's format reads; formats without one say what to
// do instead.
func TestPromptInput(t *testing.T) {
	flow := func(start string) string {
		return `{"nodes": [{"id": "s", "type": "agentFlow", "position": {"x": 1, "y": 2}, "data": {"name": "startAgentflow", "label": "Start", "inputs": {"startInputType": "` + start + `"}}}], "edges": []}`
	}
	for _, c := range []struct{ name, src, input, refused string }{
		{"chat", flow("chatInput"), "question", ""},
		{"form", flow("formInput"), "", `--input 'form={`},
		{"hook", flow("webhookTrigger"), "", `--input 'webhook={`},
		{"nebula", `{"nodes": [{"id": "t", "type": "text-format", "position": {"x": 0, "y": 0}, "data": {"content": "Hi"}}], "edges": []}`, "", "take no prompt"},
		{"zero", `{"nodes": [{"id": "in", "type": "input", "data": {}}, {"id": "out", "type": "output", "data": {}}], "edges": [{"id": "e", "source": "in", "target": "out"}]}`, "prompt", ""},
		{"own", `{"format": "stepgraph", "version": 1, "steps": [{"id": "root"}]}`, "prompt", ""},
	} {
		l, err := Load(c.name+".json", []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		input, err := PromptInput(&l.Workflows[0])
		if input != c.input || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: got %q, %v", c.name, input, err)
		}
	}
}
