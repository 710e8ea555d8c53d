package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStepsDoNotReadTheEnginesFiles: a shell step, of a dev server in the same folder, finds
// neither vault nor tokens nor store nor configuration, nor the engine's environment.
func TestStepsDoNotReadTheEnginesFiles(t *testing.T) {
	work := t.TempDir()
	dir := filepath.Join(work, ".stepgraph")
	config := write(t, filepath.Join(work, "config.json"), `{"folder":"`+work+`","token":"CANARY-of-the-configuration-0123456789"}`)
	file := write(t, filepath.Join(work, "w.cypher"), `CREATE (:STEP {id: 'root', function: 'shell', input: '{"command": "cat config.json .stepgraph/* ; cat /proc/$PPID/environ; ls -a .stepgraph; echo done"}'});`)
	got := invoke(t, "", nil, "run", file, "--allow-shell", "--dir", dir, "--config", config, "--store", "sqlite:"+filepath.Join(dir, "stepgraph.db"), "-o", "json")
	if got.code != 0 || !strings.Contains(got.out, `done`) || strings.Contains(got.out, "CANARY") || strings.Contains(got.out, "stepgraph.db") || strings.Contains(got.out, "SQLite format") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
	}
	off := invoke(t, "", nil, "run", file, "--allow-shell", "--isolate", "off", "--dir", dir, "--config", config, "-o", "json")
	if !strings.Contains(off.out, "CANARY") {
		t.Errorf("the test finds nothing without isolation: %s%s", off.out, off.err)
	}
	if got := invoke(t, "", nil, "run", file, "--isolate", "perhaps", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "--isolate") {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
	found := invoke(t, "", map[string]string{"STEPGRAPH_ALLOW_SHELL": "true"}, "doctor", "--dir", dir, "--store", "memory")
	if !strings.Contains(found.out, "isolation: of shell steps and Python: possible; this system has") {
		t.Errorf("doctor: %s%s", found.out, found.err)
	}
}

// TestAProgramThatWaitsReadsNoKey: a shell step that is at work when the first secret is stored
// does not read the key of the vault, and no archive. serve isolates programs by default.
func TestAProgramThatWaitsReadsNoKey(t *testing.T) {
	work, master := t.TempDir(), strings.Repeat("m", 32)
	for _, folder := range []string{"data", "free", "archive"} {
		if err := os.Mkdir(filepath.Join(work, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(work, "archive", "sessions-1.ndjson"), "CANARY of an archive")
	server := serveHere(t, nil, "serve", "--addr", "127.0.0.1:0", "--store", "sqlite:"+filepath.Join(work, "data", "s.db"), "--dir", filepath.Join(work, "dir"),
		"--archive", filepath.Join(work, "archive"), "--token", master, "--allow-shell", "-o", "json")
	server.ready(t)
	send := func(method, path, body string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+master)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode >= 300 {
			t.Fatalf("%s %s: %d %s, %v", method, path, answer.StatusCode, text, err)
		}
		return string(text)
	}
	vault := filepath.Join(work, "data", "s.db.vault")
	command := fmt.Sprintf("cd %s; touch free/began; for i in $(seq 400); do [ -e free/stored ] && break; sleep 0.05; done; cat data/s.db.vault data/s.db.vault.key archive/*; echo done", work)
	send("PUT", "/api/v1/workflows/waits", fmt.Sprintf(`{"steps":[{"id":"root","function":"shell","input":{"command":%q}}],"paths":[]}`, command))
	ended := make(chan string, 1)
	go func() { ended <- send("POST", "/api/v1/sessions?wait=30s", `{"workflow":"waits"}`) }()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(work, "free", "began")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the program does not begin")
		}
	}
	send("PUT", "/api/v1/secrets/FIRST", `{"value":"CANARY of a secret","hosts":["example.com"]}`)
	key, err := os.ReadFile(vault + ".key")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(work, "free", "stored"), "")
	got := <-ended
	if !strings.Contains(got, "done") || strings.Contains(got, string(bytes.TrimSpace(key))) || strings.Contains(got, "CANARY") {
		t.Errorf("the program printed %s", got)
	}
	if found := send("GET", "/api/v1/doctor", ""); !strings.Contains(found, `"code":"isolation"`) || !strings.Contains(found, "of shell steps and Python: required") {
		t.Errorf("doctor: %s", found)
	}
}
