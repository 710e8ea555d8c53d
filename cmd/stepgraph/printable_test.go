package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestTextsDoNotSteerTheTerminal: what people, models and services write reaches an operator's
// terminal without characters that it would obey.
func TestTextsDoNotSteerTheTerminal(t *testing.T) {
	const evil = "one\x1b[2J\x1b]52;c;cHduZWQ=\x07two\rthree\u009b31mfour\u202efive\u2066\x7f\x1b[8msix"
	work := t.TempDir()
	file := write(t, filepath.Join(work, "evil.json"), map[string]any{"format": "stepgraph", "version": 1, "id": "evil", "name": evil, "steps": []any{
		map[string]any{"id": "root", "function": "request", "input": map[string]any{"prompt": evil}},
		map[string]any{"id": "say", "function": "reply", "input": map[string]any{"message": evil}},
	}, "paths": []any{map[string]any{"source": "root", "target": "say"}}})
	store := "sqlite:" + filepath.Join(work, "s.db")
	all := map[string]result{}
	run := func(args ...string) string {
		got := invoke(t, evil+"\n", nil, append(args, "--dir", work, "--store", store)...)
		if args[len(args)-1] != "json" { // which is data, as it is, for programs
			all[fmt.Sprint(args)] = got
		}
		return got.out
	}
	run("load", file)
	run("run", "evil", "--trace")
	id := strings.TrimSpace(run("session", "list", "-o", "json"))
	_, id, _ = strings.Cut(id, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	for _, of := range []string{"show", "history", "explain"} {
		run("session", of, id)
	}
	run("session", "list")
	run("list")
	run("show", "evil")
	run("audit")
	found := 0
	for args, got := range all {
		text := got.out + got.err
		if at := strings.IndexFunc(text, isControl); at >= 0 {
			t.Errorf("%s prints %q", args, text[max(0, at-40):min(len(text), at+40)])
		}
		if strings.Contains(text, `one\u001b[2J`) && strings.Contains(text, `\u202efive`) {
			found++
		}
	}
	if found < 2 {
		t.Errorf("%d commands print the text: %v", found, all)
	}
	if got := printable("\x1b[32mcomplete\x1b[0m a\r\nb\tc é 漢"); got != "\x1b[32mcomplete\x1b[0m a\nb\tc é 漢" {
		t.Errorf("ordinary text becomes %q", got)
	}
}
