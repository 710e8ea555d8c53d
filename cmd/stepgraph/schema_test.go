package main

import (
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// newerSchema gives a file a migration of a newer version, and takes it away again.
func newerSchema(t *testing.T, file string) (restore func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(text string) {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO migration (name, at) VALUES ('0099_later', 0)")
	return func() { exec("DELETE FROM migration WHERE name = '0099_later'") }
}

// TestSchemaOfAnotherVersion: a server says at /readyz and in each error which migration its
// database has, and goes on by itself when the schema is right again. doctor and a start say the same.
func TestSchemaOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.db")
	serve := []string{"serve", "--store", "sqlite:" + file, "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json"}
	s := serveHere(t, nil, serve...)
	s.ready(t)
	put := write(t, filepath.Join(dir, "hello.json"), `{"format": "stepgraph", "version": 1, "id": "hello", "steps": [{"id": "root", "function": "reply", "input": {"message": "hi"}}]}`)
	env := map[string]string{"STEPGRAPH_SERVER": s.address}
	if got := invoke(t, "", env, "load", put, "--dir", dir); got.code != 0 {
		t.Fatal(got.err)
	}
	const want = "the database has migration 99 (0099_later) and is newer than this version"
	restore := newerSchema(t, file)
	if code, text := get(t, s.address+"/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(text, want) || !strings.Contains(text, "/problems/schema") {
		t.Errorf("/readyz: %d %s", code, text)
	}
	started := func() (int, string) {
		return post(t, s.address+"/api/v1/sessions", `{"workflow": "hello"}`)
	}
	if code, text := started(); code != http.StatusServiceUnavailable || !strings.Contains(text, want) {
		t.Errorf("a start: %d %s", code, text)
	}
	for name, args := range map[string][]string{"at the server": {"doctor", "--server", s.address, "--dir", dir}, "at the store": {"doctor", "--store", "sqlite:" + file, "--dir", dir}} {
		if got := invoke(t, "", nil, args...); got.code != 1 || !strings.Contains(got.out, want) {
			t.Errorf("doctor %s: exit %d: %s%s", name, got.code, got.out, got.err)
		}
	}
	restore()
	for deadline := time.Now().Add(patience); ; { // /readyz asks the store anew each time
		code, text := started()
		if code == http.StatusCreated {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the schema was right again: %d %s", code, text)
		}
		s.ready(t)
	}
	s.end(t)
	newerSchema(t, file)
	if got := invoke(t, "", nil, serve...); got.code == 0 || !strings.Contains(got.err, want) {
		t.Errorf("a start of serve: exit %d: %s", got.code, got.err)
	}
}

func post(t *testing.T, address, body string) (int, string) {
	t.Helper()
	response, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
