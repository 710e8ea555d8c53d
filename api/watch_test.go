package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/stepgraph/stepgraph/access"
)

// quickRechecks looks tokens up again often.
func quickRechecks(t *testing.T) {
	was := recheckEvery
	recheckEvery = 20 * time.Millisecond
	t.Cleanup(func() { recheckEvery = was })
}

// A longRequest is one that goes on until somebody ends it.
type longRequest struct{ name, method, path, scope string }

// opened begins a long request and returns once it goes on; ended gets what it said at last.
func (w *world) opened(q longRequest, token string) (ended chan string) {
	w.t.Helper()
	ended = make(chan string, 1)
	if strings.HasSuffix(q.path, "/nebulaflow") {
		ws, _, err := websocket.Dial(w.t.Context(), w.server.URL+q.path, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
		if err != nil {
			w.t.Fatal(q.name, err)
		}
		w.t.Cleanup(func() { _ = ws.CloseNow() }) // closed by then
		go func() {
			for {
				if _, _, err := ws.Read(context.Background()); err != nil {
					ended <- err.Error()
					return
				}
			}
		}()
		return ended
	}
	r, err := http.NewRequestWithContext(w.t.Context(), q.method, w.server.URL+q.path, strings.NewReader(`{"workflow":"slow"}`))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	begun := make(chan error, 1)
	go func() {
		if strings.Contains(q.path, "wait=") { // answers at its end
			begun <- nil
		}
		got, err := w.server.Client().Do(r)
		if !strings.Contains(q.path, "wait=") {
			begun <- err
		}
		if err != nil {
			ended <- err.Error()
			return
		}
		defer func() { _ = got.Body.Close() }()
		text, err := io.ReadAll(got.Body)
		ended <- fmt.Sprint(got.StatusCode, " ", string(text), " ", err)
	}()
	if err := <-begun; err != nil {
		w.t.Fatal(q.name, err)
	}
	return ended
}

// TestARevokedTokenEndsWhatItHasOpen: event streams, results that are followed, waiting
// requests and WebSockets end soon after their token is revoked or has expired; those of
// another token go on.
func TestARevokedTokenEndsWhatItHasOpen(t *testing.T) {
	quickRechecks(t)
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Tokens: file, Compat: true})
	session := w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "slow"}, masterHeader).want(201).str("id")
	var items []any
	for range 3 {
		items = append(items, map[string]any{"session": w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}, masterHeader).want(201).str("id"), "response": "x"})
	}
	batch := w.do("POST", "/api/v1/batches", map[string]any{"action": "answer", "items": items, "rate": 0.01}, masterHeader).want(202).str("id")
	long := []longRequest{
		{"events", "GET", "/api/v1/sessions/" + session + "/events", access.Read},
		{"results", "GET", "/api/v1/batches/" + batch + "/results", access.Read},
		{"wait", "POST", "/api/v1/sessions?wait=50s", access.Answer},
		{"websocket", "GET", "/api/compat/nebulaflow", access.Edit},
	}
	for _, how := range []string{"revoked", "expired", "replaced"} {
		for _, q := range long {
			t.Run(how+" "+q.name, func(t *testing.T) {
				name := how + "-" + q.name
				wish := access.Wish{Name: name, Scopes: []string{q.scope}}
				if how == "expired" {
					wish.Lifetime = 2 * time.Second // at most; times are whole seconds
				}
				ended := w.opened(q, token(t, file, wish))
				stays := w.opened(q, token(t, file, access.Wish{Name: name + "-stays", Scopes: []string{q.scope}}))
				select {
				case text := <-ended:
					if how != "expired" {
						t.Fatalf("ended at once: %s", text)
					}
				case <-time.After(100 * time.Millisecond):
				}
				began := time.Now()
				if how != "expired" {
					if err := file.Revoke(name); err != nil {
						t.Fatal(err)
					}
				}
				if how == "replaced" { // a token of the same name is another token
					token(t, file, access.Wish{Name: name, Scopes: []string{q.scope}})
				}
				select {
				case text := <-ended:
					if q.name == "wait" && !strings.HasPrefix(text, "401 ") || q.name == "websocket" && !strings.Contains(text, "revoked") {
						t.Errorf("ended with %q", text)
					}
					t.Logf("after %v: %.80s", time.Since(began).Round(time.Millisecond), text)
				case <-time.After(5 * time.Second):
					t.Fatal("still open after 5 s")
				}
				select {
				case text := <-stays:
					t.Errorf("that of another token ended too: %s", text)
				default:
				}
				if err := file.Revoke(name + "-stays"); err != nil {
					t.Fatal(err)
				}
				<-stays
			})
		}
	}
	close(w.gate)
}

// TestATokenIsRevokedBesideItsUse: while forty clients use a token it is revoked; each request
// is answered either as before or with 401, and none after the revocation was acknowledged.
func TestATokenIsRevokedBesideItsUse(t *testing.T) {
	quickRechecks(t)
	withoutPauses(t)
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Tokens: file})
	text := token(t, file, access.Wish{Name: "used", Scopes: []string{access.Read}})
	revoked := make(chan struct{})
	var work sync.WaitGroup
	var mu sync.Mutex
	counts := map[string]int{}
	for range 40 {
		work.Go(func() {
			for range 50 {
				over := false
				select {
				case <-revoked:
					over = true
				default:
				}
				got := w.do("GET", "/api/v1/workflows", nil, "Authorization: Bearer "+text)
				mu.Lock()
				counts[fmt.Sprint(got.status)]++
				mu.Unlock()
				if got.status != 200 && got.status != 401 || over && got.status != 401 {
					t.Errorf("%d, sent after the revocation: %t", got.status, over)
				}
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	w.do("DELETE", "/api/v1/tokens/used", nil, masterHeader).want(204)
	close(revoked)
	work.Wait()
	if counts["200"] == 0 || counts["401"] == 0 {
		t.Errorf("%v: proves nothing", counts)
	}
}
