package flowiseapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/vault"
)

// TestReadersSeeNoSecretsOfFlows: the token by which a published flow is called, and the secret
// of a webhook, are in no answer to a caller who may only read, in no export and in no workflow.
func TestReadersSeeNoSecretsOfFlows(t *testing.T) {
	s := newServer(t, nil)
	tokens, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	with := func(scopes ...string) string {
		text, _, err := tokens.Create(strings.Join(scopes, "-"), scopes, 0)
		if err != nil {
			t.Fatal(err)
		}
		return "X-API-KEY: " + text
	}
	reader, editor := with(access.Read), with(access.Read, access.Edit, access.RunCode)
	known, err := vault.Open(vault.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.url = s.serve(api.Options{Tokens: tokens, Vault: known})
	text, _ := json.Marshal(hookFlow(map[string]any{"webhookEnableAuth": true, "webhookSignatureHeader": "X-Sign", "webhookSignatureType": "plain-token"}))
	const secret = "CANARY-webhook"
	id := fmt.Sprint(s.do("POST", flowise+"chatflows", map[string]any{"name": "hook", "flowData": string(text), "webhookSecret": secret}, editor).json["id"])
	token := fmt.Sprint(s.do("POST", flowise+"mcp-server/"+id, map[string]any{"toolName": "hook"}, editor).json["token"])
	if len(token) != 32 {
		t.Fatal(token)
	}
	call := func(what string, status int, headers ...string) {
		t.Helper()
		got := s.do("POST", flowise+"mcp/"+id, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, append(headers, "Accept: application/json, text/event-stream")...)
		if got.status != status {
			t.Errorf("%s: %d %s", what, got.status, got.text)
		}
	}
	look := func(when string) {
		t.Helper()
		for _, path := range []string{flowise + "chatflows", flowise + "chatflows/" + id, flowise + "public-chatbotConfig/" + id, "/api/v1/workflows/" + id,
			"/api/v1/workflows/" + id + "/export?format=json", "/api/v1/workflows/" + id + "/export?format=cypher", "/api/v1/workflows/" + id + "/export?format=flowise", "/api/v1/workflows/" + id + "/log"} {
			for _, who := range []string{reader, editor} {
				got := s.do("GET", path, nil, who)
				if strings.Contains(got.text, secret) || strings.Contains(got.text, token) && (who == reader || !strings.Contains(path, "chatflows")) {
					t.Errorf("%s, %s: %s", when, path, got.text)
				}
			}
		}
	}
	look("published")
	if got := s.do("GET", flowise+"chatflows/"+id, nil, reader); got.json["webhookSecretConfigured"] != true || !strings.Contains(fmt.Sprint(got.json["mcpServerConfig"]), `"enabled":true`) {
		t.Errorf("the row: %s", got.text)
	}
	call("its token", 200, "Authorization: Bearer "+token)
	call("no token", 401, "Authorization: Bearer ")
	// What a client was shown it may send back; nothing of it is lost.
	for _, who := range []string{editor} {
		shown := s.do("GET", flowise+"chatflows/"+id, nil, reader).json
		shown["name"] = "renamed"
		if got := s.do("PUT", flowise+"chatflows/"+id, shown, who); got.status != 200 || got.json["webhookSecretConfigured"] != true {
			t.Fatalf("sent back: %d %s", got.status, got.text)
		}
	}
	look("sent back")
	call("its token, sent back", 200, "Authorization: Bearer "+token)
	if row := s.do("GET", flowise+"chatflows/"+id, nil, editor); !strings.Contains(fmt.Sprint(row.json["mcpServerConfig"]), token) {
		t.Errorf("the editor's row: %s", row.text)
	}
	// An empty secret removes it, and the flow trusts nobody then.
	s.do("PUT", flowise+"chatflows/"+id, map[string]any{"webhookSecret": ""}, editor)
	if got := s.do("GET", flowise+"chatflows/"+id, nil, reader); got.json["webhookSecretConfigured"] != false {
		t.Errorf("without: %s", got.text)
	}
	s.do("DELETE", flowise+"mcp-server/"+id, nil, editor)
	call("unpublished", http.StatusUnauthorized, "Authorization: Bearer "+token)
	s.do("DELETE", flowise+"chatflows/"+id, nil, editor)
	if left, err := known.Secrets(); err != nil || len(left) != 0 {
		t.Errorf("left in the vault: %v %v", left, err)
	}
}

// TestScopesOfRunningAFlow: predictions, streamed or not, webhooks, attachments and calls of a
// published flow run with the token that may run them, and with no other one; what is refused
// starts no session.
func TestScopesOfRunningAFlow(t *testing.T) {
	s := newServer(t, nil)
	tokens, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	s.url = s.serve(api.Options{Token: strings.Repeat("m", 32), Tokens: tokens})
	master := "X-API-KEY: " + strings.Repeat("m", 32)
	texts := map[string]string{"none": "", "wrong": "X-API-KEY: sg_wrong"}
	for _, scope := range access.Scopes {
		text, _, err := tokens.Create(scope, []string{scope}, 0)
		if err != nil {
			t.Fatal(err)
		}
		texts[scope] = "X-API-KEY: " + text
	}
	save := func(flow any) string {
		text, _ := json.Marshal(flow)
		return fmt.Sprint(s.do("POST", flowise+"chatflows", map[string]any{"name": "f", "flowData": string(text)}, master).json["id"])
	}
	flow, hook := save(greetingFlow), save(hookFlow(map[string]any{}))
	published := fmt.Sprint(s.do("POST", flowise+"mcp-server/"+flow, map[string]any{"toolName": "greet"}, master).json["token"])
	sessions := func() string { return s.do("GET", "/api/v1/sessions/count", nil, master).text }
	call := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "greet", "arguments": map[string]any{"question": "Ada"}}}
	counts := map[string]int{}
	for _, c := range []struct {
		name, path string
		body       any
		want       string // in the answer of one that runs
		own        bool   // a token of its own is needed
	}{
		{"prediction", flowise + "prediction/" + flow, map[string]any{"question": "Ada"}, "Hello Ada", false},
		{"stream", flowise + "prediction/" + flow, map[string]any{"question": "Ada", "streaming": true}, "[DONE]", false},
		{"webhook", flowise + "webhook/" + hook, map[string]any{"q": "x"}, "", false},
		{"mcp", flowise + "mcp/" + flow, call, "Hello Ada", true},
	} {
		before := sessions()
		var runs []string
		for kind, text := range texts {
			if !c.own && (kind == access.Answer || kind == access.Admin) {
				runs = append(runs, text)
				continue
			}
			want := http.StatusForbidden
			if kind == "none" || kind == "wrong" || c.own {
				want = http.StatusUnauthorized
			}
			headers := []string{"Accept: application/json, text/event-stream"}
			if text != "" {
				headers = append(headers, text)
			}
			if got := s.do("POST", c.path, c.body, headers...); got.status != want {
				t.Errorf("%s with %s: %d %s", c.name, kind, got.status, got.text)
			}
			counts[fmt.Sprint(want)]++
		}
		if after := sessions(); after != before {
			t.Errorf("%s: refused calls started sessions: %s, was %s", c.name, after, before)
		}
		if c.own {
			runs = append(runs, "Authorization: Bearer "+published)
		}
		for _, header := range runs {
			if got := s.do("POST", c.path, c.body, header, "Accept: application/json, text/event-stream"); got.status != 200 || !strings.Contains(got.text, c.want) {
				t.Errorf("%s with the right token: %d %s", c.name, got.status, got.text)
			}
			counts["200"]++
		}
		if after := sessions(); after == before {
			t.Errorf("%s: nothing has run", c.name)
		}
	}
	t.Logf("%v", counts)
}
