package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
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
