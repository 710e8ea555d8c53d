package classify_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/classify"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

type replies struct {
	text  string
	asked models.Request
}

func (r *replies) Model(string) (models.Model, string, error) {
	return models.Func(func(_ context.Context, q models.Request) (models.Response, error) {
		r.asked = q
		return models.Response{Text: r.text}, nil
	}), "m", nil
}

func (r *replies) Endpoint(models.Endpoint) (models.Model, error) { return nil, errors.New("none") }

func TestChoice(t *testing.T) {
	const classes = `["billing", {"name": "Technical help", "description": "broken"}, "other"]`
	for reply, want := range map[string]string{
		`{"class": "other"}`:                             "other",
		"```json\n{\"output\": \"technical HELP\"}\n```": "Technical help",
		`tech`:                   "Technical help",
		`It is billing, I think`: "billing",
		`{"class": "weather"}`:   "error",
		``:                       "error",
	} {
		r := &replies{text: reply}
		out, err := classify.Extended(generate.Options{Models: r}, "classify", "").Function.Call(t.Context(), json.RawMessage(`{"input": "My invoice", "classes": `+classes+`}`))
		switch {
		case want == "error":
			if function.KindOf(err) != function.KindOutputInvalid {
				t.Errorf("%q: got %s, %v", reply, out, err)
			}
		case err != nil || !strings.Contains(string(out), `"branch":"`+want+`"`) || !strings.Contains(string(out), `"`+want+`":true`):
			t.Errorf("%q: got %s, %v", reply, out, err)
		}
		if last := r.asked.LastUser(); !strings.Contains(last, "My invoice") || !strings.Contains(last, "broken") {
			t.Errorf("asked %s", last)
		}
	}
	out, err := classify.Extended(generate.Options{Models: &replies{text: "weather"}}, "classify", "").Function.Call(t.Context(), json.RawMessage(`{"input": "x", "on_unknown": "last", "classes": `+classes+`}`))
	if err != nil || !strings.Contains(string(out), `"index":2`) {
		t.Errorf("got %s, %v", out, err)
	}
}

// TestNumbers: a mark is a class, and also the place of another one.
func TestNumbers(t *testing.T) {
	spec := classify.Extended(generate.Options{Models: &replies{text: "2"}}, "classify", "")
	const in = `{"input": "nice", "classes": [1, 2, 3]}`
	out, err := spec.Function.Call(t.Context(), json.RawMessage(in))
	const want = `"branches":{"0":false,"1":true,"2":false,"3":false},"names":{"1":false,"2":true,"3":false}`
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
	if found := spec.Check(json.RawMessage(in)); len(found) != 1 || found[0].Level != "warning" || !strings.Contains(found[0].Message, "names.1") {
		t.Errorf("validate says %+v", found)
	}
}

func TestBadClasses(t *testing.T) {
	spec := classify.Extended(generate.Options{Models: &replies{}}, "classify", "")
	for _, classes := range []string{`[]`, `"a"`, `["a", "A"]`, `[{"description": "x"}]`} {
		if _, err := spec.Function.Call(t.Context(), json.RawMessage(`{"classes": `+classes+`}`)); function.KindOf(err) != function.KindBadInput {
			t.Errorf("%s: %v", classes, err)
		}
		if len(spec.Check(json.RawMessage(`{"classes": `+classes+`}`))) != 1 {
			t.Errorf("%s passes the check", classes)
		}
	}
}

func TestConversation(t *testing.T) {
	for input, want := range map[string]struct{ asked, kept string }{
		`{"input": "x", "classes": ["a"], "system": "S", "messages": [{"role": "user", "content": "e"}, {"role": "assistant", "content": "f"}],
			"conversation": {"name": "c", "question": "money back", "past": [{"role": "user", "content": "old"}]}}`: {"system:S user:e assistant:f user:old user:", `[{"role":"user","content":"money back"}]`},
		`{"input": "x", "classes": ["a"], "system": "S", "memory": "none", "messages": [{"role": "user", "content": "e"}],
			"conversation": {"name": "c", "question": "money back", "past": [{"role": "user", "content": "old"}]}}`: {"system:S user:e user:", `[{"role":"user","content":"money back"}]`},
		`{"input": "x", "classes": ["a"], "system": "S", "conversation": {"name": "c", "question": "q", "messages": [{"role": "user", "content": "said"}]}}`: {"system:S user:said user:", ""},
	} {
		r, heard := &replies{text: "a"}, &function.Recorder{}
		if _, err := classify.Extended(generate.Options{Models: r}, "classify", "").Function.Call(function.WithSink(t.Context(), heard), json.RawMessage(input)); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, m := range r.asked.Messages {
			list = append(list, m.Role+":"+m.Content)
		}
		if got := strings.Join(list, " "); !strings.HasPrefix(got, want.asked+`{"classes"`) {
			t.Errorf("%s: asked %s\nwant %s and the question", input, got, want.asked)
		}
		if got := string(heard.Named["c"]); got != want.kept {
			t.Errorf("%s: kept %s, want %s", input, got, want.kept)
		}
	}
}

func TestAskAndStrict(t *testing.T) {
	const input = `{"ask": "{\"input\": my own words}", "classes": ["Refund", "Sales question", "Other"], "on_unknown": "last", "strict": true}`
	for reply, want := range map[string]string{
		"```json\n{\"output\": \"Refund\"}\n```":                  "Refund",
		`{"output":"sales"}`:                                      "Sales question",
		`{"output":"banana"}`:                                     "Other",
		"Sure:\n```json\n{\"output\": \"refund\"}\n```\nas asked": "Refund",
		"no json here":                                            `the model's reply "no json here" holds no JSON that names a class`,
		`{"output": 5}`:                                           `the model's reply "{\"output\": 5}" holds no JSON that names a class`,
		`{"output": " "}`:                                         `the model's reply "{\"output\": \" \"}" holds no JSON that names a class`,
		`{"other": 1}`:                                            `the model's reply "{\"other\": 1}" holds no JSON that names a class`,
		`Refund}{`:                                                `the model's reply "Refund}{" holds no JSON that names a class`,
		`{output: Refund}`:                                        `the model's reply "{output: Refund}" holds no JSON that names a class`,
	} {
		r := &replies{text: reply}
		out, err := classify.Extended(generate.Options{Models: r}, "classify", "").Function.Call(t.Context(), json.RawMessage(input))
		switch {
		case strings.Contains(want, "no JSON"):
			if err == nil || err.Error() != want || function.KindOf(err) != function.KindOutputInvalid {
				t.Errorf("%q: got %s, %v, want %s", reply, out, err, want)
			}
		case err != nil || !strings.Contains(string(out), `"branch":"`+want+`"`):
			t.Errorf("%q: got %s, %v, want %s", reply, out, err, want)
		}
		if got := r.asked.LastUser(); got != `{"input": my own words}` {
			t.Errorf("asked %s", got)
		}
	}
}
