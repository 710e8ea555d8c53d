package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/stepgraph/stepgraph/engine"
)

// routes is the route table, with parameters filled in.
func routes(t *testing.T, w *world, id string) [][2]string {
	t.Helper()
	router, _ := build(w.engine, Options{Compat: true})
	fill := strings.NewReplacer("/assets/*", "/assets/index.js", "{file}", "page.js", "{session}", id, "{id}", id, "{workflow}", "talk", "{step}", "root", "{path}", "root%3Ehello", "{slug}", "internal")
	var all [][2]string
	if err := chi.Walk(router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		route = strings.Replace(route, "/*/", "/", 1)
		if route == "/*" {
			return nil
		}
		all = append(all, [2]string{method, fill.Replace(route)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("only %d routes: %v", len(all), all)
	}
	return all
}

func TestTokenIsRequiredEverywhere(t *testing.T) {
	withoutPauses(t)
	w := newWorld(t, Options{Token: "secret", Compat: true})
	right := "Authorization: Bearer secret"
	id := w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}, right).want(201).str("id")
	before := everything(t, w)
	table := append(routes(t, w, id), [2]string{"GET", "/api/v1/nothing"}, [2]string{"PUT", "/api/v1/sessions"})
	for _, r := range table {
		for name, header := range map[string]string{"none": "", "wrong": "Authorization: Bearer wrong", "empty": "Authorization: Bearer ",
			"scheme": "Authorization: Digest secret", "key": "X-API-KEY: wrong", "longer": "X-API-KEY: secret2", "prefix": "X-API-KEY: secre", "basic": "Authorization: Basic " + basic("x:wrong")} {
			headers := []string{}
			if header != "" {
				headers = append(headers, header)
			}
			got := w.do(r[0], r[1], `{"not": "read`, headers...)
			if open(r[1]) {
				got.want(200)
				continue
			}
			if strings.HasPrefix(r[1], "/api/v1/mcp/") { // asks for the token of the flow, in the words of MCP
				got.want(http.StatusUnauthorized)
				continue
			}
			if r[0] == http.MethodHead { // its answer has no body
				got.want(401)
			} else {
				got.problem("unauthorized")
			}
			if !strings.Contains(got.header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%v with %s: no WWW-Authenticate", r, name)
			}
		}
	}
	if after := everything(t, w); after != before {
		t.Errorf("something changed:\n%s\n%s", before, after)
	}
	for _, header := range []string{right, "Authorization: bearer secret", "X-API-KEY: secret", "Authorization: Basic " + basic("anyone:secret")} {
		w.do("GET", "/api/v1/sessions", nil, header).want(200)
	}
	if got := w.do("GET", "/api/v1/sessions", nil, "Accept: text/html").problem("unauthorized"); len(got.header.Values("WWW-Authenticate")) != 2 {
		t.Error("a browser is not asked for the token")
	}
}

// open tells which routes ask for no token: none of them tells or does anything.
func open(route string) bool {
	return route == "/" || route == "/docs" || strings.HasPrefix(route, "/docs/") || strings.HasPrefix(route, "/assets/") || route == "/icon.svg" ||
		slices.ContainsFunc([]string{"/workflows", "/inbox", "/sessions", "/batches"}, func(page string) bool { return route == page || strings.HasPrefix(route, page+"/") }) ||
		route == "/sign-in" || route == "/healthz" || route == "/readyz" || route == "/api/v1/ping" || strings.HasPrefix(route, "/api/v1/chatflows-streaming/")
}

func basic(text string) string {
	r, _ := http.NewRequest("GET", "/", nil) // a constant address
	name, password, _ := strings.Cut(text, ":")
	r.SetBasicAuth(name, password)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}

// everything is all that a request could have changed.
func everything(t *testing.T, w *world) string {
	t.Helper()
	var b strings.Builder
	sessions, err := w.store.ListSessions(t.Context(), engine.SessionQuery{WithState: true, Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		b.WriteString(s.ID + " " + s.Status + " " + string(s.State) + " " + s.Transition + " " + s.UpdatedAt.String() + "\n")
		requests, err := w.store.AllRequests(t.Context(), s.ID, engine.HistoryQuery{Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range requests {
			b.WriteString("  " + q.Kind + " " + q.Key + "\n")
		}
	}
	infos, err := w.store.WorkflowIDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		def, err := w.engine.Workflow(t.Context(), i.ID)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(i.ID + " " + def.ETag() + "\n")
	}
	return b.String()
}

func TestGETNeverChangesAnything(t *testing.T) {
	w := newWorld(t, Options{Compat: true})
	id := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": "Ada"}).want(200)
	w.start("broken")
	w.start("plain")
	hash := w.do("GET", "/api/v1/workflows/talk/log?step=root", nil).want(200).str("items", 0, "hash")
	batch := w.do("POST", "/api/v1/batches", map[string]any{"action": "cancel", "filter": map[string]any{"workflow": "talk"}, "dry_run": true}).want(202).str("id")
	w.do("GET", "/api/v1/batches/"+batch+"/results", nil).want(200) // waits until it is complete
	for kind, body := range map[string]string{"profiles": `{}`, "variables": `{"value":1}`, "secrets": `{"value":"x","hosts":["*"]}`} {
		w.do("PUT", "/api/v1/"+kind+"/a", body).want(200)
	}
	flow := w.do("POST", "/api/v1/chatflows", map[string]any{"name": "hello", "type": "AGENTFLOW", "flowData": `{"nodes":[{"id":"startAgentflow_0","type":"agentFlow",
		"position":{"x":0,"y":0},"data":{"id":"startAgentflow_0","name":"startAgentflow","label":"Start","inputs":{"startInputType":"chatInput"}}}],"edges":[]}`}).want(200).str("id")
	fill := strings.NewReplacer("{batch}", batch, "/diff", "/diff?from="+hash, "{profile}", "a", "{variable}", "a", "{secret}", "a",
		"chatflows/"+id, "chatflows/"+flow, "chatbotConfig/"+id, "chatbotConfig/"+flow, "chatmessage/"+id, "chatmessage/"+flow)
	before := everything(t, w)
	tried := 0
	for _, r := range routes(t, w, id) {
		if r[0] != "GET" {
			continue
		}
		tried++
		if strings.HasSuffix(r[1], "/compat/nebulaflow") { // a WebSocket: what goes over it is not a GET
			w.do("GET", r[1], nil).want(http.StatusUpgradeRequired)
			continue
		}
		if strings.HasPrefix(r[1], "/api/v1/webhook/") { // starts a flow that says it may be started so
			continue
		}
		if strings.HasSuffix(r[1], "/events") {
			stream := w.watch(id, "")
			stream.next("snapshot")
			stream.close()
			continue
		}
		w.do("GET", fill.Replace(r[1]), nil).want(200)
		w.do("GET", fill.Replace(r[1]), nil).want(200)
	}
	if after := everything(t, w); tried < 15 || after != before {
		t.Errorf("after %d GETs:\n%s\nwas:\n%s", tried, after, before)
	}
}

func TestHostsAndOrigins(t *testing.T) {
	w := newWorld(t, Options{Loopback: true, Hosts: []string{"flow.example"}})
	for host, status := range map[string]int{"localhost": 200, "localhost:7766": 200, "127.0.0.1": 200, "127.8.8.8:1": 200, "[::1]:7766": 200, "LOCALHOST.": 200,
		"flow.example:80": 200, "evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "127.0.0.1.nip.io": 403} {
		got := w.do("GET", "/api/v1/sessions", nil, "Host: "+host)
		if got.status != status {
			t.Errorf("host %s: %d, want %d", host, got.status, status)
		}
		if status == 403 {
			got.problem("forbidden")
		}
	}
	w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}, "Origin: https://evil.example").problem("forbidden")
	w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}, "Sec-Fetch-Site: cross-site").problem("forbidden")
	w.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}, "Origin: "+w.server.URL).want(201)
	got := w.do("GET", "/api/v1/sessions", nil, "Origin: https://evil.example").want(200)
	if got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin may read")
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q", name, got.header.Get(name))
		}
	}
}

// faulty is an engine that fails as a test wants it to.
type faulty struct {
	*engine.Engine
	fail func() error
}

func (f faulty) Start(context.Context, engine.StartRequest) (*engine.Session, error) {
	return nil, f.fail()
}

type deadStore struct{ engine.StoreView }

func (deadStore) Ping(context.Context) error { return engine.ErrUnavailable }

func (f faulty) Store() engine.StoreView { return deadStore{f.Engine.Store()} }

func TestFaultsOfTheServer(t *testing.T) {
	w := newWorld(t, Options{})
	for _, c := range []struct {
		fail              func() error
		slug, retry, logs string
	}{
		{func() error { return engine.ErrOverloaded }, "overloaded", "5", ""},
		{func() error { return engine.ErrUnavailable }, "unavailable", "1", ""},
		{func() error { return engine.ErrUnknownOutcome }, "unavailable", "1", ""},
		{func() error { return engine.ErrLeaseLost }, "session_busy", "", ""},
		{func() error { return context.DeadlineExceeded }, "unavailable", "1", ""},
		{func() error { return errors.New("password is hunter2") }, "internal", "", "hunter2"},
		{func() error { panic("index out of hunter3") }, "internal", "", "hunter3"},
	} {
		logs := &logBuffer{}
		server := httptest.NewServer(New(faulty{w.engine, c.fail}, Options{Log: logger(logs)}))
		broken := &world{t: t, server: server}
		got := broken.do("POST", "/api/v1/sessions", map[string]any{"workflow": "plain"}).problem(c.slug)
		if got.header.Get("Retry-After") != c.retry {
			t.Errorf("%s: Retry-After %q", c.slug, got.header.Get("Retry-After"))
		}
		if strings.Contains(got.text, "hunter") {
			t.Errorf("the fault is told: %s", got.text)
		}
		if c.logs == "" && logs.String() != "" || !strings.Contains(logs.String(), c.logs) {
			t.Errorf("%s: logged %q", c.slug, logs)
		}
		broken.do("GET", "/api/v1/sessions", nil).want(200) // still alive
		broken.do("GET", "/healthz", nil).want(200)
		broken.do("GET", "/readyz", nil).problem("unavailable")
		server.Close()
	}
}

func TestHealthAndMetrics(t *testing.T) {
	w := newWorld(t, Options{Metrics: []func(io.Writer){func(w io.Writer) { _, _ = io.WriteString(w, "stepgraph_test_gauge 7\n") }}})
	w.do("GET", "/healthz", nil).want(200).is("ok", "status")
	w.do("GET", "/readyz", nil).want(200).is("ready", "status")
	w.do("HEAD", "/healthz", nil).want(200)
	w.do("GET", "/api/v1/sessions/none", nil)
	w.do("GET", "/api/v1/sessions/other", nil)
	w.do("GET", "/nowhere/at/all", nil)
	text := w.do("GET", "/metrics", nil).want(200).text
	for _, line := range []string{
		`stepgraph_http_requests_total{method="GET",route="/api/v1/sessions/{session}",status="404"} 2`,
		`stepgraph_http_requests_total{method="GET",route="/healthz",status="200"} 1`,
		`stepgraph_http_request_duration_seconds_count{method="GET",route="/api/v1/sessions/{session}"} 2`,
		`stepgraph_test_gauge 7`,
		`stepgraph_http_event_streams 0`,
		`stepgraph_limit{of="sessions"} 1000`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s in\n%s", line, regexp.MustCompile(`(?m)^(#|go_|process_).*\n`).ReplaceAllString(text, ""))
		}
	}
	if strings.Contains(text, "nowhere") {
		t.Error("a path of a client's choice is a label")
	}
}

// TestBelowAPrefix mounts the handler where it is not at the root.
func TestBelowAPrefix(t *testing.T) {
	w := newWorld(t, Options{})
	mux := http.NewServeMux()
	mux.Handle("/flows/", http.StripPrefix("/flows", New(w.engine, Options{Log: logger(&logBuffer{})})))
	router := chi.NewRouter()
	router.Mount("/deep/flows", New(w.engine, Options{Log: logger(&logBuffer{})}))
	mux.Handle("/deep/", router)
	server := httptest.NewServer(mux)
	defer server.Close()
	below := &world{t: t, server: server}
	for _, prefix := range []string{"/flows", "/deep/flows"} {
		made := below.do("POST", prefix+"/api/v1/sessions?wait=10s", map[string]any{"workflow": "talk"}).want(201)
		below.do("GET", prefix+"/api/v1/"+made.header.Get("Location"), nil).want(200).is(made.str("id"), "id")
		below.do("DELETE", prefix+"/api/v1/workflows/talk/paths/a%2Fb%3Ec", nil).problem("path_not_found")
		below.do("GET", prefix+"/healthz", nil).want(200)
		below.do("GET", prefix+"/", nil).want(200)
		below.do("GET", prefix+"/nothing", nil).problem("not_found")
		if got := below.do("DELETE", prefix+"/healthz", nil).problem("method_not_allowed"); got.header.Get("Allow") != "GET" {
			t.Errorf("Allow %q", got.header.Get("Allow"))
		}
	}
}
