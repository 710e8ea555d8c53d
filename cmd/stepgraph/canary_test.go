package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestSecretsAreNowhere: steps of many kinds use secrets that a service echoes, refuses and
// breaks off; then nothing that the server answers, prints or writes holds one, but for the
// service that they are for.
func TestSecretsAreNowhere(t *testing.T) {
	const canary = "CANARY-7f3a9c1e5b8d2046"
	received := make(chan string, 100)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := fmt.Sprint(r.Header, " ", string(body), " ", r.URL)
		received <- text
		switch r.URL.Path {
		case "/refuse":
			w.WriteHeader(http.StatusTeapot)
		case "/break":
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, `{"echo":%q,"key":%q}`, text, r.Header.Get("X-Key"))
	}))
	t.Cleanup(service.Close)
	host := strings.TrimPrefix(service.URL, "http://")
	dir, trail := filepath.Join(t.TempDir(), "dev"), filepath.Join(t.TempDir(), "audit.jsonl")
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "--audit", trail, "--allow-net", host, "--compat", "--verbose", "-o", "json")
	token, err := os.ReadFile(filepath.Join(dir, "token"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	do := func(method, path, body string) (int, string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, method, dev.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = got.Body.Close() }()
		text, err := io.ReadAll(got.Body)
		if err != nil && !strings.HasSuffix(path, "/events") {
			t.Fatal(err)
		}
		all[method+" "+path] += fmt.Sprint(got.Header) + string(text)
		return got.StatusCode, string(text)
	}
	if code, text := do("PUT", "/api/v1/secrets/KEY", fmt.Sprintf(`{"value":%q,"hosts":["http://%s"]}`, canary, host)); code != 200 {
		t.Fatalf("the secret: %d %s", code, text)
	}
	steps := map[string]string{
		"api":     `{"id":"root","function":"api","input":{"url":"` + service.URL + `/echo","headers":{"X-Key":"$KEY"}}}`,
		"post":    `{"id":"root","function":"api","input":{"method":"POST","url":"` + service.URL + `/echo","headers":{"X-Key":{"secret":"KEY"}},"body":{"a":"b"}}}`,
		"refused": `{"id":"root","function":"api","input":{"url":"` + service.URL + `/refuse","headers":{"X-Key":"$KEY"}}}`,
		"raised":  `{"id":"root","function":"api","input":{"url":"` + service.URL + `/refuse","headers":{"X-Key":"$KEY"},"raise":true}}`,
		"broken":  `{"id":"root","function":"api","input":{"url":"` + service.URL + `/break","headers":{"X-Key":"$KEY"}}}`,
		"graphql": `{"id":"root","function":"graphql","input":{"url":"` + service.URL + `/echo","query":"{a}","headers":{"X-Key":"$KEY"}}}`,
		"model":   `{"id":"root","function":"generate","input":{"base_url":"` + service.URL + `/v1","api_key":"$KEY","model":"m","user":"hello"}}`,
		"else":    `{"id":"root","function":"api","input":{"url":"` + strings.Replace(service.URL, "127.0.0.1", "localhost", 1) + `/echo","headers":{"X-Key":"$KEY"}}}`,
	}
	reads := readingRoutes(t, func() string {
		_, document := do("GET", "/openapi.json", "")
		return document
	}())
	for name, step := range steps {
		if code, text := do("PUT", "/api/v1/workflows/"+name+"?force=true", `{"steps":[`+step+`,{"id":"say","function":"reply","input":{"message":"@{SESSION_ID}.root"}}],"paths":[{"source":"root","target":"say"}]}`); code >= 300 {
			t.Fatalf("%s: %d %s", name, code, text)
		}
		_, text := do("POST", "/api/v1/sessions?wait=15s", fmt.Sprintf(`{"workflow":%q}`, name))
		var s struct{ ID string }
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.ID == "" {
			t.Fatalf("%s: %s", name, text)
		}
		for _, route := range reads { // every one that the API's document has for sessions and workflows
			path := strings.NewReplacer("{session}", s.ID, "{workflow}", name, "{step}", "root", "{path}", "none").Replace(route)
			if code, text := do("GET", path, ""); code == 404 && !strings.Contains(route, "{path}") || code >= 500 {
				t.Errorf("GET %s: %d %s", path, code, text)
			}
		}
		do("POST", "/api/v1/eval/reference", fmt.Sprintf(`{"session":%q,"text":"@{SESSION_ID}.root $KEY ${KEY}"}`, s.ID))
		do("GET", "/api/v1/workflows/"+name+"/export?format=cypher", "")
		do("GET", "/api/v1/chatmessage/"+name, "")
		do("POST", "/api/flow_load", fmt.Sprintf(`{"name":%q}`, name))
		do("GET", "/api/session/"+s.ID, "")
	}
	_, text := do("POST", "/api/v1/batches", `{"action":"retry","filter":{}}`)
	var batch struct{ ID string }
	if err := json.Unmarshal([]byte(text), &batch); err != nil {
		t.Fatal(err)
	}
	do("GET", "/api/v1/batches/"+batch.ID+"/results?follow=true", "")
	for _, path := range []string{"/metrics", "/api/v1/doctor", "/api/v1/audit", "/api/v1/secrets", "/api/v1/secrets/KEY", "/api/v1/server", "/", "/docs", "/api/v1/awaiting", "/api/v1/batches", "/api/v1/engines", "/api/v1/tokens", "/api/v1/chatflows", "/openapi.json", "/api/v1/sessions", "/api/v1/executions"} {
		do("GET", path, "")
	}
	// Streams: a session of each kind is followed from its start, as events and by the WebSocket
	// of NebulaFlow; a prediction is streamed by Flowise's route.
	for name := range steps {
		_, text := do("POST", "/api/v1/sessions", fmt.Sprintf(`{"workflow":%q}`, name))
		var s struct{ ID string }
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(text)
		}
		do("GET", "/api/v1/sessions/"+s.ID+"/events", "")
		all["WebSocket of "+name] = overWebSocket(t, dev.address, strings.TrimSpace(string(token)), s.ID)
		for _, args := range [][]string{{"session", "show"}, {"session", "history"}, {"session", "watch"}, {"session", "explain"}} {
			if args[1] == "watch" && name != "api" {
				continue
			}
			for _, more := range [][]string{nil, {"-o", "json"}} {
				got := invoke(t, "", nil, append(append(append([]string{}, args...), s.ID, "--dir", dir), more...)...)
				all[fmt.Sprint(args, name, more)] = got.out + got.err
			}
		}
		for _, format := range []string{"cypher", "json"} {
			got := invoke(t, "", nil, "export", name, "--format", format, "--dir", dir)
			all["export "+name+format] = got.out + got.err
		}
	}
	for _, args := range [][]string{{"prune", "--archive", filepath.Join(dir, "archive"), "--older-than", "1ms"}, {"audit"}, {"audit", "-o", "json"}, {"doctor"}, {"secret", "list"}, {"secret", "list", "-o", "json"}, {"session", "list", "-o", "json"}} {
		got := invoke(t, "", nil, append(args, "--dir", dir)...)
		if got.code != 0 && args[0] != "doctor" || got.out == "" {
			t.Errorf("%v: exit %d %s", args, got.code, got.err)
		}
		all[fmt.Sprint(args)] = got.out + got.err
	}
	dev.end(t)
	all["what the server printed"] = dev.talk.String() + dev.out
	for _, folder := range []string{dir, filepath.Dir(trail)} {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			all[name] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close(received)
	var got []string
	for text := range received {
		got = append(got, text)
	}
	if n := len(slices.DeleteFunc(got, func(text string) bool { return !strings.Contains(text, canary) })); n < 4 {
		t.Errorf("the service received the secret %d times: this test proves nothing", n)
	}
	if kept := strings.Join(slices.Collect(maps.Keys(all)), " "); !strings.Contains(kept, ".ndjson") || !strings.Contains(kept, "/trace") {
		t.Error("no archive or no trace was looked at")
	}
	for place, text := range all {
		if at := strings.Index(text, canary); at >= 0 {
			t.Errorf("%s holds the secret: …%.200s", place, text[max(0, at-100):])
		}
	}
	t.Logf("looked at %d answers and files", len(all))
}

// readingRoutes are the GET routes of sessions and workflows, without the streams.
func readingRoutes(t *testing.T, document string) (routes []string) {
	t.Helper()
	var api struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(document), &api); err != nil {
		t.Fatal(err)
	}
	for path, methods := range api.Paths {
		if _, reads := methods["get"]; reads && (strings.Contains(path, "{session}") || strings.Contains(path, "{workflow}")) && !strings.HasSuffix(path, "/events") && !strings.HasSuffix(path, "/diff") {
			routes = append(routes, path)
		}
	}
	if len(routes) < 12 {
		t.Fatalf("only %d routes: %v", len(routes), routes)
	}
	slices.Sort(routes)
	return routes
}

// overWebSocket is all that NebulaFlow's route says of a session.
func overWebSocket(t *testing.T, address, token, session string) string {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), address+"/api/compat/nebulaflow?session="+session, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }() // the time is over
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var all strings.Builder
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return all.String()
		}
		all.Write(text)
	}
}

// TestACrashShowsNoSecrets: a server that is told to dump its goroutines while calls with a
// secret are under way prints none, and leaves no core file. What it has written until then holds
// none either.
func TestACrashShowsNoSecrets(t *testing.T) {
	const canary = "CANARY-4b1d7c90e2aa5f63"
	called := make(chan string, 10)
	over := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		called <- r.Header.Get("X-Key")
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(over); service.Close() })
	host := strings.TrimPrefix(service.URL, "http://")
	work := t.TempDir()
	dir := filepath.Join(work, "dev")
	secrets := write(t, filepath.Join(work, "secret.txt"), canary)
	if err := os.Chmod(secrets, 0o600); err != nil {
		t.Fatal(err)
	}
	config := write(t, filepath.Join(work, "config.json"), fmt.Sprintf(`{"secrets":{"KEY":{"file":%q,"hosts":["http://%s"]}}}`, secrets, host))
	file := write(t, filepath.Join(work, "calls.cypher"), `CREATE (:STEP {id: 'root', function: 'api', input: '{"url": "`+service.URL+`/x", "headers": {"X-Key": "$KEY"}}'});`)
	cmd, talk := serveApart(t, dir, "--config", config, "--allow-net", host, "--watch", work, "--verbose")
	_ = file
	for deadline := time.Now().Add(patience); ; {
		if got := invoke(t, "", nil, "session", "start", "calls", "--dir", dir); got.code == 0 || got.code == 5 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("not started: %s%s", got.out, got.err)
		}
	}
	select {
	case key := <-called:
		if key != canary {
			t.Fatalf("the service was given %q: this test proves nothing", key)
		}
	case <-time.After(patience):
		t.Fatal("the service was not called")
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", cmd.Process.Pid))
	if err == nil && !regexp.MustCompile(`Max core file size +0 `).Match(limits) {
		t.Errorf("core files are possible: %s", limits)
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says that it was ended
	dump := talk.String()
	if !strings.Contains(dump, "goroutine ") {
		t.Fatalf("no dump: %s", dump)
	}
	if strings.Contains(dump, canary) {
		t.Errorf("the dump holds the secret: %s", dump)
	}
	err = filepath.WalkDir(work, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == secrets {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), canary) {
			t.Errorf("%s holds the secret", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
