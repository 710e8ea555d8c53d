package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Environment of a probe: whether it is confined, and the file or address it goes for.
const (
	envFree   = "STEPGRAPH_HOSTILE_FREE"
	envTarget = "STEPGRAPH_HOSTILE_TARGET"
)

// probes are things that loading must not do. Each must work where nothing forbids it.
var probes = map[string]func(target string) error{
	"exec":   start,
	"dial":   dial,
	"listen": func(string) error { l, err := net.Listen("tcp", "127.0.0.1:0"); return errors.Join(err, closed(l)) },
	"send":   send,
	"read":   func(target string) error { _, err := os.ReadFile(target); return err },
	"write":  func(target string) error { return os.WriteFile(target+".new", []byte("x"), 0o600) },
	"append": func(target string) error {
		f, err := os.OpenFile(target, os.O_APPEND|os.O_WRONLY, 0)
		return errors.Join(err, closed(f))
	},
	"mkdir":  func(target string) error { return os.Mkdir(target+".new", 0o700) },
	"rename": func(target string) error { return os.Rename(target, target+".new") },
	"remove": os.Remove,
	"link":   func(target string) error { return os.Symlink(target, target+".new") },
	"chmod":  func(target string) error { return os.Chmod(target, 0o640) },
}

// start runs a program: this one, as a test that lists nothing and not as another child.
func start(target string) error {
	c := exec.Command(target, "-test.list=^$")
	c.Env = []string{}
	return c.Run()
}

func dial(target string) error {
	c, err := net.Dial("tcp", target)
	return errors.Join(err, closed(c))
}

func send(target string) error {
	c, err := net.Dial("udp", target)
	if err != nil {
		return err
	}
	_, err = c.Write([]byte("x"))
	return errors.Join(err, c.Close())
}

func closed(c io.Closer) error {
	if c == nil {
		return nil
	}
	return c.Close()
}

// probe does one forbidden thing, in a confined process unless it is told to be free.
func probe(mode string) error {
	if os.Getenv(envFree) == "" {
		if err := confine(); err != nil {
			return err
		}
	}
	if err := probes[mode](os.Getenv(envTarget)); err != nil {
		return fmt.Errorf("probe %s: %w", mode, err)
	}
	return nil
}

// TestConfinementCatches proves that the filter under which files are loaded ends a process
// that starts a program, dials, or touches a file: what works without it does not with it.
func TestConfinementCatches(t *testing.T) {
	needConfinement(t)
	for mode := range probes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if out, err := runProbe(t, mode, envFree+"=1"); err != nil {
				t.Fatalf("the probe does not work where nothing forbids it: %v\n%s", err, out)
			}
			out, err := runProbe(t, mode)
			var ended *exec.ExitError
			if !errors.As(err, &ended) || !strings.Contains(out, confined) {
				t.Fatalf("the filter let it pass: %v\n%s", err, out)
			}
			if !strings.Contains(out, "probe_test.go") {
				t.Errorf("the end does not show who did it:\n%s", out)
			}
		})
	}
}

// runProbe runs a probe on a fresh target and checks that a confined one has left it alone.
func runProbe(t *testing.T, mode string, env ...string) (string, error) {
	folder := t.TempDir()
	target := filepath.Join(folder, "file")
	if err := os.WriteFile(target, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	switch mode {
	case "exec":
		target = os.Args[0]
	case "dial":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		target = l.Addr().String()
	case "send":
		l, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		target = l.LocalAddr().String()
	}
	c := childProcess(t.Context(), mode, append(env, envTarget+"="+target)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if len(env) == 0 {
		untouched(t, folder)
	}
	return out.String(), err
}

func untouched(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "file" {
		t.Fatalf("the folder has changed: %v %v", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "file"))
	if err != nil || string(text) != "untouched" {
		t.Fatalf("the file has changed: %q %v", text, err)
	}
}

func needConfinement(t *testing.T) {
	t.Helper()
	if reason := whyNot(); reason != "" {
		t.Skip(reason)
	}
}

// childProcess is this test binary as a child. Its runtime must not look for the limits of
// its control group, for that opens files.
func childProcess(ctx context.Context, mode string, env ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = append(append(os.Environ(), envMode+"="+mode, "GODEBUG=updatemaxprocs=0", "GOTRACEBACK=all"), env...)
	return c
}
