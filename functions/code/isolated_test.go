package code_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/isolation"
)

// TestPythonHasNoFiles: a script reads nothing but its interpreter's and writes nothing but
// its own folder, whatever the engine's user may do.
func TestPythonHasNoFiles(t *testing.T) {
	o := interpreter(t)
	if here, _ := isolation.Here(); runtime.GOOS != "linux" || !strings.Contains(here, "Landlock") {
		t.Skip("needs Landlock; this system has " + here)
	}
	dir := t.TempDir()
	key := filepath.Join(dir, "stepgraph.db.vault.key")
	if err := os.WriteFile(key, []byte("CANARY"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Python.Isolation.Level = isolation.Possible
	out := exec(t, o, map[string]any{"language": "python", "variables": map[string]any{"key": key, "dir": dir}, "code": `
import os, sqlite3, ssl, tempfile
done = []
for path in (key, "/etc/passwd", os.path.expanduser("~root/.ssh/id_rsa"), "/proc/1/environ"):
    try:
        done.append(open(path).read())
    except OSError:
        pass
for path in (key, dir + "/evil", "/tmp/evil-of-stepgraph"):
    try:
        open(path, "a").write("evil")
        done.append(path)
    except OSError:
        pass
with tempfile.TemporaryFile() as f:
    f.write(b"own")
result = done`})
	if string(out.Result) != "[]" {
		t.Errorf("got %s, %v", out.Result, said(out.Error))
	}
	if text, err := os.ReadFile(key); err != nil || string(text) != "CANARY" {
		t.Errorf("the key is %q, %v", text, err)
	}
}
