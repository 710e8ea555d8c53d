//go:build unix

package files_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/files"
)

// A pipe that nobody writes to would be waited for without end.
func TestPipesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := call[files.ReadOutput](t, dir, "file.read", `{"path":"pipe"}`)
	fails(t, err, function.KindFailed, "is not a file")
	_, err = call[files.WriteOutput](t, dir, "file.write", `{"path":"pipe","content":"x"}`)
	fails(t, err, function.KindFailed, "is not a file")
	if out, err := call[files.GrepOutput](t, dir, "file.grep", `{"pattern":"x"}`); err != nil || out.Count != 0 {
		t.Errorf("got %+v, %v", out, err)
	}
}
