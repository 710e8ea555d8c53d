package native

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine"
)

const colours = `# Asks for a colour.
format: stepgraph
version: 1
id: colours

steps:
  # the first one
  - id: root
    function: request
    input: {prompt: "Which colour?", options: [red, blue]} # two are enough
  - id: red
    function: reply
    timeout: 30
    input:
      # said to the person
      message: |
        You said red.
        Good.
  - {id: other, function: reply, input: {message: "Not red: @{SESSION_ID}.root.response", n: 1.50}}
paths:
  - {source: root, target: red, condition: {when: "@{SESSION_ID}.root.response == 'red'"}}
  - source: root # everything else
    target: other
    priority: 2
    condition: "when @{SESSION_ID}.root.response != 'red'"
`

func TestReadYAML(t *testing.T) {
	got, lines, err := ReadYAML("x.yaml", []byte(colours))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := Read("x.json", []byte(`{"format": "stepgraph", "version": 1, "id": "colours", "steps": [
		{"id": "root", "function": "request", "input": {"prompt": "Which colour?", "options": ["red", "blue"]}},
		{"id": "red", "function": "reply", "timeout": 30, "input": {"message": "You said red.\nGood.\n"}},
		{"id": "other", "function": "reply", "input": {"message": "Not red: @{SESSION_ID}.root.response", "n": 1.50}}],
		"paths": [{"source": "root", "target": "red", "condition": {"when": "@{SESSION_ID}.root.response == 'red'"}},
		{"source": "root", "target": "other", "priority": 2, "condition": "when @{SESSION_ID}.root.response != 'red'"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if want := (Lines{Steps: map[string]int{"root": 8, "red": 11, "other": 19}, Paths: map[string]int{"root>red": 21, "root>other": 22}}); !reflect.DeepEqual(lines, want) {
		t.Errorf("lines %+v", lines)
	}
}

func TestYAMLErrors(t *testing.T) {
	const head = "format: stepgraph\nversion: 1\n"
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		from, to := string(rune('a'+i)), string(rune('b'+i))
		bomb += to + ": &" + to + " [" + strings.TrimSuffix(strings.Repeat("*"+from+", ", 10), ", ") + "]\n"
	}
	for _, c := range []struct{ src, want string }{
		{"", "1:1: the document is empty"},
		{"# nothing\n", "2:1: the document is empty"},
		{"a: 1\n", "1:1: not a stepgraph document: it has the lines"},
		{head + "stpes: []\n", "3:8: /stpes: unknown key; did you mean \"steps\"?"},
		{head + "steps:\n  - id: a\n    input: @{SESSION_ID}.b\n", "5:12: invalid YAML: a text that begins with @ must be in quotes"},
		{head + "steps: [{id: a}\npaths: []\n", "4:1: invalid YAML: did not find expected ',' or ']' (while parsing a flow sequence from line 3)"},
		{head + "steps:\n\t- id: a\n", "4:1: invalid YAML: a tab stands at the beginning of the line"},
		{head + "steps:\n  - id: a\n  - id: a\n", "5:5: /steps/1: a step with the id a is already there"},
		{head + "steps:\n  - id: 7\n", "4:9: /steps/0/id: want a text, got a number"},
		{head + "id: a\nid: b\n", "4:1: /id: this key is there twice"},
		{head + "name: äöü\nextra: {1: a}\n", "4:9: /extra: a key must be a text"},
		{head + "extra: {true: a}\n", "3:9: /extra: a key must be a text"},
		{head + "extra: {? [a] : b}\n", "3:11: /extra: a key must be a text"},
		{head + "extra: {<<: {a: b}}\n", "3:9: /extra: merge keys (<<) are not supported"},
		{head + "extra: {a: 0x1F}\n", "3:12: /extra/a: 0x1F: write a number with decimal digits only"},
		{head + "extra: {a: 010}\n", "3:12: /extra/a: 010: write a number"},
		{head + "extra: {a: .inf}\n", "3:12: /extra/a: .inf: write a number"},
		{head + "extra: {a: 1e99999}\n", "3:12: /extra/a: 1e99999: the number is too large"},
		{head + "extra: {a: " + strings.Repeat("9", 5000) + "}\n", "3:12: /extra/a: 9999999999999999999999999999999999999999: the number is too large"},
		{head + "extra: {a: !shell rm}\n", "3:12: /extra/a: the tag !shell is not supported"},
		{head + "extra: !x {a: b}\n", "3:8: /extra: the tag !x is not supported"},
		{head + "extra: {a: !!binary eA==}\n", "3:12: /extra/a: the tag !!binary is not supported"},
		{head + "extra: &x\n  a: [*x]\n", "4:7: /extra/a/0/a/0: the alias *x stands inside of what it stands for"},
		{bomb, "4:36: /d/7/1/0/6: the aliases of this file stand for more than 10000 values"},
		{head + "name: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "3:207: /name" + strings.Repeat("/0", 200) + ": nested more than 200 levels deep"},
		{strings.Repeat("[", 20000), "1:10001: invalid YAML: exceeded max depth of 10000"},
		{head + "---\n" + head, "3:1: a second document begins here"},
		{"\xff", "1:1: the file is not UTF-8 text"},
		{head + "name: \x01\n", "1:1: invalid YAML: "},
		{"- a\n", "1:1: want an object, got a list"},
		{"format: other\n", "1:1: not a stepgraph document: it has the lines `format: stepgraph` and `version: 1`"},
	} {
		_, _, err := ReadYAML("x.yaml", []byte(c.src))
		var place *Error
		if !errors.As(err, &place) || !strings.HasPrefix(err.Error(), "x.yaml:"+c.want) {
			t.Errorf("%.80q\ngot  %.300v\nwant x.yaml:%s", c.src, err, c.want)
		}
	}
}

func TestYAMLAliases(t *testing.T) {
	w, _, err := ReadYAML("x.yaml", []byte("format: stepgraph\nversion: 1\nsteps:\n  - {id: a, retry: &r {max_attempts: 3}}\n  - {id: b, retry: *r}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Step("b").Retry != `{"max_attempts":3}` {
		t.Errorf("%+v", w.Steps)
	}
}

func TestWriteThenReadYAML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := workflows().Draw(t, "workflow")
		src, err := WriteYAML(want)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := ReadYAML("x.yaml", src)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if !reflect.DeepEqual(got, plain(want)) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", src, got, want)
		}
	})
}

// TestUpdateYAMLOfAny: the old document may be any; the new one says what the workflow says.
func TestUpdateYAMLOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, want := workflows().Draw(t, "old"), workflows().Draw(t, "workflow")
		src, err := WriteYAML(old)
		if err != nil {
			t.Fatal(err)
		}
		text, err := UpdateYAML(want, "x", src)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := ReadYAML("x.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if !reflect.DeepEqual(plain(got), plain(want)) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", text, got, want)
		}
	})
}

// TestWhatYAMLWouldChangeStaysText: JSON may spell a text in several ways, and a number longer
// than any that is read from YAML.
func TestWhatYAMLWouldChangeStaysText(t *testing.T) {
	for _, input := range []string{`{"a":"\u003e"}`, `{"a":1e999}`, `{"a":[` + strings.Repeat("9", 500) + `]}`} {
		want := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "a", Input: input}}}
		src, err := WriteYAML(want)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := ReadYAML("x.yaml", src)
		if err != nil || got.Steps[0].Input != input {
			t.Errorf("%.80s: %v\n%.300s", input, err, src)
		}
	}
}

func TestUpdateYAMLKeepsComments(t *testing.T) {
	w, _, err := ReadYAML("colours.yaml", []byte(colours))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := UpdateYAML(w, "colours", []byte(colours)); err != nil || string(same) != colours {
		t.Errorf("nothing changed: %v\n%s", err, same)
	}
	w.Step("root").Input = `{"prompt":"Which one?","options":["red","blue"]}`
	w.Steps = append(w.Steps, engine.Step{ID: "end"})
	w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: "red", Target: "end"})
	got, err := UpdateYAML(w, "colours", []byte(colours))
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/updated.yaml"
	want, err := os.ReadFile(golden)
	if err != nil || string(got) != string(want) {
		t.Errorf("%v\n%s", err, got)
	}
}
