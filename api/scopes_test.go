package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// openRoutes are those that need no token and tell nothing.
var openRoutes = map[string]bool{"GET /healthz": true, "HEAD /healthz": true, "GET /readyz": true, "HEAD /readyz": true,
	"GET /api/v1/ping": true, "GET /api/v1/chatflows-streaming/{id}": true}

// TestScopeMatrix tries every route of the server, compat routes, event streams, WebSocket and
// MCP included, without a token and with a wrong, an expired and a too small one: each is
// refused, and the store is the same afterwards. With the right scope none is refused.
func TestScopeMatrix(t *testing.T) {
	withoutPauses(t)
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	with := map[string]string{}
	for _, scope := range access.Scopes {
		if with[scope], _, err = file.Create(scope, []string{scope}, 0); err != nil {
			t.Fatal(err)
		}
	}
	expired, _, err := file.Create("expired", []string{access.Admin}, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Tokens: file, Compat: true})
	_, s := build(engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{}), Options{Compat: true, Tokens: file})
	before := w.snapshot()
	counts := map[string]int{}
	for _, route := range everyRoute(t, s) {
		method, pattern, _ := strings.Cut(route, " ")
		if openRoutes[route] || isPage(pattern) {
			counts["open"]++
			continue
		}
		path := strings.NewReplacer("{", "", "}", "", "/*", "/x").Replace(pattern)
		need := access.ScopeOf(method, path)
		tries := map[string]string{"none": "", "wrong": "Bearer sg_wrong", "expired": "Bearer " + expired}
		for scope, text := range with {
			if scope != need && scope != access.Admin {
				tries[scope] = "Bearer " + text
			}
		}
		for kind, authorization := range tries {
			want := http.StatusUnauthorized
			// A flow published for MCP has a token of its own, which alone counts there.
			if route != "POST /api/v1/mcp/{id}" && kind != "none" && kind != "wrong" && kind != "expired" {
				want = http.StatusForbidden
			}
			if got := w.do(method, path, nil, "Authorization: "+authorization); got.status != want {
				t.Errorf("%s with %s: %d, want %d", route, kind, got.status, want)
			}
			counts[kind]++
		}
		counts["needs "+need]++
	}
	if after := w.snapshot(); after != before {
		t.Errorf("refused requests changed the store:\n%s\nwas\n%s", after, before)
	}
	t.Logf("%v", counts)
	for _, c := range []struct{ method, path, scope string }{{"GET", "/api/v1/workflows", access.Read}, {"POST", "/api/v1/sessions", access.Answer},
		{"POST", "/api/v1/sessions/nobody/cancel", access.Operate}, {"DELETE", "/api/v1/workflows/nobody", access.Edit}, {"GET", "/api/v1/workflows", access.Admin},
		{"PUT", "/api/v1/variables/v", access.Admin}} {
		if got := w.do(c.method, c.path, map[string]any{}, "Authorization: Bearer "+with[c.scope]); got.status == http.StatusUnauthorized || got.status == http.StatusForbidden {
			t.Errorf("%s %s with %s: %d %s", c.method, c.path, c.scope, got.status, got.text)
		}
	}
}

// isPage reports whether a route is one of the web application, whose files are the same for
// everybody: signing in is a page too.
func isPage(pattern string) bool {
	for _, closed := range []string{"/api/", "/metrics", "/openapi.json", "/problems", "/mcp"} {
		if strings.HasPrefix(pattern, closed) {
			return false
		}
	}
	return true
}

// withoutPauses answers wrong tokens at once, for tests that send hundreds of them.
func withoutPauses(t *testing.T) {
	was := longestPause
	longestPause = 0
	t.Cleanup(func() { longestPause = was })
}

// everyRoute lists method and pattern of what the server answers.
func everyRoute(t *testing.T, s *server) (all []string) {
	t.Helper()
	err := chi.Walk(s.routes, func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		all = append(all, method+" "+pattern)
		return nil
	})
	if err != nil || len(all) < 90 {
		t.Fatalf("%d routes, %v", len(all), err)
	}
	return all
}

// snapshot is all that a stranger could have changed.
func (w *world) snapshot() string {
	w.t.Helper()
	var text []string
	for _, path := range []string{"/api/v1/workflows?limit=500", "/api/v1/sessions?limit=500", "/api/v1/batches", "/api/v1/profiles", "/api/v1/variables", "/api/v1/secrets"} {
		text = append(text, w.do("GET", path, nil, "Authorization: Bearer "+strings.Repeat("m", 32)).want(200).text)
	}
	return strings.Join(text, "\n")
}

// TestCodeNeedsAScopeOfItsOwn: a token that may edit writes no step that runs code, by none of
// the ways in.
func TestCodeNeedsAScopeOfItsOwn(t *testing.T) {
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	edit, _, err := file.Create("edit", []string{access.Edit, access.Read}, 0)
	if err != nil {
		t.Fatal(err)
	}
	both, _, err := file.Create("both", []string{access.Edit, access.RunCode}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Tokens: file, Compat: true})
	code := json.RawMessage(`{"steps":[{"id":"root","function":"shell","input":{"command":"id"}}],"paths":[]}`)
	plain := json.RawMessage(`{"steps":[{"id":"root","function":"say","input":{"message":"hello"}}],"paths":[]}`)
	for _, c := range []struct {
		token, method, path string
		body                any
		refused             bool
	}{
		{edit, "PUT", "/api/v1/workflows/new?force=true", code, true},
		{edit, "PUT", "/api/v1/workflows/new?force=true", plain, false},
		{edit, "POST", "/api/v1/workflows/plain/steps?force=true", json.RawMessage(`{"id":"more","function":"shell","input":{"command":"id"}}`), true},
		{both, "PUT", "/api/v1/workflows/made?force=true", code, false},
		{edit, "PUT", "/api/v1/workflows/made?force=true", code, false}, // which stands there already
	} {
		got := w.do(c.method, c.path, c.body, "Authorization: Bearer "+c.token)
		if refused := got.status == http.StatusForbidden; refused != c.refused || !refused && got.status >= 400 {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.status, got.text)
		}
	}
}

// TestEveryNameOfCodeNeedsTheScope: the table of functions that run code holds each of them by
// every name that the registry of a server knows, and no name that there is not.
func TestEveryNameOfCodeNeedsTheScope(t *testing.T) {
	registry := engine.NewRegistry()
	options := functions.Options{}
	functions.Standard(registry, options)
	compat.Functions(registry, options)
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx := withToken(t.Context(), &access.Token{Name: "edit", Scopes: []string{access.Edit}})
	known := map[string]bool{"mcp.call": true} // registered where there is a configuration of MCP servers
	for _, spec := range registry.Specs() {
		code := strings.HasPrefix(spec.Name, "file.") || spec.Name == "shell" || spec.Name == "mcp.call"
		for _, field := range spec.Program {
			code = code || field == "code" || field == "command" || field == "script"
		}
		for _, name := range append([]string{spec.Name}, spec.Aliases...) {
			known[name] = true
			err := guarded{newLimited(e), nil}.mayWrite(ctx, "w", []engine.Step{{ID: "root", Function: name, Input: "{}"}})
			if refused := errors.Is(err, errForbidden); refused != code {
				t.Errorf("%s: refused %t: %v", name, refused, err)
			}
		}
	}
	for name := range runsCode {
		if !known[name] {
			t.Errorf("%s is no function", name)
		}
	}
}

// TestWrongTokensAreSlowed: an address that tries on waits longer and longer.
func TestWrongTokensAreSlowed(t *testing.T) {
	var wrong wrongTokens
	var last time.Duration
	for n := 1; n <= 50; n++ {
		_, last = wrong.add("10.0.0.1")
		if n <= freeTries && last != 0 {
			t.Errorf("try %d waits %s", n, last)
		}
	}
	if _, other := wrong.add("10.0.0.2"); last != longestPause || other != 0 {
		t.Errorf("after 50 tries %s, another address %s", last, other)
	}
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Compat: true})
	for n := 1; n <= freeTries+4; n++ { // each route of a token of its own counts too
		path := "/api/v1/sessions"
		if n%2 == 0 {
			path = "/api/v1/mcp/x"
		}
		began := time.Now()
		w.do("POST", path, map[string]any{}, "Authorization: Bearer wrong").want(401)
		if least := time.Duration(n-freeTries) * pausePerTry; time.Since(began) < least {
			t.Errorf("try %d was answered after %s, want at least %s", n, time.Since(began), least)
		}
	}
}

// TestACrossSiteGetStartsNothing: a webhook of Flowise may be a GET, which any page can send.
func TestACrossSiteGetStartsNothing(t *testing.T) {
	w := newWorld(t, Options{Compat: true})
	for _, site := range []string{"cross-site", "same-site"} {
		w.do("GET", "/api/v1/webhook/x", nil, "Sec-Fetch-Site: "+site, "Origin: https://evil.example").problem("forbidden")
	}
	if got := w.do("GET", "/api/v1/webhook/x", nil); got.status == http.StatusForbidden {
		t.Errorf("a server's own call: %d", got.status)
	}
}

// TestServerNamesScopes: a client asks once and shows nobody a button that is refused.
func TestServerNamesScopes(t *testing.T) {
	file, err := access.Open(filepath.Join(t.TempDir(), "tokens"))
	if err != nil {
		t.Fatal(err)
	}
	desk, _, err := file.Create("desk", []string{access.Read, access.Answer}, 0)
	if err != nil {
		t.Fatal(err)
	}
	root, _, err := file.Create("root", []string{access.Admin}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Tokens: file})
	all := fmt.Sprint(access.Scopes)
	w.do("GET", "/api/v1/server", nil, "Authorization: Bearer "+desk).want(200).is("desk", "token").is("[read answer]", "scopes")
	w.do("GET", "/api/v1/server", nil, "Authorization: Bearer "+root).want(200).is("root", "token").is(all, "scopes")
	newWorld(t, Options{}).do("GET", "/api/v1/server", nil).want(200).is(all, "scopes")
}
