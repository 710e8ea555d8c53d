package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestStepsDoNotReadTheEnginesFiles: a shell step, of a dev server in the same folder, finds
// neither vault nor tokens nor store nor configuration, nor the engine's environment.
func TestStepsDoNotReadTheEnginesFiles(t *testing.T) {
	work := t.TempDir()
	dir := filepath.Join(work, ".stepgraph")
	config := write(t, filepath.Join(work, "config.json"), `{"folder":"`+work+`","token":"CANARY-of-the-configuration-0123456789"}`)
	file := write(t, filepath.Join(work, "w.cypher"), `CREATE (:STEP {id: 'root', function: 'shell', input: '{"command": "cat config.json .stepgraph/* ; cat /proc/$PPID/environ; ls -a .stepgraph; echo done"}'});`)
	got := invoke(t, "", nil, "run", file, "--allow-shell", "--dir", dir, "--config", config, "--store", "sqlite:"+filepath.Join(dir, "stepgraph.db"), "-o", "json")
	if got.code != 0 || !strings.Contains(got.out, `done`) || strings.Contains(got.out, "CANARY") || strings.Contains(got.out, "stepgraph.db") || strings.Contains(got.out, "SQLite format") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
	}
	off := invoke(t, "", nil, "run", file, "--allow-shell", "--isolate", "off", "--dir", dir, "--config", config, "-o", "json")
	if !strings.Contains(off.out, "CANARY") {
		t.Errorf("the test finds nothing without isolation: %s%s", off.out, off.err)
	}
	if got := invoke(t, "", nil, "run", file, "--isolate", "perhaps", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "--isolate") {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
	found := invoke(t, "", map[string]string{"STEPGRAPH_ALLOW_SHELL": "true"}, "doctor", "--dir", dir, "--store", "memory")
	if !strings.Contains(found.out, "isolation: of shell steps and Python: possible; this system has") {
		t.Errorf("doctor: %s%s", found.out, found.err)
	}
}
