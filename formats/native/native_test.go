package native

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine"
)

func anyText(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.Just(""), rapid.Just("plain"), rapid.String(),
		rapid.SampledFrom([]string{`{"a":1}`, `{"a": 1}`, `{ "b" : "<&>\u2028" }`, `{"x":1.0,"y":[]}`, `[1]`, `{`, "null", `{"a":1}` + "\n"})).Draw(t, label)
}

func extra(t *rapid.T) map[string]any {
	n := rapid.IntRange(0, 2).Draw(t, "extra")
	if n == 0 {
		return nil
	}
	m := map[string]any{}
	for i := range n {
		m[anyText(t, "key")+strconv.Itoa(i)] = rapid.OneOf(
			rapid.Map(rapid.Int64(), func(n int64) any { return n }),
			rapid.Map(rapid.Float64(), func(f float64) any { return f }),
			rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			rapid.Just[any]([]any{}), rapid.Just[any]([]any{1.0, 2.0}), rapid.Just[any]([]any{int64(1)}), rapid.Just[any]([]any{"a", ""}),
		).Draw(t, "value")
	}
	return m
}

func workflows() *rapid.Generator[*engine.Workflow] {
	return rapid.Custom(func(t *rapid.T) *engine.Workflow {
		w := &engine.Workflow{ID: anyText(t, "id"), Name: anyText(t, "name"), Description: anyText(t, "description"), Extra: extra(t)}
		if rapid.Bool().Draw(t, "settings") {
			w.Settings = engine.Settings{MaxSteps: 5, Extra: map[string]json.RawMessage{"x": json.RawMessage(`{"a":1}`)}}
		}
		n := rapid.IntRange(1, 5).Draw(t, "steps")
		for i := range n {
			s := engine.Step{ID: anyText(t, "id") + strconv.Itoa(i), Workflow: w.ID, Function: anyText(t, "function"),
				Input: anyText(t, "input"), Retry: anyText(t, "retry"), Config: anyText(t, "config"), OutputSchema: anyText(t, "schema"),
				Timeout: anyText(t, "timeout"), Join: rapid.SampledFrom([]string{"", "all"}).Draw(t, "join"),
				Approval: rapid.Bool().Draw(t, "approval"), Bypass: rapid.Bool().Draw(t, "bypass"), Extra: extra(t)}
			if rapid.Bool().Draw(t, "place") {
				x, y := rapid.Float64().Draw(t, "x"), 3.0
				s.X, s.Y = &x, &y
			}
			w.Steps = append(w.Steps, s)
		}
		for i := range rapid.IntRange(0, 8).Draw(t, "paths") {
			p := engine.Path{Kind: rapid.SampledFrom([]engine.PathKind{engine.Next, engine.Tool, engine.Contains}).Draw(t, "kind"),
				Source: w.Steps[rapid.IntRange(0, n-1).Draw(t, "from")].ID, Target: w.Steps[rapid.IntRange(0, n-1).Draw(t, "to")].ID,
				Operator: anyText(t, "operator"), Label: anyText(t, "label"), Back: rapid.Bool().Draw(t, "back"), Name: anyText(t, "name"), Extra: extra(t),
				Condition: rapid.SampledFrom([]any{nil, "", "@{SESSION_ID}.a", `[{"true": "x"}]`, []any{}, []any{"a", "{}"}, []any{true}, []any{int64(0)}}).Draw(t, "condition")}
			if rapid.Bool().Draw(t, "stored") {
				p.ID, p.Stored = "path"+strconv.Itoa(i), true
			}
			w.Paths = append(w.Paths, p)
		}
		w.Normalize()
		return w
	})
}

func TestWriteThenRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := workflows().Draw(t, "workflow")
		src, err := Write(want)
		if err != nil {
			t.Fatal(err)
		}
		got, lines, err := Read("x.json", src)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\ngot  %+v\nwant %+v", src, got, want)
		}
		if len(lines.Steps) != len(want.Steps) || len(lines.Paths) != len(want.Paths) {
			t.Fatalf("lines %+v", lines)
		}
	})
}

// TestObjectsThatCannotBeReadStayTexts: a text may be JSON that a document must not hold.
func TestObjectsThatCannotBeReadStayTexts(t *testing.T) {
	for _, text := range []string{`{"a":1,"a":2}`, strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth)} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "a", Input: text, Config: text}}}
		src, err := Write(w)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Read("x.json", src)
		if err != nil || got.Steps[0].Input != text || got.Steps[0].Config != text {
			t.Errorf("%.40s: %v\n%.400s", text, err, src)
		}
	}
	deepest := strings.Repeat(`{"a":`, maxDepth-inside) + "1" + strings.Repeat("}", maxDepth-inside)
	if _, isJSON := jsonOrText(deepest).(json.RawMessage); !isJSON {
		t.Error("an object that can be read is written as a text")
	}
}

func TestJSONWhereTextStands(t *testing.T) {
	w, lines, err := Read("x.json", []byte(`{"format": "stepgraph", "version": 1,
  "steps": [
    {"id": "a", "input": {"prompt": "Name?", "n": 1.50}, "retry": {"max_attempts": 2}, "timeout": 30},
    {"id": "b", "input": "{\"message\": \"x\"}", "output_schema": {"type": "object"}}],
  "paths": [
    {"source": "a", "target": "b", "condition": [{"true": "@{SESSION_ID}.a.x"}]},
    {"source": "a", "target": "b", "condition": {"false": "@{SESSION_ID}.a.x"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	a, b := w.Step("a"), w.Step("b")
	if a.Input != `{"prompt":"Name?","n":1.50}` || a.Retry != `{"max_attempts":2}` || a.Timeout != "30" ||
		b.Input != `{"message": "x"}` || b.OutputSchema != `{"type":"object"}` {
		t.Errorf("%+v", w.Steps)
	}
	got := []any{w.Paths[0].Condition, w.Paths[1].Condition}
	if !reflect.DeepEqual(got, []any{`[{"true":"@{SESSION_ID}.a.x"}]`, `{"false":"@{SESSION_ID}.a.x"}`}) {
		t.Errorf("%v", got)
	}
	want := Lines{Steps: map[string]int{"a": 3, "b": 4}, Paths: map[string]int{"a>b": 6, "a>b#2": 7}}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("%+v", lines)
	}
}

func TestErrors(t *testing.T) {
	head := `{"format": "stepgraph", "version": 1, `
	for _, c := range []struct{ src, want string }{
		{``, "1:1: the document ends too early: a bracket, brace or quote is not closed"},
		{head, "1:39: the document ends too early: a bracket, brace or quote is not closed"},
		{head + "\n" + `"steps": [}]}`, "2:11: /steps: invalid JSON: invalid character '}' looking for beginning of value"},
		{head + `"steps": []} x`, "1:52: something follows the end of the document"},
		{`[]`, "1:1: want an object, got a list; a file holds one workflow"},
		{`{"format": "other"}`, `1:1: not a stepgraph document: it begins with "format": "stepgraph", "version": 1`},
		{`{"format": "stepgraph", "version": 2}`, "1:36: /version: this version of stepgraph reads documents with \"version\": 1"},
		{head + "\n" + `  "stpes": []}`, "2:12: /stpes: unknown key; did you mean \"steps\"?"},
		{head + `"steps": {}}`, "1:48: /steps: want a list, got an object"},
		{head + `"steps": [{"id": "a"}, {"id": "a"}]}`, "1:62: /steps/1: a step with the id a is already there"},
		{head + `"steps": [{"name": "a"}]}`, "1:49: /steps/0: id is missing"},
		{head + `"steps": [{"id": 7}]}`, "1:56: /steps/0/id: want a text, got a number"},
		{head + `"steps": [{"id": "a", "approval": "yes"}]}`, "1:73: /steps/0/approval: want true or false, got a text"},
		{head + `"steps": [{"id": "a", "extra": {"a/b": {}}}]}`, "1:78: /steps/0/extra/a~1b: a property is a text, a number, true or false, or a list of one of these; write anything else as a text"},
		{head + `"id": "a", "id": "b"}`, "1:50: /id: this key is there twice"},
		{head + `"paths": [{"source": "a", "target": "b", "kind": "GOTO"}]}`, "1:88: /paths/0/kind: a path is NEXT, TOOL or CONTAINS"},
		{head + `"paths": [{"source": "a"}]}`, "1:49: /paths/0: target is missing"},
		{head + `"settings": {"max_steps": "x"}}`, "1:51: /settings: max_steps: want a whole number, got a text"},
		{head + `"name": ` + strings.Repeat("[", 300), "1:247: " + strings.Repeat("/0", 0) + "/name" + strings.Repeat("/0", 200) + ": nested more than 200 levels deep"},
		{"\xff", "1:1: the file is not UTF-8 text; save it as UTF-8"},
	} {
		_, _, err := Read("x.json", []byte(c.src))
		var place *Error
		if !errors.As(err, &place) || err.Error() != "x.json:"+c.want {
			t.Errorf("%.80s\ngot  %v\nwant x.json:%s", c.src, err, c.want)
		}
	}
}

// TestAllErrors: everything wrong with a document is reported at once, in its order, each with
// the key that was probably meant, and what could be read is there for further checks.
func TestAllErrors(t *testing.T) {
	src := `{"format": "stepgraph", "version": 1, "nodes": [],
"steps": [
  {"id": "root", "fuction": "request", "inputs": {"prompt": "x"}},
  {"id": "b", "function": "reply", "retry": 3, "timeout": true, "prompt": "x", "next": "c"},
  {"id": "b"},
  7],
"paths": [
  {"from": "root", "to": "b"},
  {"source": "root", "target": "b", "conditions": "x", "priority": "high"}]}`
	w, _, err := Read("x.json", []byte(src))
	want := `x.json:1:48: /nodes: unknown key; did you mean "steps"?
x.json:3:29: /steps/0/fuction: unknown key; did you mean "function"?
x.json:3:50: /steps/0/inputs: unknown key; did you mean "input"?
x.json:4:45: /steps/1/retry: want an object, such as {"max_attempts": 3}, got a number
x.json:4:59: /steps/1/timeout: want a text, got true or false
x.json:4:75: /steps/1/prompt: unknown key; it belongs into "input": {"prompt": …}
x.json:4:88: /steps/1/next: unknown key; where a step leads to stands in "paths" of the document, as {"source": …, "target": …}
x.json:5:3: /steps/2: a step with the id b is already there
x.json:6:3: /steps/3: want an object, got a number
x.json:8:12: /paths/0/from: unknown key; did you mean "source"?
x.json:8:26: /paths/0/to: unknown key; did you mean "target"?
x.json:9:51: /paths/1/conditions: unknown key; did you mean "condition"?
x.json:9:68: /paths/1/priority: want a number, got a text`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	var all Errors
	if !errors.As(err, &all) || len(all) != 13 {
		t.Errorf("%T of %d", err, len(all))
	}
	if w == nil || len(w.Steps) != 2 || len(w.Paths) != 1 {
		t.Errorf("read: %+v", w)
	}
}

// TestJSONHints: what keeps a file from being JSON is said in the words of its writer.
func TestJSONHints(t *testing.T) {
	for src, want := range map[string]string{
		`{"format": "stepgraph",}`:             "; the comma before it is one too many",
		"{\n// mine\n}":                        "; JSON has no comments, YAML has",
		`{'format': 'stepgraph'}`:              "; JSON has double quotes only",
		"{\"id\": \"a\nb\"}":                   `; a line break or tab in a text is written \n or \t`,
		`{"id": "a" "name": "b"}`:              "; a comma is missing before it",
		`{"steps": [{"id": "a"} {"id": "b"}]}`: "; a comma is missing before it",
		`{format: "stepgraph"}`:                "; keys and texts need double quotes",
	} {
		if _, _, err := Read("x.json", []byte(src)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format": "stepgraph", "version": 1, "steps": [{"id": "a", "input": {"x": [1, 2.5, null]}}], "paths": [{"source": "a", "target": "a", "condition": ["x"]}]}`))
	f.Add([]byte(`{"format": "stepgraph", "version": 1, "settings": {"history": "none", "y": 1}, "extra": {"a": [1, 2.0]}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		w, _, err := Read("x", src)
		if err != nil {
			var place *Error
			if !errors.As(err, &place) || place.Line < 1 || place.Col < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		written, err := Write(w)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Read("y", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if !reflect.DeepEqual(w.Steps, again.Steps) || !reflect.DeepEqual(w.Paths, again.Paths) {
			t.Fatalf("not the same again:\n%s", written)
		}
	})
}
