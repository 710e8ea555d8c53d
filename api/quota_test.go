package api

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/access"
)

// TestQuotas: a token beyond its requests, sessions or bytes is answered 429 with the time
// after which it may come again, other tokens go on, and what was refused has not happened.
func TestQuotas(t *testing.T) {
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	token := func(name string, q access.Quota) string {
		text, _, err := file.Make(access.Wish{Name: name, Scopes: []string{access.Read, access.Answer, access.Edit}, Quota: q})
		if err != nil {
			t.Fatal(err)
		}
		return "Authorization: Bearer " + text
	}
	w := newWorld(t, Options{Tokens: file, Compat: true, Quota: access.Quota{Sessions: 100}})
	refused := func(a *reply) {
		t.Helper()
		wait, err := strconv.Atoi(a.header.Get("Retry-After"))
		if a.status != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 3600 {
			t.Errorf("%d, Retry-After %q: %s", a.status, a.header.Get("Retry-After"), a.text)
		}
	}
	requests, free := token("requests", access.Quota{Requests: 3}), token("free", access.Quota{})
	for range 3 {
		w.do("GET", "/api/v1/workflows", nil, requests).want(200)
	}
	refused(w.do("GET", "/api/v1/workflows", nil, requests))
	w.do("GET", "/api/v1/workflows", nil, free).want(200)

	sessions := token("sessions", access.Quota{Sessions: 2})
	start := json.RawMessage(`{"workflow":"plain"}`)
	for range 2 {
		w.do("POST", "/api/v1/sessions", start, sessions).want(201)
	}
	refused(w.do("POST", "/api/v1/sessions", start, sessions))
	refused(w.do("POST", "/api/v1/sessions", start, sessions, "Idempotency-Key: again"))
	if listed := w.do("GET", "/api/v1/sessions/count", nil, sessions).want(200); !strings.Contains(listed.text, "2") {
		t.Errorf("after two sessions: %s", listed.text)
	}

	bytes := token("bytes", access.Quota{Bytes: 2000})
	large := json.RawMessage(`{"workflow":"plain","inputs":{"x":"` + strings.Repeat("x", 1500) + `"}}`)
	w.do("POST", "/api/v1/sessions", large, bytes).want(201)
	refused(w.do("POST", "/api/v1/sessions", large, bytes))
	w.do("GET", "/api/v1/workflows", nil, bytes).want(200)
}

// TestQuotasAtTheirEdge: of many requests at once exactly as many go through as the quota has
// left, and a large one that is refused uses nothing of the quota that a small one needs.
func TestQuotasAtTheirEdge(t *testing.T) {
	file := newTokens(t)
	w := newWorld(t, Options{Tokens: file, Token: strings.Repeat("m", 32), Compat: true})
	with := func(name string, q access.Quota) string {
		return "Authorization: Bearer " + token(t, file, access.Wish{Name: name, Scopes: []string{access.Read, access.Answer}, Quota: q})
	}
	at := func(n int, send func(i int) int) map[int]int {
		var work sync.WaitGroup
		var mu sync.Mutex
		counts := map[int]int{}
		for i := range n {
			work.Go(func() {
				status := send(i)
				mu.Lock()
				defer mu.Unlock()
				counts[status]++
			})
		}
		work.Wait()
		return counts
	}
	flow := w.do("POST", "/api/v1/chatflows", map[string]any{"name": "f", "type": "AGENTFLOW", "flowData": flowData("x")}, masterHeader).want(200).str("id")
	sessions := with("sessions", access.Quota{Sessions: 7})
	got := at(40, func(i int) int {
		if i%2 == 0 { // by the routes of two systems
			return w.do("POST", "/api/session", map[string]any{"workflow_id": "plain"}, sessions).status
		}
		return w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}, sessions).status
	})
	if got[429] != 33 || got[200]+got[201] != 7 {
		t.Errorf("of 40 starts with a quota of 7: %v", got)
	}
	if n := len(w.do("GET", "/api/v1/sessions?limit=100", nil, masterHeader).want(200).json["items"].([]any)); n != 7 {
		t.Errorf("%d sessions", n)
	}
	// Every system's client is told that it is the quota, and when to come again.
	for _, c := range []struct {
		path string
		body any
	}{{"/api/session", map[string]any{"workflow_id": "plain"}}, {"/api/v1/prediction/" + flow, map[string]any{"question": "x"}}} {
		got := w.do("POST", c.path, c.body, sessions)
		if got.status != 429 || got.header.Get("Retry-After") == "" || !strings.Contains(got.text, "sessions an hour") {
			t.Errorf("%s: %d %v %s", c.path, got.status, got.header, got.text)
		}
	}
	requests := with("requests", access.Quota{Requests: 0.001})
	if got := at(20, func(int) int { return w.do("GET", "/api/v1/workflows", nil, requests).status }); got[200] != 1 || got[429] != 19 {
		t.Errorf("of 20 requests with a quota of 1: %v", got)
	}
	bytes := with("bytes", access.Quota{Bytes: 3000})
	small, large := `{"workflow":"plain"}`, `{"workflow":"plain","inputs":{"x":"`+strings.Repeat("x", 2960)+`"}}`
	w.do("POST", "/api/v1/sessions", small, bytes).want(201)
	got = at(40, func(i int) int {
		if i%2 == 0 {
			return w.do("POST", "/api/v1/sessions", large, bytes).status
		}
		return w.do("POST", "/api/v1/sessions", small, bytes).status
	})
	if got[201] != 20 || got[429] != 20 {
		t.Errorf("20 small and 20 large ones: %v", got)
	}
}

// TestAFullStoreTakesNothingNew: what is open goes on.
func TestAFullStoreTakesNothingNew(t *testing.T) {
	full := ""
	w := newWorld(t, Options{StoreFull: func() string { return full }, Compat: true})
	w.do("POST", "/api/v1/sessions", json.RawMessage(`{"workflow":"plain","id":"s1"}`)).want(201)
	full = "11 of 10 bytes"
	for _, c := range [][3]string{{"POST", "/api/v1/sessions", `{"workflow":"plain"}`}, {"PUT", "/api/v1/workflows/new?force=true", `{"steps":[{"id":"root"}],"paths":[]}`},
		{"POST", "/api/v1/batches", `{"action":"cancel","filter":{"workflow":"plain"}}`}} {
		w.do(c[0], c[1], json.RawMessage(c[2])).problem("store_full")
	}
	for path, body := range map[string]any{"/api/session": map[string]any{"workflow_id": "plain"}, "/api/flow_save": json.RawMessage(azFlow("az", "x")),
		"/api/v1/chatflows": map[string]any{"name": "f", "type": "AGENTFLOW", "flowData": flowData("x")}} {
		if got := w.do("POST", path, body); got.status != http.StatusInsufficientStorage || !strings.Contains(got.text, "11 of 10 bytes") {
			t.Errorf("%s: %d %s", path, got.status, got.text)
		}
	}
	w.do("GET", "/api/v1/sessions/s1", nil).want(200)
	w.do("DELETE", "/api/v1/sessions/s1?cancel=true", nil)
}

// TestPublishedFlowsHaveAQuota: who calls a flow with its own MCP token is no token of the
// server, and has the quota of those without one of their own; a wrong token is logged.
func TestPublishedFlowsHaveAQuota(t *testing.T) {
	w := newWorld(t, Options{Tokens: newTokens(t), Token: strings.Repeat("m", 32), Compat: true, KeepAudit: true, Quota: access.Quota{Sessions: 2, Bytes: 4000}})
	flow := w.do("POST", "/api/v1/chatflows", map[string]any{"name": "f", "type": "AGENTFLOW", "flowData": flowData("x")}, masterHeader).want(200).str("id")
	mcpToken := "Authorization: Bearer " + w.do("POST", "/api/v1/mcp-server/"+flow, map[string]any{"toolName": "say"}, masterHeader).want(200).str("token")
	call := func(question, with string) *reply {
		return w.do("POST", "/api/v1/mcp/"+flow, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": "say", "arguments": map[string]any{"question": question}}}, with, "Accept: application/json, text/event-stream")
	}
	for range 2 {
		if got := call("a", mcpToken).want(200); strings.Contains(got.text, "sessions an hour") {
			t.Fatal(got.text)
		}
	}
	if got := call("a", mcpToken).want(200); !strings.Contains(got.text, `"isError":true`) || !strings.Contains(got.text, "sessions an hour") {
		t.Errorf("a third session: %s", got.text)
	}
	if got := call(strings.Repeat("x", 4000), mcpToken).want(429); got.header.Get("Retry-After") == "" {
		t.Errorf("too many bytes: %s", got.text)
	}
	call("a", "Authorization: Bearer wrong").want(401)
	if !strings.Contains(w.log.String(), "wrong token") {
		t.Errorf("the wrong token is not logged: %s", w.log)
	}
	trail := w.do("GET", "/api/v1/audit?action=startSession", nil, masterHeader).want(200)
	if strings.Count(trail.text, `"who":"mcp:`+flow+`"`) < 2 {
		t.Errorf("audit: %s", trail.text)
	}
}

// TestChunkedBodiesBeyondTheQuota: a body without Content-Length is refused like any other.
func TestChunkedBodiesBeyondTheQuota(t *testing.T) {
	file := newTokens(t)
	w := newWorld(t, Options{Tokens: file})
	with := token(t, file, access.Wish{Name: "chunks", Scopes: []string{access.Answer}, Quota: access.Quota{Bytes: 2000}})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/api/v1/sessions",
		io.MultiReader(strings.NewReader(`{"workflow":"plain","inputs":{"x":"`+strings.Repeat("x", 3000)), strings.NewReader(`"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+with)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q", answer.Status, answer.Header.Get("Retry-After"))
	}
}
