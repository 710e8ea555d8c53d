package generate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

func calls(name, arguments string) models.Response {
	return models.Response{ToolCalls: []models.ToolCall{{ID: "1", Name: name, Arguments: json.RawMessage(arguments)}}, FinishReason: models.FinishToolCalls}
}

func TestObjectByTool(t *testing.T) {
	for name, c := range map[string]struct {
		named   string
		replies []models.Response
		want    string
		again   string // what the second request repeats and complains of
	}{
		"arguments":       {"", []models.Response{calls("extract", `{"n":1}`)}, `{"n":1}`, ""},
		"a name":          {"my count", []models.Response{calls("my_count", `{"n":1}`)}, `{"n":1}`, ""},
		"written as text": {"", texts("```json\n{\"n\": 1}\n```"), `{"n":1}`, ""},
		"mended":          {"", []models.Response{calls("extract", `{"n":"x"}`), calls("extract", `{"n":2}`)}, `{"n":2}`, `user:three | assistant:{"n":"x"} | user:That answer does not fit the schema: /n: got string`},
		"no JSON":         {"", []models.Response{calls("extract", `"{broken"`), calls("extract", `{"n":2}`)}, `{"n":2}`, "user:three | user:That answer does not fit the schema: it is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{replies: c.replies}
			input := strings.Replace(needsN, `"schema_name":"count"`, `"schema_by":"tool","schema_name":"`+c.named+`"`, 1)
			out, err := call(t, f, generate.Options{}, &function.Recorder{}, input)
			if err != nil || string(out) != c.want {
				t.Fatalf("got %s, %v, want %s", out, err, c.want)
			}
			tool := "extract"
			if c.named != "" {
				tool = "my_count"
			}
			for _, q := range f.asked {
				if len(q.Tools) != 1 || q.Tools[0].Name != tool || !strings.Contains(string(q.Tools[0].Parameters), `"required":["n"]`) || q.ToolChoice != tool || q.Schema != nil || q.Token != nil {
					t.Errorf("asked %+v", q)
				}
			}
			if c.again != "" && !strings.HasPrefix(spoken(f.asked[1].Messages), c.again) {
				t.Errorf("asked again %s\nwant %s", spoken(f.asked[1].Messages), c.again)
			}
		})
	}
	_, err := call(t, &fake{replies: texts("no", "no")}, generate.Options{}, &function.Recorder{}, strings.Replace(needsN, `"schema_name":"count"`, `"schema_by":"tool"`, 1))
	if function.KindOf(err) != function.KindOutputInvalid || err.Error() != "the model's answer does not fit the schema: it is not JSON" {
		t.Errorf("got %v", err)
	}
}

func TestTextAs(t *testing.T) {
	const object = `{"response":"r","list":[1,{}],"none":[]}`
	const laid = "{\n  \"response\": \"r\",\n  \"list\": [\n    1,\n    {}\n  ],\n  \"none\": []\n}"
	for as, want := range map[string]string{"": "r", "pretty": laid, "fenced": "```json\n" + laid + "\n```"} {
		heard := &function.Recorder{}
		out, err := call(t, &fake{replies: texts(object)}, generate.Options{}, heard, `{"user":"u","schema":{},"directly_set_reply":true,"text_as":"`+as+`","conversation":{"name":"c"}}`)
		if err != nil || string(out) != object {
			t.Fatalf("%q: got %s, %v", as, out, err)
		}
		var kept []models.Message
		if err := json.Unmarshal(heard.Named["c"], &kept); err != nil || len(kept) != 1 || kept[0].Content != want || heard.Said[0] != want {
			t.Errorf("%q: kept %v, said %q, want %q", as, kept, heard.Said, want)
		}
	}
}

func TestFormFaults(t *testing.T) {
	for input, want := range map[string]string{
		`"schema_by":"words"`: `schema_by: want format or tool, not "words"`,
		`"text_as":"yaml"`:    `text_as: want pretty, fenced or nothing, not "yaml"`,
	} {
		_, err := call(t, &fake{}, generate.Options{}, &function.Recorder{}, `{"user":"u",`+input+`}`)
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", input, err, want)
		}
		if problems := generate.SpecialCheck(generate.Options{}, json.RawMessage(`{`+input+`}`)); len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%s: problems %v", input, problems)
		}
	}
}

func TestClosedObjectByTool(t *testing.T) {
	const schema = `{"type":"object","additionalProperties":false,"required":["list"],"properties":{"open":{"type":"object"},
		"list":{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}},"required":["a"]}}}}`
	for arguments, want := range map[string]string{
		`{"more":1,"list":[{"a":"4","optional":false,"children":[{"value":"c"}]},{"a":"5"}],"open":{"x":1}}`: `{"list":[{"a":"4"},{"a":"5"}],"open":{"x":1}}`,
		`{"list":[]}`:        `{"list":[]}`,
		`{"list":[{"b":1}]}`: "the model's answer does not fit the schema: /list/0: missing property 'a'",
	} {
		f := &fake{replies: []models.Response{calls("extract", arguments), calls("extract", arguments)}}
		out, err := call(t, f, generate.Options{}, &function.Recorder{}, `{"user":"u","schema_by":"tool","schema":`+schema+`}`)
		if got := string(out); err != nil && err.Error() != want || err == nil && (got != want || len(f.asked) != 1) {
			t.Errorf("%s: got %s, %v\nwant %s", arguments, out, err, want)
		}
	}
	_, err := call(t, &fake{replies: texts(`{"list":[],"more":1}`, `{"list":[],"more":1}`)}, generate.Options{}, &function.Recorder{}, `{"user":"u","schema":`+schema+`}`)
	if function.KindOf(err) != function.KindOutputInvalid {
		t.Errorf("a format was not held to its schema: %v", err)
	}
}
