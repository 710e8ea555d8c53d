package callcentre_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/enginetest"
)

// Every field of an integration reaches the request: arguments over variables and body,
// tokens in their headers.
func TestIntegrations(t *testing.T) {
	for name, c := range map[string]struct{ data, path, auth, body, result string }{
		"graphql": {`"integrationType": "graphql", "url": "STUB/echo", "graphQLQuery": "query Q($id: ID!) { a(id: $id) }", "graphQLVariables": "{\"id\": \"1\", \"kept\": true}", "authType": "bearer", "authToken": "t"`,
			"/echo", "Bearer t", `{"query":"query Q($id: ID!) { a(id: $id) }","variables":{"id":"7","kept":true}}`, `{"got":true}`},
		"custom headers": {`"integrationType": "rest", "url": "STUB/echo", "method": "PUT", "body": "{\"id\": \"1\"}", "authType": "custom", "headers": "{\"X-Desk-Key\": \"k\"}"`,
			"/echo", "k", `{"id":"7"}`, `{"data":{"got":true}}`},
		"JSON that is not text": {`"integrationType": "rest", "url": "STUB/echo", "method": "PUT", "body": {"id": "1", "more": [1, null]}, "latency": "2", "headers": {"X-Desk-Key": "k"}`,
			"/echo", "k", `{"id":"7","more":[1,null]}`, `{"data":{"got":true}}`},
		"a type of its own": {`"url": "STUB/echo", "integrationType": "rest"`, "/echo?id=7", "", "", `{"data":{"got":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			stub := newStub(t)
			w := load(t, `{"nodes": [{"id": "r", "type": "routerNode", "data": {}}, {"id": "i", "type": "integrationNode", "data": {`+strings.ReplaceAll(c.data, "STUB", stub.URL)+`}}], "edges": []}`)
			got := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: registry(&script{t: t, played: &played{}}, w), Entry: "i", Inputs: json.RawMessage(`{"arguments": {"id": "7"}}`), Timeout: 10 * time.Second})
			var out struct {
				Success bool
				Data    json.RawMessage
			}
			if err := json.Unmarshal(got.Output("i"), &out); err != nil || !out.Success || !sameJSON(t, out.Data, []byte(c.result)) {
				t.Errorf("%v: %s", err, got.Output("i"))
			}
			if len(stub.requests) != 1 || stub.requests[0].Path != c.path || stub.requests[0].Auth != c.auth || stub.requests[0].Body != c.body {
				t.Errorf("got %+v", stub.requests)
			}
		})
	}
}

// Mock data that is JSON in the file is that, and a graph nobody has changed is written back
// as it was.
func TestLooseFields(t *testing.T) {
	text := `{"nodes": [{"id": "r", "type": "routerNode", "data": {"communicationTimeout": "500"}}, {"id": "t", "type": "subAgentNode"},
		{"id": "i", "type": "integrationNode", "data": {"mockOutput": [{"room": 12, "free": true}], "latency": ""}}], "edges": [{"source": "r", "target": "t"}, {"source": "t", "target": "i"}]}`
	w := load(t, text)
	if got := w.Step("r").Timeout; got != "500ms" {
		t.Errorf("timeout %q", got)
	}
	if got := toolPaths(w, "r"); len(got) != 1 || !strings.Contains(got[0].Description, "Fields: room, free.") {
		t.Errorf("got %+v", got)
	}
	again, problems, err := callcentre.Export(w)
	if err != nil || len(problems) > 0 || !strings.Contains(string(again), `"free": true`) {
		t.Errorf("got %s, %v, %v", again, problems, err)
	}
	_, err = callcentre.Parse("x.json", []byte(strings.Replace(text, `"500"`, `"soon"`, 1)))
	if err == nil || !strings.Contains(err.Error(), `communicationTimeout: want a number, got "soon"`) {
		t.Errorf("got %v", err)
	}
}
