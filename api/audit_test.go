package api

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/access"
)

// TestAudit: what changes something and what is refused is recorded with who sent it; reads
// and bodies are not.
func TestAudit(t *testing.T) {
	withoutPauses(t)
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	desk, _, err := file.Create("desk", []string{access.Read, access.Answer}, 0)
	if err != nil {
		t.Fatal(err)
	}
	master := strings.Repeat("m", 32)
	var mu sync.Mutex
	var entries []AuditEntry
	w := newWorld(t, Options{Token: master, Tokens: file, SignIn: func(string) string { return "" }, Audit: func(e AuditEntry) {
		mu.Lock()
		defer mu.Unlock()
		entries = append(entries, e)
	}})
	send := func(method, path, body, token string) {
		var sent any
		if body != "" {
			sent = json.RawMessage(body)
		}
		w.do(method, path, sent, "Authorization: Bearer "+token)
	}
	send("GET", "/api/v1/workflows", "", desk)
	send("POST", "/api/v1/sessions", `{"workflow":"plain","id":"s1","inputs":{"x":"CANARY"}}`, desk)
	send("PUT", "/api/v1/secrets/KEY", `{"value":"CANARY","hosts":["*"]}`, master)
	send("PUT", "/api/v1/secrets/KEY", `{"value":"CANARY","hosts":["*"]}`, desk)
	send("GET", "/api/v1/workflows", "", "CANARY")
	w.do("GET", "/sign-in/CANARY", nil)
	w.server.Close() // the last answer may come before its entry
	mu.Lock()
	defer mu.Unlock()
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Who, " ", e.From, " ", e.Method, " ", e.Path, " ", e.Status))
	}
	slices.Sort(got)
	want := []string{
		" 127.0.0.1 GET /api/v1/workflows 401",
		" 127.0.0.1 GET /sign-in/{code} 401",
		"desk 127.0.0.1 POST /api/v1/sessions 201",
		"desk 127.0.0.1 PUT /api/v1/secrets/KEY 403",
		"operator 127.0.0.1 PUT /api/v1/secrets/KEY 200",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text, _ := json.Marshal(entries); strings.Contains(string(text), "CANARY") {
		t.Errorf("the trail holds what it must not: %s", text)
	}
}
