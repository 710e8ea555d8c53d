package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/sqlite"
)

func TestExclusiveNamesTheHolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	first, err := sqlite.Open(t.Context(), file, sqlite.Options{Exclusive: "127.0.0.1:7766"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), file, sqlite.Options{Exclusive: "127.0.0.1:1"})
	wantHeld(t, err, "127.0.0.1:7766", os.Getpid())
	holder, err := sqlite.Holder(file)
	if err != nil || holder == nil {
		t.Fatalf("holder: %v, %v", holder, err)
	}
	wantHeld(t, holder, "127.0.0.1:7766", os.Getpid())

	open(t, file, sqlite.Options{}) // who does not ask to be alone is let in

	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if holder, err := sqlite.Holder(file); holder != nil || err != nil {
		t.Errorf("after Close it is held by %v, %v", holder, err)
	}
	open(t, file, sqlite.Options{Exclusive: "127.0.0.1:2"})
}

// TestOneFileTwoNames: the lock is that of the file, whatever name it is opened by.
func TestOneFileTwoNames(t *testing.T) {
	dir := t.TempDir()
	file, link, hard := filepath.Join(dir, "x.db"), filepath.Join(dir, "link.db"), filepath.Join(dir, "hard.db")
	open(t, file, sqlite.Options{Exclusive: "127.0.0.1:7766"})
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), link, sqlite.Options{Exclusive: "127.0.0.1:1"})
	wantHeld(t, err, "127.0.0.1:7766", os.Getpid())
	holder, err := sqlite.Holder(link)
	if err != nil || holder == nil {
		t.Fatalf("holder by the other name: %v, %v", holder, err)
	}
	if err := os.Link(file, hard); err != nil {
		t.Fatal(err)
	}
	if _, err = sqlite.Open(t.Context(), hard, sqlite.Options{}); err == nil || !strings.Contains(err.Error(), "2 hard links") {
		t.Errorf("by a hard link: %v", err)
	}
}

func TestHolderOfNothing(t *testing.T) {
	if holder, err := sqlite.Holder(filepath.Join(t.TempDir(), "absent.db")); holder != nil || err != nil {
		t.Errorf("got %v, %v", holder, err)
	}
}

// A process that holds the file is killed: the file is free at once.
func TestKilledHolderLetsGo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	child := startChild(t, "hold", file)
	if line := child.line(t); line != "holding" {
		t.Fatalf("child says %q", line)
	}
	_, err := sqlite.Open(t.Context(), file, sqlite.Options{Exclusive: "here"})
	wantHeld(t, err, "child:1", child.cmd.Process.Pid)
	child.kill(t)
	open(t, file, sqlite.Options{Exclusive: "here"})
}

func wantHeld(t *testing.T, err error, address string, pid int) {
	t.Helper()
	var held *sqlite.HeldError
	if !errors.As(err, &held) {
		t.Fatalf("got %v, want a HeldError", err)
	}
	if held.Address != address || held.PID != pid {
		t.Errorf("held by %q, process %d; want %q, %d", held.Address, held.PID, address, pid)
	}
}
