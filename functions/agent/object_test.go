package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/models"
)

const cityInput = `{"prompt":"Which?","schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`

func object(text string) models.Response {
	return models.Response{Text: text, Object: models.Object(json.RawMessage(`{}`), text), Usage: models.Usage{InputTokens: 3, OutputTokens: 2}}
}

// TestObjectAtOnce: an agent without tools has nothing to do before the object.
func TestObjectAtOnce(t *testing.T) {
	p, heard := &played{replies: []models.Response{object(`{"city":1}`), object(`{"city":"Tokyo"}`)}}, &function.Recorder{}
	out, err := round(t, p, heard, &function.Call{}, cityInput+`,"text_as":"pretty","directly_set_reply":true}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"response":"{\n  \"city\": \"Tokyo\"\n}","text":"{\n  \"city\": \"Tokyo\"\n}","output":{"city":"Tokyo"},"rounds":1,"calls":0,"tokens":10}`; string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	if len(p.asked) != 2 || p.asked[0].Schema == nil || p.asked[0].Token != nil || p.asked[0].Tools != nil || p.asked[1].Key != "s/a/1/1/repair" {
		t.Errorf("asked %+v", p.asked)
	}
	if len(heard.Said) != 1 || heard.Said[0] != "{\n  \"city\": \"Tokyo\"\n}" {
		t.Errorf("said %q", heard.Said)
	}
}

func TestObjectOfAnAnswer(t *testing.T) {
	wrote := models.Response{ToolCalls: []models.ToolCall{{ID: "x", Name: "extract", Arguments: json.RawMessage(`{"city":"Tokyo"}`)}}}
	for name, c := range map[string]struct {
		more, answer string
		reply        models.Response
		asked        string
	}{
		"format, after tools":       {`}`, "Tokyo, I think.", object(`{"city":"Tokyo"}`), "user:Which? | assistant:Tokyo, I think. | user:Write that answer as JSON that fits the schema, and nothing else."},
		"tool, after tools":         {`,"schema_by":"tool"}`, "Tokyo, I think.", wrote, "user:Convert the following response to the structured output format: Tokyo, I think."},
		"tool, converted":           {`,"schema_by":"tool","convert":true,"tools":[]}`, "Tokyo, I think.", wrote, "user:Convert the following response to the structured output format: Tokyo, I think."},
		"tool, without a text":      {`,"schema_by":"tool"}`, "", wrote, "user:Which? | user:Write that answer as JSON that fits the schema, and nothing else."},
		"the answer fits":           {`,"schema_by":"tool"}`, `{"city":"Tokyo"}`, models.Response{}, ""},
		"the answer fits, in fence": {`}`, "```json\n{\"city\":\"Tokyo\"}\n```", models.Response{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &played{replies: []models.Response{{Text: c.answer}, c.reply}}
			out, err := call(t, p, cityInput+c.more)
			if err != nil || !strings.Contains(string(out), `"output":{"city":"Tokyo"}`) {
				t.Fatalf("got %s, %v", out, err)
			}
			if c.asked == "" {
				if len(p.asked) != 1 {
					t.Errorf("asked %d times", len(p.asked))
				}
				return
			}
			if got := spoken(p.asked[1].Messages); got != c.asked {
				t.Errorf("asked %s\nwant  %s", got, c.asked)
			}
			if by := strings.Contains(c.more, "tool"); by != (p.asked[1].ToolChoice == "extract") || by == (p.asked[1].Schema != nil) || p.asked[1].Key != "s/a/1/1/object" {
				t.Errorf("asked %+v", p.asked[1])
			}
		})
	}
}

func TestParse(t *testing.T) {
	for answer, want := range map[string]string{
		`{"a": [1]}`:  `{"a":[1]}`,
		" [1, {}]\n":  `[1,{}]`,
		`"text"`:      "",
		`12`:          "",
		`{"a": 1} so`: "",
		`{a: 1}`:      "",
	} {
		for _, parse := range []bool{true, false} {
			p := &played{replies: []models.Response{{Text: answer}}}
			input := `{"prompt":"u"}`
			if parse {
				input = `{"prompt":"u","parse":true}`
			}
			text, err := call(t, p, input)
			var out struct {
				Text   string
				Output json.RawMessage
			}
			if err := errors.Join(err, json.Unmarshal(text, &out)); err != nil {
				t.Fatal(err)
			}
			wanted := want
			if !parse {
				wanted = ""
			}
			if out.Text != answer || string(out.Output) != wanted {
				t.Errorf("%q, parse %v: got %s, want output %s", answer, parse, text, wanted)
			}
		}
	}
}
