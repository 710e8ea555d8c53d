//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

func TestMain(m *testing.M) { neo4jtest.Main(m) }

func TestCommandGetsTheServerAndGivesTheExitCode(t *testing.T) {
	server := neo4jtest.URI(t)
	for _, variable := range server.Environ() {
		key, value, _ := strings.Cut(variable, "=")
		t.Setenv(key, value)
	}
	seen := filepath.Join(t.TempDir(), "seen")
	t.Setenv("SEEN", seen)
	var stderr bytes.Buffer
	code := run([]string{"--", "sh", "-c", `echo "$NEO4J_URI" > "$SEEN"; exit 7`}, nil, &stderr)
	if code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	if text, err := os.ReadFile(seen); err != nil || string(text) != server.URI+"\n" {
		t.Errorf("the command saw %q, error %v, want %s", text, err, server.URI)
	}
	if want := "neo4j-for-tests: " + server.URI + "\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}

	stderr.Reset()
	t.Setenv("NEO4J_BROWSER_URL", "http://127.0.0.1:1/browser/")
	if code := run([]string{"-print-browser", "--", "true"}, nil, &stderr); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if want := "neo4j-for-tests: http://127.0.0.1:1/browser/\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}

func TestSignalsReachTheCommand(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   int
	}{
		"handled":   {`trap 'exit 9' TERM; echo ready >&2; while :; do sleep 0.01; done`, 9},
		"unhandled": {`echo ready >&2; exec sleep 60`, exitSignal + int(syscall.SIGTERM)},
	} {
		t.Run(name, func(t *testing.T) {
			signals := make(chan os.Signal, 1)
			onReady := writerFunc(func() { signals <- syscall.SIGTERM })
			if code := runCommand([]string{"sh", "-c", c.script}, nil, signals, onReady); code != c.want {
				t.Errorf("exit code %d, want %d", code, c.want)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(nil, nil, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "usage:") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	stderr.Reset()
	if code := runCommand([]string{"no-such-command-here"}, nil, nil, &stderr); code != exitNotStarted {
		t.Errorf("exit code %d, want %d; stderr %q", code, exitNotStarted, stderr.String())
	}
}

// A signal during the start ends it: no server, no command.
func TestSignalEndsTheStart(t *testing.T) {
	t.Setenv("NEO4J_URI", "bolt://127.0.0.1:1") // nothing listens there
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGINT
	var stderr bytes.Buffer
	if code := run([]string{"--", "true"}, signals, &stderr); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if !strings.Contains(stderr.String(), "stopped by signal: interrupt") {
		t.Errorf("stderr %q does not name the signal", stderr.String())
	}
}

// writerFunc is called for each write.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) { f(); return len(p), nil }
