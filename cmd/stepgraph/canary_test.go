package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
		"broken":  `{"id":"root","function":"api","input":{"url":"` + service.URL + `/break","headers":{"X-Key":"$KEY"}}}`,
		"graphql": `{"id":"root","function":"graphql","input":{"url":"` + service.URL + `/echo","query":"{a}","headers":{"X-Key":"$KEY"}}}`,
		"model":   `{"id":"root","function":"generate","input":{"base_url":"` + service.URL + `/v1","api_key":"$KEY","model":"m","user":"hello"}}`,
		"else":    `{"id":"root","function":"api","input":{"url":"` + strings.Replace(service.URL, "127.0.0.1", "localhost", 1) + `/echo","headers":{"X-Key":"$KEY"}}}`,
	}
	for name, step := range steps {
		if code, text := do("PUT", "/api/v1/workflows/"+name+"?force=true", `{"steps":[`+step+`,{"id":"say","function":"reply","input":{"message":"@{SESSION_ID}.root"}}],"paths":[{"source":"root","target":"say"}]}`); code >= 300 {
			t.Fatalf("%s: %d %s", name, code, text)
		}
		_, text := do("POST", "/api/v1/sessions?wait=15s", fmt.Sprintf(`{"workflow":%q}`, name))
		var s struct{ ID string }
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.ID == "" {
			t.Fatalf("%s: %s", name, text)
		}
		for _, part := range []string{"", "/state", "/executions", "/messages", "/requests", "/explain"} {
			do("GET", "/api/v1/sessions/"+s.ID+part, "")
		}
		do("POST", "/api/v1/eval/reference", fmt.Sprintf(`{"session":%q,"text":"@{SESSION_ID}.root $KEY ${KEY}"}`, s.ID))
		do("GET", "/api/v1/workflows/"+name+"/export?format=cypher", "")
		do("GET", "/api/v1/workflows/"+name+"/log", "")
		do("GET", "/api/session/"+s.ID, "")
	}
	_, text := do("POST", "/api/v1/batches", `{"action":"retry","filter":{}}`)
	var batch struct{ ID string }
	if err := json.Unmarshal([]byte(text), &batch); err != nil {
		t.Fatal(err)
	}
	do("GET", "/api/v1/batches/"+batch.ID+"/results?follow=true", "")
	for _, path := range []string{"/metrics", "/api/v1/doctor", "/api/v1/audit", "/api/v1/secrets", "/api/v1/secrets/KEY", "/api/v1/server", "/docs", "/openapi.json", "/api/v1/sessions", "/api/v1/executions"} {
		do("GET", path, "")
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
	for place, text := range all {
		if at := strings.Index(text, canary); at >= 0 {
			t.Errorf("%s holds the secret: …%.200s", place, text[max(0, at-100):])
		}
	}
	t.Logf("looked at %d answers and files", len(all))
}
