package main

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// TestFoldersArePrivate: what a server keeps, other users of the machine neither list nor read.
func TestFoldersArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")
	dev.ready(t)
	files := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %s", name, info.Mode())
		}
		files++
		return nil
	})
	if err != nil || files < 4 {
		t.Errorf("%d files, %v", files, err)
	}
}
