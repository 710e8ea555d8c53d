package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program and a peer that print fixed figures: what the table makes of them.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	program := script("stepgraph", `echo '{"steps_per_s": 4000, "p50_ms": 4, "p99_ms": 8, "ms_per_step": 0.25, "start_per_s": 900, "resume_per_s": 800, "first50_ms": 100, "last50_ms": 90}'`)
	script("peers/other/setup.sh", `touch "$WORK/installed"`)
	script("peers/other/run.sh", `[ -f "$WORK/installed" ] || exit 3
echo starting
echo '{"w": "W1:7", "steps_s": 3000}'
echo '{"w": "W1s", "step_ms": 1.5}'
echo '{"w": "W2:7", "start_s": 500, "resume_s": 400}'
echo '{"w": "W3", "first50_ms": 50, "last50_ms": 100}'
exit 143`)
	var out, progress strings.Builder
	err := run(t.Context(), []string{"-stepgraph", program, "-peers", filepath.Join(dir, "peers"), "-work", filepath.Join(dir, "work"), "-with", "other", "-rounds", "2",
		"-sessions", "7", "-seconds", "0.1", "-neo4j", "bolt://nobody", "-warm", "1ms"}, &out, &progress)
	if err != nil {
		t.Fatal(err)
	}
	want := `| workload | embedded | Neo4j | other |
|---|---|---|---|
| chain, steps/s | 4000 | 4000 | 3000 |
| chain on a young server, steps/s |  | 4000 |  |
| the store alone (ceiling), checkpoints/s | 4000 | 4000 |  |
| share of the ceiling | 1.00 | 1.00 |  |
| chain, one session, ms a step | 0.25 | 0.25 | 1.50 |
| chain, one session, p99 against p50 | 2.00 | 2.00 |  |
| paused sessions resumed, a second | 800 | 800 | 400 |
| started and paused, a second | 900 | 900 | 500 |
| answer to next pause, alone, p50 ms | 4.00 | 4.00 |  |
| fan-out of 100, joined, ms | 4.00 | 4.00 |  |
| turns, last 50 against first 50 | 0.90 | 0.90 | 2.00 |
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestAPeerThatFailsIsNamed(t *testing.T) {
	err := run(t.Context(), []string{"-peers", t.TempDir(), "-work", t.TempDir(), "-with", "none", "-neo4j", ""}, &strings.Builder{}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "setup.sh of none") {
		t.Errorf("got %v", err)
	}
}
