package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	batchTold  = regexp.MustCompile(`(?:batch |"id":")([0-9a-f]{8}-[0-9a-f-]{27})`)
	hashTold   = regexp.MustCompile(`\b([0-9a-f]{12}) `)
)

// TestOperating types the commands of docs/operating.md, in order, beside a fresh dev.
// $BATCH and $HASH are what a person reads off the command before.
func TestOperating(t *testing.T) {
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", filepath.Join(dir, ".stepgraph"), "-o", "json")
	batch, hash, typed := "", "", 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			typed++
			cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "BATCH="+batch, "HASH="+hash, "STEPGRAPH_SERVER=", "STEPGRAPH_STORE=")
			var out, talk bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &talk
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s%v: %s%s", line, err, out.String(), talk.String())
			}
			if m := batchTold.FindStringSubmatch(talk.String() + out.String()); m != nil {
				batch = m[1]
			}
			if m := hashTold.FindStringSubmatch(out.String()); m != nil && strings.Contains(line, "workflow log") {
				hash = m[1]
			}
		}
	}
	if typed < 30 || batch == "" || hash == "" {
		t.Errorf("typed only %d commands; batch %q, hash %q", typed, batch, hash)
	}
	for _, check := range []struct{ want, command string }{
		{`"response":"Eve"`, "session show eve-again --state"},
		{"Hello, Friend!", "session show ada"},
		{"Hello, Friend!", "session show bob"},
		{"cancelled", "session show kim"},
		{"What is your name?", "export hello"},
	} {
		got := invoke(t, "", nil, append(strings.Fields(check.command), "--dir", filepath.Join(dir, ".stepgraph"))...)
		if !strings.Contains(got.out, check.want) {
			t.Errorf("%s: %s%s, want %q in it", check.command, got.out, got.err, check.want)
		}
	}
}
