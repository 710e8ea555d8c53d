package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSteeringShowsTheSessionAfterwards: what a command prints is the session with the request
// applied, on a running server, where another process applies it.
func TestSteeringShowsTheSessionAfterwards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")
	do := func(want string, args ...string) {
		t.Helper()
		got := invoke(t, "", nil, append(args, "--dir", dir)...)
		if got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%v: exit %d, want %q in:\n%s%s", args, got.code, want, got.out, got.err)
		}
	}
	for range 5 { // none of it by luck
		do("What is your name?", "session", "start", "hello", "--id", "s", "--key", t.Name())
		do("paused", "session", "pause", "s")
		do("awaiting_input", "session", "resume", "s")
		do("is changed", "workflow", "set-step", "hello", "root", `input={"prompt": "Who are you?"}`)
		do("asks      root: Who are you?", "session", "reask", "s")
		do("is changed", "workflow", "set-step", "hello", "root", `input={"prompt": "What is your name?"}`)
		do("asks      root: What is your name?", "session", "reask", "s")
		do("cancelled", "session", "cancel", "s")
		do("", "session", "delete", "s")
	}
}
