package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

func TestDrawBar(t *testing.T) {
	for want, c := range map[string]struct {
		b     api.Batch
		since time.Duration
	}{
		"[------------------------------] 0/0":                              {api.Batch{}, 0},
		"[###############---------------] 50/100":                           {api.Batch{Total: 100, Done: 50}, 0},
		"[###############---------------] 50/100  10 failed  10/s  5s left": {api.Batch{Total: 100, Done: 40, Failed: 10, Status: engine.BatchRunning}, 5 * time.Second},
		"[##############################] 100/100  50/s":                    {api.Batch{Total: 100, Done: 100, Status: engine.BatchComplete}, 2 * time.Second},
	} {
		if got := drawBar(&c.b, c.since); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestProgress: a bar is drawn over itself, lines come now and then.
func TestProgress(t *testing.T) {
	began := time.Now()
	var bar, lines bytes.Buffer
	for _, p := range []*progress{{to: &bar, bar: true, began: began, reported: began}, {to: &lines, began: began, reported: began}} {
		for seconds := range 7 {
			p.show(&api.Batch{ID: "b", Status: engine.BatchRunning, Total: 10, Done: int64(seconds)}, began.Add(time.Duration(seconds)*time.Second))
		}
		p.end()
	}
	if got := bar.String(); strings.Count(got, "\r") != 7 || strings.Count(got, "\n") != 1 {
		t.Errorf("bar %q", got)
	}
	if got := lines.String(); got != "batch b is running: 3 of 10 done, 0 failed\nbatch b is running: 6 of 10 done, 0 failed\n" {
		t.Errorf("lines %q", got)
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"36h": now.Add(-36 * time.Hour), "2026-01-01": time.Date(2026, 1, 1, 0, 0, 0, 0, time.Local),
		"2026-01-01T10:00:00+02:00": time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC),
	} {
		if got, err := moment(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s is %s, %v, want %s", text, got, err, want)
		}
	}
	if _, err := moment("soon", now); err == nil {
		t.Error("soon is a time")
	}
}

// TestBatchOnServer: the engine that serves does the work; the command may go.
func TestBatchOnServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")
	ask := func(want int, args ...string) result {
		t.Helper()
		got := invoke(t, "", nil, append(args, "--dir", dir)...)
		if got.code != want {
			t.Fatalf("%v: exit %d, want %d: %s%s", args, got.code, want, got.out, got.err)
		}
		return got
	}
	for _, id := range []string{"a", "b", "c"} {
		ask(0, "session", "start", "conversation", "--id", id)
	}
	started := ask(0, "batch", "answer", "--workflow", "conversation", "--response", "bye", "--rate", "1", "--detach", "-o", "json")
	id, _ := lookup([]byte(started.out), "id")
	if status, _ := lookup([]byte(started.out), "status"); status != engine.BatchRunning {
		t.Errorf("started: %s", started.out)
	}
	if got := ask(0, "batch", "stop", id, "--reason", "lunch"); !strings.Contains(got.out, "stopped by a person: lunch") {
		t.Errorf("stop: %s", got.out)
	}
	if got := ask(0, "batch", "results", id, "--follow"); strings.Count(got.out, "\n") != 3 || !strings.Contains(got.out, `"outcome":"open"`) {
		t.Errorf("results: %s", got.out)
	}
	if got := ask(0, "batch", "continue", id); strings.Count(got.out, `"outcome":"done"`) != 3 || !strings.Contains(got.err, "3 of 3 done") {
		t.Errorf("continued: %s%s", got.out, got.err)
	}
	if got := ask(0, "batch", "show", id); !strings.Contains(got.out, "complete: 3 of 3 done") {
		t.Errorf("show: %s", got.out)
	}
	ask(0, "batch", "remove", id)
	ask(3, "batch", "show", id)
	if got := ask(0, "doctor"); !strings.Contains(got.out, "ok       server: http://127.0.0.1") {
		t.Errorf("doctor asks somebody else: %s", got.out)
	}
	if got := ask(1, "doctor", "--server", "127.0.0.1:1"); !strings.Contains(got.out, "no engine answers at 127.0.0.1:1") {
		t.Errorf("doctor of no server: %s", got.out)
	}
}

// TestBatchSurvivesKill kills the engine in the middle of a batch: the next one goes on
// with it, and no session is answered twice.
func TestBatchSurvivesKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	ask := func(args ...string) string {
		t.Helper()
		got := invoke(t, "", nil, append(args, "--dir", dir, "-o", "json")...)
		if got.code != 0 {
			t.Fatalf("%v: exit %d: %s%s", args, got.code, got.out, got.err)
		}
		return got.out
	}
	first, _ := serveApart(t, dir, "--lease", "1s")
	ids := []string{"s1", "s2", "s3", "s4", "s5", "s6"}
	for _, id := range ids {
		ask("session", "start", "hello", "--id", id)
	}
	batch, _ := lookup([]byte(ask("batch", "answer", "--workflow", "hello", "--response", "Ada", "--rate", "4", "--detach")), "id")
	for done := "0"; done == "0"; done, _ = lookup([]byte(ask("batch", "show", batch)), "done") {
	}
	kill(t, first)
	second, _ := serveApart(t, dir, "--lease", "1s")
	defer kill(t, second)
	if got := ask("batch", "results", batch, "--follow"); strings.Count(got, `"outcome":"done"`) != len(ids) {
		t.Errorf("results after the kill: %s", got)
	}
	for _, id := range ids {
		if got := ask("session", "requests", id); strings.Count(got, `"kind":"answer"`) != 1 {
			t.Errorf("session %s was sent %s", id, got)
		}
	}
}
