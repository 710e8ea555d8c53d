package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"

	"github.com/stepgraph/stepgraph/engine"
)

// A terminal is a person who types answers.
type terminal struct {
	lines *bufio.Reader
	to    io.Writer
}

// terminal returns the person at stdin, or nil when nobody is there.
func (a *app) terminal() *terminal {
	file, ok := a.in.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) && !isatty.IsCygwinTerminal(file.Fd()) {
		return nil
	}
	return &terminal{lines: bufio.NewReader(a.in), to: a.err}
}

// ask reads an answer to a question; ok is false at the end of input.
func (t *terminal) ask(q engine.Question) (response json.RawMessage, ok bool) {
	if q.Kind == engine.AskApproval { // the one question that the chat does not show
		fmt.Fprintf(t.to, "%s (yes, no, or {\"approved\": …, \"input\": …, \"reason\": …})\n", q.Prompt)
	}
	for i, o := range q.Options {
		fmt.Fprintf(t.to, "  %d) %s\n", i+1, o.Text)
	}
	fmt.Fprint(t.to, "> ")
	line, err := t.lines.ReadString('\n')
	if err != nil && line == "" {
		fmt.Fprintln(t.to)
		return nil, false
	}
	return typed(q, strings.TrimSpace(line)), true
}

// typed makes of a line what the question wants: the option of a number, and JSON where
// the answer is not to be text.
func typed(q engine.Question, line string) json.RawMessage {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.Options) {
		line = q.Options[n-1].Text
		return text(line)
	}
	if q.Kind == engine.AskApproval {
		switch strings.ToLower(line) {
		case "y", "yes", "ok":
			return json.RawMessage("true")
		case "n", "no":
			return json.RawMessage("false")
		}
	}
	if json.Valid([]byte(line)) && (q.Kind == engine.AskApproval || len(q.Schema) > 0 && !takesText(q.Schema)) {
		return json.RawMessage(line)
	}
	return text(line)
}

// takesText tells whether a schema is plainly one of a text.
func takesText(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "string"
}

func text(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return b
}
