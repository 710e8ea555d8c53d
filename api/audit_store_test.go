package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
)

// lines are the entries of a trail as "who action workflow session subject status".
func lines(r *reply) []string {
	var out []string
	items, _ := r.at("items").([]any)
	for _, item := range items {
		e := item.(map[string]any)
		out = append(out, fmt.Sprint(e["who"], " ", e["action"], " ", e["workflow"], " ", e["session"], " ", e["subject"], " ", e["status"]))
	}
	return out
}

// TestAuditInTheStore: every act has its entry when it is answered, with what it was done to,
// before and after; reads have none.
func TestAuditInTheStore(t *testing.T) {
	withoutPauses(t)
	file := newTokens(t)
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Tokens: file, KeepAudit: true})
	desk := "Authorization: Bearer " + token(t, file, access.Wish{Name: "desk", Scopes: []string{access.Read, access.Answer}})
	newest := func(want string) *reply {
		t.Helper()
		got := w.do("GET", "/api/v1/audit?limit=1", nil, masterHeader).want(200)
		if l := lines(got); len(l) != 1 || l[0] != want {
			t.Errorf("the newest entry is %v, want %s", l, want)
		}
		return got
	}
	w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk", "id": "s1"}, desk).want(201)
	newest("desk startSession talk s1  201")
	w.do("GET", "/api/v1/sessions/s1", nil, desk).want(200)
	newest("desk startSession talk s1  201")
	w.do("POST", "/api/v1/sessions/s1/answer?wait=10s", map[string]any{"step": "root", "response": "CANARY-ANSWER"}, desk).want(200)
	answered := newest("desk answerSession talk s1 root 200")
	if text := answered.text; strings.Contains(text, "CANARY") || !strings.Contains(text, `"bytes":15`) || !strings.Contains(text, "awaiting_input") {
		t.Errorf("the answer's entry: %s", text)
	}
	w.do("POST", "/api/v1/sessions/s1/cancel", map[string]any{"reason": "done"}, desk).problem("forbidden")
	newest("desk cancelSession  s1  403").is(true, "items", 0, "refused")
	w.do("POST", "/api/v1/sessions/s1/cancel", map[string]any{"reason": "done"}, masterHeader).want(200)
	cancelled := newest("operator cancelSession talk s1  200")
	cancelled.is("awaiting_input", "items", 0, "before", "status").is("done", "items", 0, "after", "reason")
	w.do("PATCH", "/api/v1/workflows/plain/steps/other?force=true", map[string]any{"name": "New"}, masterHeader).want(200)
	edited := newest("operator putStep plain  other 200")
	if edited.at("items", 0, "before", "name") != nil {
		t.Errorf("before: %s", edited.text)
	}
	edited.is("New", "items", 0, "after", "name")
	w.do("PUT", "/api/v1/secrets/KEY", map[string]any{"value": "CANARY-SECRET", "hosts": []string{"*"}}, masterHeader).want(200)
	secret := newest("operator putSecret   KEY 200")
	if strings.Contains(secret.text, "CANARY") {
		t.Errorf("the secret's entry: %s", secret.text)
	}
	made := w.do("POST", "/api/v1/tokens", map[string]any{"name": "shop", "scopes": []string{"read"}, "limit": map[string]any{"workflows": []string{"plain"}}}, masterHeader).want(201).str("token")
	if entry := newest("operator createToken   shop 201"); strings.Contains(entry.text, made) {
		t.Errorf("the token's entry: %s", entry.text)
	}
	shop := "Authorization: Bearer " + made
	w.do("GET", "/api/v1/workflows/plain", nil, shop).want(200)
	w.do("GET", "/api/v1/workflows/talk", nil, shop).problem("workflow_not_found")
	if got := w.do("GET", "/api/v1/tokens", nil, masterHeader).want(200); strings.Contains(got.text, made) || strings.Contains(got.text, "hash") {
		t.Errorf("the list of tokens: %s", got.text)
	}
	w.do("DELETE", "/api/v1/tokens/shop", nil, masterHeader).want(204)
	newest("operator revokeToken   shop 204")
	w.do("GET", "/api/v1/workflows/plain", nil, shop).problem("unauthorized")
	newest(" getWorkflow plain   401")
	for range 200 { // a flood of refusals leaves few entries
		w.do("GET", "/api/v1/audit", nil, shop).problem("unauthorized")
	}
	if n := len(lines(w.do("GET", "/api/v1/audit?refused=true", nil, masterHeader).want(200))); n > 6 {
		t.Errorf("%d entries of refusals", n)
	}
	w.do("GET", "/api/v1/audit", nil, desk).problem("forbidden")
	if l := lines(w.do("GET", "/api/v1/audit?session=s1&who=desk&action=answerSession", nil, masterHeader).want(200)); len(l) != 1 {
		t.Errorf("by session: %v", l)
	}
	var paged []string
	for cursor := ""; ; {
		page := w.do("GET", "/api/v1/audit?limit=2&cursor="+cursor, nil, masterHeader).want(200)
		paged = append(paged, lines(page)...)
		if cursor = page.str("next"); cursor == "" {
			break
		}
	}
	if all := lines(w.do("GET", "/api/v1/audit?limit=500", nil, masterHeader).want(200)); strings.Join(all, "\n") != strings.Join(paged, "\n") || len(all) < 9 {
		t.Errorf("pages\n%s\nall\n%s", strings.Join(paged, "\n"), strings.Join(all, "\n"))
	}
}

// TestABatchIsOneEntry: what a batch does to its sessions is in its results.
func TestABatchIsOneEntry(t *testing.T) {
	w := newWorld(t, Options{KeepAudit: true})
	var items []any
	for range 300 {
		items = append(items, map[string]any{"session": "none"})
	}
	id := w.do("POST", "/api/v1/batches", map[string]any{"action": "cancel", "items": items}).want(202).str("id")
	w.do("GET", "/api/v1/batches/"+id+"/results", nil).want(200)
	if l := lines(w.do("GET", "/api/v1/audit", nil).want(200)); len(l) != 1 || !strings.HasPrefix(l[0], "anonymous startBatch   "+id) {
		t.Errorf("entries %v", l)
	}
}

// brokenAudit is a store whose audit trail fails.
type brokenAudit struct {
	engine.Store
	broken *atomic.Bool
	writes *atomic.Int64
}

func (b brokenAudit) RecordAudit(ctx context.Context, entries []engine.AuditEntry) error {
	b.writes.Add(1)
	if b.broken.Load() {
		return errors.New("CANARY: no room")
	}
	return b.Store.RecordAudit(ctx, entries)
}

type brokenEngine struct {
	*engine.Engine
	store engine.Store
}

func (b brokenEngine) Store() engine.StoreView { return b.store }

// TestNothingIsAcknowledgedWithoutItsEntry: a change whose entry cannot be written is not
// answered as a success, and a refusal stays a refusal.
func TestNothingIsAcknowledgedWithoutItsEntry(t *testing.T) {
	withoutPauses(t)
	w := newWorld(t, Options{})
	logs := &logBuffer{}
	store := brokenAudit{w.store, &atomic.Bool{}, &atomic.Int64{}}
	server := httptest.NewServer(New(brokenEngine{w.engine, store}, Options{Log: logger(logs), KeepAudit: true, Token: strings.Repeat("m", 32)}))
	defer server.Close()
	broken := &world{t: t, server: server}
	store.broken.Store(true)
	start := map[string]any{"workflow": "plain", "id": "once"}
	broken.do("POST", "/api/v1/sessions", start, masterHeader, "Idempotency-Key: k").problem("unavailable")
	broken.do("GET", "/api/v1/sessions/once", nil, masterHeader).want(200)
	broken.do("POST", "/api/v1/sessions", start).problem("unauthorized")
	if !strings.Contains(logs.String(), "startSession") {
		t.Errorf("the entry is not in the log: %s", logs)
	}
	store.broken.Store(false)
	broken.do("POST", "/api/v1/sessions", start, masterHeader, "Idempotency-Key: k").want(201)
	// Entries that come together share writes.
	before := store.writes.Load()
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			broken.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}, masterHeader).want(201)
		})
	}
	all.Wait()
	found, err := w.store.AuditEntries(t.Context(), engine.AuditQuery{Action: "startSession", Limit: 500})
	if err != nil || len(found) != 201 {
		t.Errorf("%d entries, %v", len(found), err)
	}
	t.Logf("200 acts at once: %d writes", store.writes.Load()-before)
	if text, _ := json.Marshal(found); strings.Contains(string(text), "CANARY") {
		t.Errorf("%s", text)
	}
}
