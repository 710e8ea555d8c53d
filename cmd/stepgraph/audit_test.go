package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/api"
)

// TestAuditFile: who changed what stands in a file of JSON lines, which may be moved away.
func TestAuditFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	trail := filepath.Join(t.TempDir(), "audit.jsonl")
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "--audit", trail, "-o", "json")
	file := write(t, filepath.Join(t.TempDir(), "w.cypher"), "CREATE (:STEP {id: 'root'});")
	load := func() {
		t.Helper()
		if got := invoke(t, "", nil, "load", file, "--dir", dir, "--workflow", "w"); got.code != 0 {
			t.Fatalf("load: exit %d: %s", got.code, got.err)
		}
	}
	load()
	if err := os.Rename(trail, trail+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, file, "CREATE (:STEP {id: 'root', name: 'changed'});")
	load()
	dev.end(t)
	for _, name := range []string{trail + ".1", trail} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			var e api.AuditEntry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Who == "" || e.From != "127.0.0.1" || e.At.IsZero() {
				t.Errorf("%s: %v", lines.Text(), err)
			}
			found = found || e.Scope == "edit" && e.Status/100 == 2
		}
		if !found {
			t.Errorf("%s holds no edit: %s", name, text)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// TestAuditCommand: the store keeps who did what, over a restart, and for a command that opens
// the store itself.
func TestAuditCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")
	file := write(t, filepath.Join(t.TempDir(), "w.cypher"), "CREATE (:STEP {id: 'root'});")
	if got := invoke(t, "", nil, "load", file, "--dir", dir, "--workflow", "w"); got.code != 0 {
		t.Fatalf("load: %s", got.err)
	}
	dev.end(t)
	if got := invoke(t, "", nil, "load", write(t, file, "CREATE (:STEP {id: 'root', name: 'x'});"), "--dir", dir, "--workflow", "w"); got.code != 0 {
		t.Fatalf("load: %s", got.err)
	}
	got := invoke(t, "", nil, "audit", "--dir", dir, "--workflow", "w", "-o", "json")
	var list api.Page[api.AuditEntry]
	if err := json.Unmarshal([]byte(got.out), &list); err != nil || got.code != 0 {
		t.Fatalf("exit %d, %v: %s %s", got.code, err, got.out, got.err)
	}
	if len(list.Items) != 2 || list.Items[0].Who != localCaller() || list.Items[1].Who != api.OperatorToken || list.Items[1].Action != "putWorkflow" && list.Items[1].Action != "importWorkflows" {
		t.Errorf("entries %+v", list.Items)
	}
	if got := invoke(t, "", nil, "audit", "--dir", dir, "--since", "1h"); got.code != 0 || !strings.Contains(got.out, "putWorkflow") {
		t.Errorf("exit %d: %s %s", got.code, got.out, got.err)
	}
	if got := invoke(t, "", nil, "serve", "--store", "memory", "--audit-keep", "1s", "--addr", "127.0.0.1:0", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "--audit-keep") {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
}
