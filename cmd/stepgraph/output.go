package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// print writes a line of data.
func (a *app) print(format string, args ...any) {
	fmt.Fprintf(printableWriter{a.out}, format+"\n", args...)
}

// printJSON writes data as one line of JSON in which nothing is escaped that need not be.
func (a *app) printJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := a.data().Write(b.Bytes())
	return err
}

// short cuts a text to one line of at most n characters.
func short(text string, n int) string {
	line := []rune(text)
	for i, r := range line {
		if r == '\n' || r == '\r' || r == '\t' {
			line[i] = ' '
		}
	}
	if len(line) <= n {
		return string(line)
	}
	return string(line[:n-1]) + "…"
}

// data is where a command writes what another program may read as it is: through legible only on
// a terminal.
func (a *app) data() io.Writer {
	if isTerminal(a.out) {
		return printableWriter{a.out}
	}
	return a.out
}

func text(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return b
}
