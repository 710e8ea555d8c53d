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
		fmt.Fprintln(t.to, q.Prompt)
		for _, line := range approves(q) {
			fmt.Fprintln(t.to, "  "+line)
		}
	}
	for i, o := range q.Options {
		fmt.Fprintf(t.to, "  %d) %s\n", i+1, o.Text)
	}
	if hint := wants(q); hint != "" {
		fmt.Fprintf(t.to, "(%s)\n", hint)
	}
	line, ok := t.line("> ")
	if ok && q.Kind == engine.AskApproval && strings.EqualFold(line, "edit") {
		return t.changed()
	}
	return typed(q, line), ok
}

// line reads one line; ok is false at the end of input.
func (t *terminal) line(prompt string) (line string, ok bool) {
	fmt.Fprint(t.to, prompt)
	line, err := t.lines.ReadString('\n')
	if err != nil && line == "" {
		fmt.Fprintln(t.to)
		return "", false
	}
	return strings.TrimSpace(line), true
}

// changed reads the input with which a step is approved instead of its own.
func (t *terminal) changed() (response json.RawMessage, ok bool) {
	for {
		line, ok := t.line("whole input, a JSON object> ")
		if !ok {
			return nil, false
		}
		var input map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &input); err != nil {
			fmt.Fprintf(t.to, "not a JSON object: %v\n", err)
			continue
		}
		response, _ = json.Marshal(map[string]any{"approved": true, "input": json.RawMessage(line)})
		return response, true
	}
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
