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
	lines
	form  *form // that was filled in last
	again bool  // it was refused in part
}

// terminal returns the person at stdin, or nil without a terminal.
func (a *app) terminal() *terminal {
	file, ok := a.in.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) && !isatty.IsCygwinTerminal(file.Fd()) {
		return nil
	}
	return &terminal{lines: lines{bufio.NewReader(a.in), printableWriter{a.err}}}
}

// piped are the lines of a pipe or file at stdin, or nil where there is a person or nothing:
// each is an answer, as one typed would be.
func (a *app) piped() *lines {
	if a.in == nil || a.terminal() != nil {
		return nil
	}
	if file, ok := a.in.(*os.File); ok {
		if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 { // /dev/null
			return nil
		}
	}
	return &lines{bufio.NewReader(a.in), io.Discard}
}

// ask reads an answer to a question; ok is false at the end of input.
func (t *terminal) ask(q engine.Question) (response json.RawMessage, ok bool) {
	if q.Kind == engine.AskApproval { // the one question that the chat does not show
		fmt.Fprintln(t.to, q.Prompt)
		for _, line := range approves(q) {
			fmt.Fprintln(t.to, "  "+line)
		}
	}
	if f := t.formFor(q); f != nil {
		return f.ask(&t.lines)
	}
	for i, o := range q.Options {
		fmt.Fprintf(t.to, "  %d) %s\n", i+1, o.Text)
	}
	if hint := answerHint(q); hint != "" {
		fmt.Fprintf(t.to, "(%s)\n", hint)
	}
	line, ok := t.line("> ")
	if ok && q.Kind == engine.AskApproval && strings.EqualFold(line, "edit") {
		return t.changed()
	}
	return typed(q, line), ok
}

// formFor is the form of a question: the one that was refused, with what was right in it, or
// a new one.
func (t *terminal) formFor(q engine.Question) *form {
	if t.again {
		t.again = false
		return t.form
	}
	t.form = formOf(q)
	return t.form
}

// refused says why an answer was not taken, at its fields where it was a form.
func (t *terminal) refused(err error) {
	if t.again = t.form != nil && t.form.again(t.to, err); !t.again {
		fmt.Fprintln(t.to, err)
	}
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

// takesText reports whether a schema is plainly one of a text.
func takesText(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "string"
}
