package main

import (
	"strings"
	"testing"
)

// TestTableFitsTheWidth: long cells are cut first, and no line is wider than the terminal.
func TestTableFitsTheWidth(t *testing.T) {
	table := textTable{headings: []string{"SESSION", "STATUS", "ASKS"}}
	table.add([]any{"0190a5b6-0000-7000-8000-000000000001", status("awaiting_input"), long(strings.Repeat("which one? ", 30))})
	table.add([]any{"b", status("complete"), long("日本語\nと改行")})
	table.fit(70)
	text := table.String()
	for _, line := range strings.Split(text, "\n") {
		if displayWidth(line) > 70 {
			t.Errorf("%d wide: %s", displayWidth(line), line)
		}
	}
	for _, want := range []string{"0190a5b6-0000-7000-8000-000000000001   awaiting_input   which", "…", "日本語 と"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	table.fit(40) // not even the names fit
	for _, line := range strings.Split(table.String(), "\n") {
		if displayWidth(line) > 44 { // three columns of twelve, and the gaps
			t.Errorf("%d wide: %s", displayWidth(line), line)
		}
	}
}

// TestTableColours: statuses alone, and only where somebody looks.
func TestTableColours(t *testing.T) {
	table := textTable{headings: []string{"ID", "STATUS", "X"}, colour: true}
	table.add([]any{"a", status("error"), "x"})
	table.fit(0)
	if got, want := table.String(), "ID   STATUS   X\na    \x1b[31merror\x1b[0m    x\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a := &app{out: &strings.Builder{}, env: func(string) string { return "" }}
	if a.colours() || a.width() != 0 {
		t.Error("colours where nobody looks")
	}
}
