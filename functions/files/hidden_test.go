package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/files"
)

// TestTheEnginesOwnFilesAreHidden: a folder may hold them, and no function reads, changes,
// lists or finds them, also not by a link.
func TestTheEnginesOwnFilesAreHidden(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".stepgraph/vault.key", "CANARY")
	put(t, dir, "shop.db.vault", "CANARY")
	put(t, dir, "seen", "plain")
	if err := os.Symlink(".stepgraph", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	o := files.Options{Dir: dir, Hide: []string{filepath.Join(dir, ".stepgraph"), filepath.Join(dir, "shop.db*")}}
	for _, c := range [][2]string{
		{"file.read", `{"path":".stepgraph/vault.key"}`}, {"file.read", `{"path":"x/../shop.db.vault"}`}, {"file.read", `{"path":"link/vault.key"}`},
		{"file.write", `{"path":".stepgraph/new","content":"x"}`}, {"file.write", `{"path":"link/new","content":"x"}`}, {"file.write", `{"path":"shop.db-wal","content":"x"}`},
		{"file.edit", `{"path":"shop.db.vault","old":"CANARY","new":"x"}`}, {"file.list", `{"path":".stepgraph"}`}, {"file.list", `{"depth":5}`},
		{"file.find", `{"pattern":"**"}`}, {"file.grep", `{"pattern":"CANARY"}`}, {"file.grep", `{"pattern":"CANARY","path":"link"}`},
	} {
		out, err := find(t, o, c[0]).Function.Call(t.Context(), json.RawMessage(c[1]))
		if err == nil && (strings.Contains(string(out), "CANARY") || strings.Contains(string(out), "vault") || strings.Contains(c[0], "write") && !strings.Contains(c[1], "wal")) {
			t.Errorf("%s %s: %s", c[0], c[1], out)
		}
	}
	holds(t, dir, ".stepgraph/vault.key", "CANARY")
	holds(t, dir, "shop.db.vault", "CANARY")
	if _, err := os.Stat(filepath.Join(dir, ".stepgraph/new")); err == nil {
		t.Error("a file was made among the engine's own")
	}
	if _, err := find(t, o, "file.read").Function.Call(t.Context(), json.RawMessage(`{"path":"seen"}`)); err != nil {
		t.Error(err)
	}
}
