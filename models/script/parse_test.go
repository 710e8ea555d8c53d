package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/models/script"
)

func TestParseReadsEveryForm(t *testing.T) {
	file, err := script.Parse([]byte("\uFEFF" + `{
		"steps": {"a": ["text", {"n": 1.0, "b": "<é>", "a": []},
			{"tool_calls": [{"name": "look", "arguments": {"id": 7}}, {"name": "now"}], "text": "one moment"},
			{"error": "busy", "transient": true}, {"error": "no"},
			{"reply": {"error": "slow"}, "delay_ms": 250}]},
		"match": [{"pattern": "(?i)^HI", "reply": {"reply": "hello", "delay_ms": 0}}],
		"any": [""],
		"otherwise": "echo"}`))
	if err != nil {
		t.Fatal(err)
	}
	a := file.Steps["a"]
	if len(a) != 6 || a[0].Text != "text" || a[0].Object != nil {
		t.Fatalf("steps a: %+v", a)
	}
	if want := `{"n":1.0,"b":"<é>","a":[]}`; a[1].Text != want || string(a[1].Object) != want {
		t.Errorf("object: text %s, object %s, want %s with key order and number literal kept", a[1].Text, a[1].Object, want)
	}
	calls := a[2].ToolCalls
	if len(calls) != 2 || string(calls[0].Arguments) != `{"id":7}` || string(calls[1].Arguments) != `{}` || a[2].Text != "one moment" {
		t.Errorf("tool calls: %+v", a[2])
	}
	if e := a[3].Error; e == nil || e.Message != "busy" || !e.Transient {
		t.Errorf("error: %+v", e)
	}
	if e := a[4].Error; e == nil || e.Transient {
		t.Errorf("error without transient: %+v", e)
	}
	if a[5].Delay != 250*time.Millisecond || a[5].Error == nil {
		t.Errorf("delayed: %+v", a[5])
	}
	if len(file.Match) != 1 || !file.Match[0].Pattern.MatchString("hi there") || file.Match[0].Reply.Text != "hello" {
		t.Errorf("match: %+v", file.Match)
	}
	if len(file.Any) != 1 || !file.Echo {
		t.Errorf("any %+v, echo %v", file.Any, file.Echo)
	}
}

// A structured output may use the words of the format, as long as it is not
// exactly one of its forms.
func TestParseTakesOtherObjectsAsStructuredOutput(t *testing.T) {
	for _, object := range []string{
		`{}`, `{"reply":"Hello"}`, `{"reply":"Hello","done":true}`, `{"error":null,"value":3}`,
		`{"tool_calls":3,"other":1}`, `{"transient":true}`, `{"delay_ms":5}`,
	} {
		file, err := script.Parse([]byte(`{"any": [` + object + `]}`))
		if err != nil {
			t.Errorf("%s: %v", object, err)
		} else if got := string(file.Any[0].Object); got != object {
			t.Errorf("%s: object %s", object, got)
		}
	}
}

func TestParseNamesWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     `1:1: no JSON: unexpected end of JSON input`,
		`{"any": ["a"`:                         `1:13: no JSON: unexpected end of JSON input`,
		`{"any": [a]}`:                         `1:10: no JSON`,
		`{} {}`:                                `1:4: no JSON: invalid character`,
		`[]`:                                   `1:1: a script is an object`,
		"{\n \"step\": {}}":                    `2:10: /step: unknown key "step"`,
		`{"any": "a"}`:                         `1:9: /any: is a list of replies`,
		`{"steps": []}`:                        `1:11: /steps: steps is an object`,
		`{"steps": {"a/b": [1]}}`:              `1:20: /steps/a~1b/0: a reply is a text or an object`,
		`{"steps": {"é": [null]}}`:             `1:18: /steps/é/0: a reply is a text or an object`,
		`{"any": [], "any": ["x"]}`:            `1:13: /any: stands here twice`,
		"{\"steps\": {\"a\": [],\n\"a\": []}}": `2:1: /steps/a: stands here twice`,
		`{"otherwise": "fail"}`:                `1:15: /otherwise: otherwise is "echo"`,
		`{"match": [{"pattern": "(", "reply": "x"}]}`:            `1:24: /match/0/pattern: missing closing )`,
		`{"match": [{"pattern": "x"}]}`:                          `/match/0: a match has a pattern and a reply`,
		`{"match": [{"pattern": "x", "reply": "y", "when": 1}]}`: `/match/0: a match has a pattern and a reply`,
		`{"match": [{"pattern": 1, "reply": "y"}]}`:              `/match/0/pattern: a pattern is a text`,
		`{"match": {}}`: `/match: match is a list`,
		`{"any": [{"reply": "x", "delay_ms": -1}]}`:                              `/any/0/delay_ms: delay_ms is a whole number`,
		`{"any": [{"reply": "x", "delay_ms": 1.5}]}`:                             `/any/0/delay_ms: delay_ms is a whole number`,
		`{"any": [{"reply": "x", "delay_ms": null}]}`:                            `/any/0/delay_ms: delay_ms is a whole number`,
		`{"any": [{"reply": "x", "delay": 5}]}`:                                  `/any/0: a delayed reply has reply and delay_ms`,
		`{"any": [{"reply": {"reply": 1, "delay_ms": 1}, "delay_ms": 1}]}`:       `/any/0/reply: a delayed reply`,
		`{"any": [{"error": "x", "transiant": true}]}`:                           `/any/0: a scripted error has error and transient`,
		`{"any": [{"error": 5}]}`:                                                `/any/0/error: the error of a reply is a text`,
		`{"any": [{"error": "x", "transient": "yes"}]}`:                          `/any/0/transient: transient is true or false`,
		`{"any": [{"tool_calls": []}]}`:                                          `/any/0/tool_calls: tool_calls is a list`,
		`{"any": [{"tool_calls": [{"arguments": {}}]}]}`:                         `/any/0/tool_calls/0: a tool call has a name`,
		`{"any": [{"tool_calls": [{"name": "x", "args": {}}]}]}`:                 `/any/0/tool_calls/0: a tool call has a name`,
		`{"any": [{"tool_calls": [{"name": ""}]}]}`:                              `/any/0/tool_calls/0/name: the name of a tool`,
		"{\"any\": [\"\xff\"]}":                                                  `1:11: the text is not UTF-8 here`,
		`{"any": [` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `]}`: `nested deeper than 200 levels`,
	} {
		_, err := script.Parse([]byte(text))
		var syntax *script.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: error %v, want a *SyntaxError", text, err)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.json")
	if _, err := script.Load(path); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	if err := os.WriteFile(path, []byte("{\n  \"any\": [3]\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := script.Load(path); err == nil || !strings.HasPrefix(err.Error(), path+":2:11: /any/0: ") {
		t.Errorf("broken file: %v", err)
	}
}

// Whatever the text is, Parse returns a file that plays or an error that points
// into the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"steps": {"a": ["x", {"b": 1}]}, "match": [{"pattern": "a+", "reply": "y"}], "any": [{"error": "e", "transient": true}], "otherwise": "echo"}`,
		`{"any": [{"reply": {"tool_calls": [{"name": "n", "arguments": {}}]}, "delay_ms": 10}]}`,
		`{"any": [`, `[]`, "\uFEFF{}", `{"a": {"b": [,]}}`, "{\n\n\"any\"\t:\r[]}x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := script.Parse(data)
		if err == nil {
			play(t, file)
			return
		}
		var syntax *script.SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("error %v is no *SyntaxError", err)
		}
		lines := strings.Count(string(data), "\n") + 1
		if syntax.Line < 1 || syntax.Line > lines || syntax.Col < 1 || syntax.Col > len(data)+1 || syntax.Message == "" {
			t.Fatalf("error %+v does not point into the %d lines", syntax, lines)
		}
	})
}
