package api

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
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

// TestAFullStoreTakesNothingNew: what is open goes on.
func TestAFullStoreTakesNothingNew(t *testing.T) {
	full := ""
	w := newWorld(t, Options{StoreFull: func() string { return full }})
	w.do("POST", "/api/v1/sessions", json.RawMessage(`{"workflow":"plain","id":"s1"}`)).want(201)
	full = "11 of 10 bytes"
	for _, c := range [][3]string{{"POST", "/api/v1/sessions", `{"workflow":"plain"}`}, {"PUT", "/api/v1/workflows/new?force=true", `{"steps":[{"id":"root"}],"paths":[]}`},
		{"POST", "/api/v1/batches", `{"action":"cancel","filter":{"workflow":"plain"}}`}} {
		w.do(c[0], c[1], json.RawMessage(c[2])).problem("store_full")
	}
	w.do("GET", "/api/v1/sessions/s1", nil).want(200)
	w.do("DELETE", "/api/v1/sessions/s1?cancel=true", nil)
}
