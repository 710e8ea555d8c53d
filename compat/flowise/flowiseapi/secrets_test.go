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
