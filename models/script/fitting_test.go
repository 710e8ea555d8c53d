package script_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/script"
)

// TestFittingReplies asks one script as the workflow it was written for does, and as others do.
func TestFittingReplies(t *testing.T) {
	file, err := script.Parse([]byte(`{"match": [{"pattern": ".*", "reply": {"response": "Hello"}}, {"pattern": "hi", "reply": "Good day"}], "fitting": true, "otherwise": "echo"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ schema, tool, say, want string }{
		{`{"type":"object","properties":{"response":{"type":"string"}},"required":["response"],"additionalProperties":false}`, "", "hi", `{"response":"Hello"}`},
		{"", "", "hi", "Good day"},
		{"", "", "and now?", "echo: and now?"},
		{`{"type":"object","properties":{"n":{"type":"integer","minimum":3},"ok":{"type":"boolean"},"all":{"type":"array","minItems":2,"items":{"enum":["a","b"]}},
			"one":{"$ref":"#/$defs/one"},"none":{"type":["null","string"],"maxLength":2}},"required":["n"],"additionalProperties":false,"$defs":{"one":{"const":1}}}`, "",
			"hi you", `{"all":["a","a"],"n":3,"none":"hi","ok":true,"one":1}`},
		{`{"type":"array","items":{"type":"string","minLength":4}}`, "", "hi", `["hi.."]`},
		{`{"anyOf":[{"type":"number","exclusiveMinimum":1.5},{"type":"null"}]}`, "", "hi", `2.5`},
		{`{"type":"string","pattern":"^[0-9]+$"}`, "", "hi", "echo: hi"},                                              // nothing that is found fits
		{`{"type":"array","minItems":1000000000}`, "", "hi", "echo: hi"},                                              // nor is it searched for ever
		{`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"required":["a"]}`, "", "hi", `echo: hi`}, // without an end
		{`{"type":"object","properties":{"a":{"type":"string","minLength":100000000}},"required":["a"]}`, "", "hi", "echo: hi"},
		{"", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, "hi", `extract({"city":"hi"})`},
	} {
		req := models.Request{Messages: []models.Message{{Role: models.RoleUser, Content: test.say}}}
		if test.schema != "" {
			req.Schema = json.RawMessage(test.schema)
		}
		if test.tool != "" {
			req.Tools, req.ToolChoice = []models.Tool{{Name: "other"}, {Name: "extract", Parameters: json.RawMessage(test.tool)}}, "extract"
		}
		got, err := script.New(file).Generate(t.Context(), req)
		for _, c := range got.ToolCalls {
			got.Text += c.Name + "(" + string(c.Arguments) + ")"
		}
		if err != nil || got.Text != test.want {
			t.Errorf("%s %s: got %s, %v, want %s", test.schema, test.say, got.Text, err, test.want)
		}
	}
}
