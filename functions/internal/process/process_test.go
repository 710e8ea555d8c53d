//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/functions/internal/process"
)

func sh(script string) process.Command {
	return process.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Limit: 100}
}

func TestRun(t *testing.T) {
	c := sh(`cat; echo "no é" >&2; env | grep -c HOME; exit 3`)
	c.Stdin = "in"
	var seen strings.Builder
	c.Chunk = func(stream, text string) { seen.WriteString(stream + ":" + text) }
	r, err := process.Run(t.Context(), c)
	if err != nil || r.Stdout != "in0\n" || r.Stderr != "no é\n" || r.Code != 3 || r.StdoutCut || r.StderrCut {
		t.Errorf("got %+v, %v", r, err)
	}
	if !strings.Contains(seen.String(), "stderr:no é") {
		t.Errorf("seen %q", seen.String())
	}
	if _, err := process.Run(t.Context(), process.Command{Path: "/no/such"}); err == nil {
		t.Error("nothing was started, and nobody said so")
	}
}

func TestOutputIsBounded(t *testing.T) {
	r, err := process.Run(t.Context(), sh(`i=0; while [ $i -lt 1000 ]; do echo ééééé; i=$((i+1)); done`))
	if err != nil || len([]rune(r.Stdout)) != 100 || !r.StdoutCut || r.StderrCut {
		t.Errorf("kept %d, %v", len([]rune(r.Stdout)), err)
	}
}

func TestSignalIsNamed(t *testing.T) {
	r, err := process.Run(t.Context(), sh(`kill -9 $$`))
	if err != nil || r.Code != -1 || r.Signal != "killed" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A command that ignores the wish to end, and has a child that does too, is gone afterwards.
func TestNobodyIsLeftBehind(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, why)
	defer cancel()
	var pid strings.Builder
	c := sh(`trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & echo $!; while :; do sleep 1; done`)
	c.Chunk = func(_, text string) { pid.WriteString(text) }
	if _, err := process.Run(ctx, c); !errors.Is(err, why) {
		t.Fatalf("got %v", err)
	}
	assertGone(t, pid.String())
}

// A child that outlives its parent and holds its output open holds nobody up for long.
func TestChildLeftInTheBackground(t *testing.T) {
	r, err := process.Run(t.Context(), sh(`sleep 600 & echo $!`))
	if err != nil || r.Code != 0 {
		t.Fatalf("got %+v, %v", r, err)
	}
	assertGone(t, r.Stdout)
}

// A child that left the group, and so does not hear its signals, is found all the same.
func TestChildThatLeftTheGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of other processes")
	}
	r, err := process.Run(t.Context(), sh(`setsid sh -c 'echo $$; exec >/dev/null 2>&1; sleep 600' & sleep 0.2`))
	if err != nil || r.Code != 0 {
		t.Fatalf("got %+v, %v", r, err)
	}
	assertGone(t, r.Stdout)
}

func TestAtOnce(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, why)
	defer cancel()
	begun := time.Now()
	c := sh(`trap "" TERM; while :; do sleep 0.01; done`)
	c.AtOnce = true
	if _, err := process.Run(ctx, c); !errors.Is(err, why) || time.Since(begun) > 1500*time.Millisecond {
		t.Errorf("got %v after %s", err, time.Since(begun))
	}
}

// assertGone looks for a process until it is gone, or dead and not yet buried by its parent.
func assertGone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatalf("no pid in %q", pid)
	}
	for range 100 {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(n) + "/stat") // only Linux has it
		if _, after, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(after, "Z") {
			return
		}
		if err := syscall.Kill(n, 0); errors.Is(err, syscall.ESRCH) {
			return
		}
		time.Sleep(20 * time.Millisecond) // its end is on its way
	}
	t.Errorf("process %d lives", n)
}
