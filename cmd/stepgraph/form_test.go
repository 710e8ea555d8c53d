package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
)

const orderSchema = `{"type": "object", "required": ["name", "pieces", "colour", "gift"], "properties": {
	"name": {"type": "string", "title": "Your name", "minLength": 2, "maxLength": 10},
	"pieces": {"type": "integer", "minimum": 1, "maximum": 5},
	"colour": {"enum": ["red", "blue"]},
	"gift": {"type": "boolean"},
	"until": {"type": "string", "format": "date"},
	"price": {"type": "number", "default": 1.5},
	"address": {"type": "object", "properties": {"town": {"type": "string"}}}}}`

func question() engine.Question {
	return engine.Question{Kind: engine.AskQuestion, Step: "order", Prompt: "What?", Schema: json.RawMessage(orderSchema)}
}

// TestFormAsksFieldByField: range and choices are said before, a wrong value is refused at its
// field, and what may be left out can be.
func TestFormAsksFieldByField(t *testing.T) {
	var said bytes.Buffer
	typed := strings.Join([]string{"A", "Ada", "7", "x", "3", "green", "2", "maybe", "y", "tomorrow", "2026-01-31", "", "nowhere", `{"town": "Oslo"}`}, "\n") + "\n"
	person := &terminal{lines: lines{bufio.NewReader(strings.NewReader(typed)), &said}}
	got, ok := person.ask(question())
	if want := `{"name":"Ada","pieces":3,"colour":"blue","gift":true,"until":"2026-01-31","price":1.5,"address":{"town": "Oslo"}}`; !ok || string(got) != want {
		t.Fatalf("%s\n%s", got, said.String())
	}
	for _, want := range []string{
		"Your name (a text of 2 to 10 characters): ", "name: want a text of 2 to 10 characters, not 1",
		"pieces (a whole number from 1 to 5): ", "pieces: want a whole number from 1 to 5",
		"colour (1 red, 2 blue): ", "colour: want one of red, blue", "gift (yes or no): ", "gift: want yes or no",
		"until (a date, as 2026-01-31; Enter to leave out): ", "until: want a date, as 2026-01-31",
		"price (a number; Enter for 1.5): ", "address: not valid JSON",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("not said: %s\n%s", want, said.String())
		}
	}
}

func TestFormTakesAWholeObject(t *testing.T) {
	person := &terminal{lines: lines{bufio.NewReader(strings.NewReader(`{"name": "Ada"}` + "\n")), &bytes.Buffer{}}}
	if got, ok := person.ask(question()); !ok || string(got) != `{"name": "Ada"}` {
		t.Errorf("%s", got)
	}
}

// TestFormAsksAgainWhatWasRefused: only the fields that the engine names.
func TestFormAsksAgainWhatWasRefused(t *testing.T) {
	var said bytes.Buffer
	person := &terminal{lines: lines{bufio.NewReader(strings.NewReader("Ada\n3\nred\nno\n\n\n\n4\n")), &said}}
	if _, ok := person.ask(question()); !ok {
		t.Fatal(said.String())
	}
	refused := &engine.DetailError{Err: engine.ErrAnswerInvalid, Faults: []graph.Fault{{Pointer: "/response/pieces", Message: "only 4 are left"}}}
	person.refused(refused)
	got, ok := person.ask(question())
	if want := `{"name":"Ada","pieces":4,"colour":"red","gift":false,"price":1.5}`; !ok || string(got) != want {
		t.Errorf("%s\n%s", got, said.String())
	}
	if !strings.Contains(said.String(), "pieces: only 4 are left") {
		t.Error(said.String())
	}
}

// TestFormFromAPipe: lines of a pipe fill in the fields in their order, or are the whole object. A
// line that does not fit, and too few lines, are errors that name the field.
func TestFormFromAPipe(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "order.json"), `{"format": "stepgraph", "version": 1, "steps": [
		{"id": "root", "function": "request", "input": {"prompt": "What?", "schema": {"type": "object", "required": ["item", "pieces"],
			"properties": {"item": {"enum": ["lamp", "chair"]}, "pieces": {"type": "integer", "minimum": 1}, "note": {"type": "string"}}}}},
		{"id": "sure", "function": "confirm", "input": {"prompt": "@{SESSION_ID}.root.response.pieces of them?"}}],
		"paths": [{"source": "root", "target": "sure"}]}`)
	for _, c := range []struct {
		lines string
		code  int
		want  string // on stdout or stderr
	}{
		{"lamp\n3\n\nyes\n", exitOK, `> {"item":"lamp","pieces":3}`},
		{"chair\n3\nred, please\nno\n", exitOK, `"note":"red, please"}`},
		{`{"item": "lamp", "pieces": 2}` + "\nyes\n", exitOK, "2 of them?"},
		{"2\n3\n", exitWaiting, `"item":"chair"`},
		{"lamp\nmany\n\n", exitFailed, `field pieces: want a whole number, at least 1, got "many"`},
		{"lamp\n", exitFailed, "stdin end before the field pieces"},
		{"", exitWaiting, "step root asks: What?"},
	} {
		got := invoke(t, c.lines, nil, "run", file)
		if got.code != c.code || !strings.Contains(got.out+got.err, c.want) {
			t.Errorf("%q: exit %d, want %d and %s:\n%s%s", c.lines, got.code, c.code, c.want, got.out, got.err)
		}
	}
}
