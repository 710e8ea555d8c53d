package generate_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

// fake answers with its replies in turn and keeps what it was asked.
type fake struct {
	replies   []models.Response
	err       error
	asked     []models.Request
	names     []string
	endpoints []models.Endpoint
}

func (f *fake) Model(name string) (models.Model, string, error) {
	f.names = append(f.names, name)
	return models.Func(f.answer), "chosen/" + name, nil
}

func (f *fake) Endpoint(at models.Endpoint) (models.Model, error) {
	f.endpoints = append(f.endpoints, at)
	return models.Func(f.answer), nil
}

func (f *fake) answer(_ context.Context, r models.Request) (models.Response, error) {
	f.asked = append(f.asked, r)
	if f.err != nil {
		return models.Response{}, f.err
	}
	reply := f.replies[0]
	f.replies = f.replies[1:]
	if r.Token != nil {
		r.Token(reply.Text)
	}
	reply.Object = models.Object(r.Schema, reply.Text)
	reply.Usage = models.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 1, Cost: 0.5}
	return reply, nil
}

func texts(list ...string) []models.Response {
	var out []models.Response
	for _, text := range list {
		out = append(out, models.Response{Text: text, Model: "exact"})
	}
	return out
}

func call(t *testing.T, f *fake, o generate.Options, heard *function.Recorder, text string) (json.RawMessage, error) {
	t.Helper()
	o.Models = f
	spec := generate.SpecialSpec(o)
	in, names := function.BindSecrets(&spec, json.RawMessage(text), json.RawMessage(text))
	ctx := function.WithSink(function.WithCall(t.Context(), &function.Call{Step: "g", Key: "s/g/1/1", Secrets: names}), heard)
	return spec.Function.Call(ctx, in)
}

func TestText(t *testing.T) {
	f, heard := &fake{replies: texts("plain one")}, &function.Recorder{}
	out, err := call(t, f, generate.Options{}, heard, `{"user":"one","system":"be brief","model":"gpt-4o","temperature":"0.1","top_p":0.5,"max_tokens":9,"seed":3,"stop":"END",
		"reasoning":{"effort":"low"},"parameters":{"user_id":"u"},"context":"ignored"}`)
	if err != nil || string(out) != `{"response":"plain one"}` {
		t.Fatalf("got %s, %v", out, err)
	}
	r := f.asked[0]
	if r.Step != "g" || r.Key != "s/g/1/1" || r.Model != "chosen/gpt-4o" || *r.Temperature != 0.1 || *r.TopP != 0.5 || r.MaxTokens != 9 || *r.Seed != 3 ||
		!slices.Equal(r.Stop, []string{"END"}) || r.ReasoningEffort != "low" || string(r.Extra["user_id"]) != `"u"` || r.Schema != nil {
		t.Errorf("asked %+v", r)
	}
	if want := []models.Message{{Role: "system", Content: "be brief"}, {Role: "user", Content: "one"}}; !reflect.DeepEqual(r.Messages, want) {
		t.Errorf("messages %v, want %v", r.Messages, want)
	}
	if !slices.Equal(heard.Tokens, []string{"plain one"}) || heard.Said != nil || heard.Spoken != nil {
		t.Errorf("tokens %q, said %q", heard.Tokens, heard.Said)
	}
	if want := []function.Usage{{Model: "exact", InputTokens: 10, OutputTokens: 2, CachedTokens: 1, Cost: 0.5}}; !slices.Equal(heard.Usage, want) {
		t.Errorf("usage %v, want %v", heard.Usage, want)
	}
}

func TestDirectReply(t *testing.T) {
	f, heard := &fake{replies: texts("direct two", `{"n":1,"response":"r3"}`)}, &function.Recorder{}
	if out, err := call(t, f, generate.Options{}, heard, `{"user":"two","directly_set_reply":true}`); err != nil || string(out) != `{"response":"direct two","message":"direct two","content":"direct two"}` {
		t.Errorf("got %s, %v", out, err)
	}
	if out, err := call(t, f, generate.Options{}, heard, `{"user":"three","directly_set_reply":true,"schema":{}}`); err != nil || string(out) != `{"n":1,"response":"r3"}` {
		t.Errorf("got %s, %v", out, err)
	}
	if !slices.Equal(heard.Said, []string{"direct two", "r3"}) || !slices.Equal(heard.Spoken, []string{"direct two"}) || heard.Tokens != nil {
		t.Errorf("said %q, spoken %q, shown %q", heard.Said, heard.Spoken, heard.Tokens)
	}
}

// An answer that is asked for as a whole is not shown as it comes.
func TestWholeAnswers(t *testing.T) {
	for text, shown := range map[string]bool{`{"user":"a","stream":false}`: false, `{"user":"a","stream":true}`: true, `{"user":"a"}`: true} {
		f, heard := &fake{replies: texts("answer")}, &function.Recorder{}
		if _, err := call(t, f, generate.Options{}, heard, text); err != nil {
			t.Fatal(err)
		}
		if (f.asked[0].Token != nil) != shown || (heard.Tokens != nil) != shown {
			t.Errorf("%s: shown %q", text, heard.Tokens)
		}
	}
}

const needsN = `{"user":"three","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"schema_name":"count"}`

func TestObject(t *testing.T) {
	f, heard := &fake{replies: texts("```json\n{\"n\": 1, \"a\": 2.50}\n```")}, &function.Recorder{}
	out, err := call(t, f, generate.Options{}, heard, needsN)
	if err != nil || string(out) != `{"n":1,"a":2.50}` {
		t.Fatalf("got %s, %v", out, err)
	}
	if r := f.asked[0]; r.SchemaName != "count" || !strings.Contains(string(r.Schema), `"required":["n"]`) || r.Token != nil {
		t.Errorf("asked %+v", r)
	}
	if heard.Tokens != nil {
		t.Errorf("half an object was shown: %q", heard.Tokens)
	}
}

func TestObjectIsRepairedOnce(t *testing.T) {
	f, heard := &fake{replies: texts(`{"n":"x"}`, `{"n":2}`)}, &function.Recorder{}
	out, err := call(t, f, generate.Options{}, heard, needsN)
	if err != nil || string(out) != `{"n":2}` {
		t.Fatalf("got %s, %v", out, err)
	}
	again := f.asked[1]
	if again.Key != "s/g/1/1/repair" || len(again.Messages) != 3 || again.Messages[1].Content != `{"n":"x"}` || !strings.Contains(again.LastUser(), "/n: got string, want integer") {
		t.Errorf("asked again with %+v", again)
	}
	if len(f.asked[0].Messages) != 1 || len(heard.Usage) != 2 {
		t.Errorf("the first request has %d messages, %d usages", len(f.asked[0].Messages), len(heard.Usage))
	}
}

func TestObjectThatDoesNotFit(t *testing.T) {
	tests := []struct {
		name    string
		replies []models.Response
		want    string
		calls   int
	}{
		{"twice wrong", texts(`{}`, `{"n":null}`), "the model's answer does not fit the schema: /n: got null, want integer", 2},
		{"twice no JSON", texts("hello", "sorry"), "the model's answer does not fit the schema: it is not JSON", 2},
		{"cut off", []models.Response{{Text: `{"n":`, FinishReason: models.FinishLength}}, "the model's answer does not fit the schema: it was cut off because max_tokens was used up", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, heard := &fake{replies: test.replies}, &function.Recorder{}
			_, err := call(t, f, generate.Options{}, heard, strings.Replace(needsN, "{", `{"directly_set_reply":true,`, 1))
			if err == nil || err.Error() != test.want || function.KindOf(err) != function.KindOutputInvalid || function.IsTransient(err) {
				t.Errorf("error %v (%s)", err, function.KindOf(err))
			}
			if len(f.asked) != test.calls || heard.Said != nil {
				t.Errorf("%d calls, said %q", len(f.asked), heard.Said)
			}
		})
	}
}

func TestImages(t *testing.T) {
	f := &fake{replies: texts("x")}
	_, err := call(t, f, generate.Options{}, &function.Recorder{}, `{"user":"what?","images":["https://a/b.png","data:image/gif;base64,R0lG",{"data":"AQI=","media_type":"image/webp","detail":"low"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []models.Image{{URL: "https://a/b.png"}, {MediaType: "image/gif", Data: []byte("GIF")}, {MediaType: "image/webp", Data: []byte{1, 2}, Detail: "low"}}
	if got := f.asked[0].Messages[0].Images; !reflect.DeepEqual(got, want) {
		t.Errorf("images %v, want %v", got, want)
	}
}

func TestProfilesAndSchemas(t *testing.T) {
	cold := 0.0
	o := generate.Options{
		Profiles: func() map[string]generate.Profile {
			return map[string]generate.Profile{"clerk": {Model: "m", System: "You are a clerk.", Temperature: &cold, MaxTokens: 5,
				Schema: json.RawMessage(`{"required":["ok"]}`), SchemaName: "form", Parameters: json.RawMessage(`{"a":1,"b":1}`)}}
		},
		Schemas: func() map[string]json.RawMessage {
			return map[string]json.RawMessage{"other": json.RawMessage(`{"required":["other"]}`)}
		},
	}
	f := &fake{replies: texts(`{"ok":1}`, `{"other":1}`)}
	if out, err := call(t, f, o, &function.Recorder{}, `{"user":"five","agent":"clerk","max_tokens":7,"schema_name":"form","parameters":{"b":2}}`); err != nil || string(out) != `{"ok":1}` {
		t.Fatalf("got %s, %v", out, err)
	}
	if r := f.asked[0]; r.Model != "chosen/m" || r.Messages[0].Content != "You are a clerk." || *r.Temperature != 0 || r.MaxTokens != 7 || r.SchemaName != "form" || string(r.Extra["a"])+string(r.Extra["b"]) != "12" {
		t.Errorf("asked %+v", r)
	}
	if out, err := call(t, f, o, &function.Recorder{}, `{"user":"six","profile":"clerk","schema_name":"other"}`); err != nil || string(out) != `{"other":1}` {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestOwnEndpoint(t *testing.T) {
	o := generate.Options{Getenv: func(name string, to *url.URL) (string, bool) {
		return "k3y", name == "LLM_KEY" && to.Hostname() == "llm.example"
	}}
	f := &fake{replies: texts("x")}
	if _, err := call(t, f, o, &function.Recorder{}, `{"user":"u","base_url":"https://llm.example/v1","api_key":"$LLM_KEY","model":"own"}`); err != nil {
		t.Fatal(err)
	}
	if want := []models.Endpoint{{BaseURL: "https://llm.example/v1", Key: "k3y"}}; !slices.Equal(f.endpoints, want) || f.asked[0].Model != "own" || f.names != nil {
		t.Errorf("endpoints %v, model %s, catalog asked for %v", f.endpoints, f.asked[0].Model, f.names)
	}
	_, err := call(t, f, o, &function.Recorder{}, `{"user":"u","base_url":"https://else.example","api_key":"${LLM_KEY}"}`)
	if function.KindOf(err) != function.KindBadInput || !strings.Contains(err.Error(), "$LLM_KEY is not open to workflows for https://else.example") {
		t.Errorf("error %v", err)
	}
}

func TestModelFailuresAreStepErrors(t *testing.T) {
	f := &fake{err: &models.Error{Kind: models.KindRateLimit, Status: 429, Retryable: true, RetryAfter: 4 * time.Second, Message: "openai: slow down"}}
	_, err := call(t, f, generate.Options{}, &function.Recorder{}, `{"user":"u"}`)
	var step *function.CallError
	if !errors.As(err, &step) || step.Kind != "rate_limit" || !step.Transient || step.RetryAfter != 4*time.Second || !strings.Contains(step.Message, "slow down") {
		t.Errorf("error %#v", err)
	}
	f = &fake{err: models.NewError(models.KindCancelled, false, "call cancelled", context.Canceled)}
	if _, err := call(t, f, generate.Options{}, &function.Recorder{}, needsN); !errors.Is(err, context.Canceled) || function.IsTransient(err) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBadInput(t *testing.T) {
	tests := map[string]string{
		`{"system":"x"}`:                                                  "user: there is nothing to ask the model: give it user or messages",
		`{"include_history":true}`:                                        "user: there is nothing to ask the model: give it user or messages",
		`{"user":"u","agent":"nobody"}`:                                   `profile: there is no profile "nobody"; there are clerk, cook`,
		`{"user":"u","schema_name":"form"}`:                               `schema_name: there is no schema "form"; no schemas are configured`,
		`{"user":"u","schema":{"type":"objekt"}}`:                         "schema: /type: ",
		`{"user":"u","temperature":"hot"}`:                                `temperature: want a number, not "hot"`,
		`{"user":"u","history":"some"}`:                                   `history: want a number of messages or all, not "some"`,
		`{"user":"u","messages":"hello"}`:                                 "messages: want a list of {role, content}",
		`{"messages":[{"role":"boss","content":"x"}]}`:                    `messages[0]: role "boss" is not one of system, developer, user, assistant and history`,
		`{"user":"u","images":["/etc/passwd"]}`:                           "images[0]: want an http, https or data: address",
		`{"user":"u","images":["data:image/png,x"]}`:                      "images[0]: the data: address is not in base64",
		`{"user":"u","max_tokens":-1}`:                                    "max_tokens: -1 is less than none",
		`{"user":"u","parameters":[]}`:                                    "parameters: want an object",
		`{"user":"u","base_url":"x","api_key":"$K"}`:                      "base_url: want an http or https address",
		`{"user":"u","reasoning":5}`:                                      "reasoning: want {effort, max_tokens}",
		`{"user":"u","reasoning":{"max_tokens":"x"}}`:                     "reasoning.max_tokens: want a number of tokens",
		`{"user":"u","memory":"good"}`:                                    "memory: want window, all, summary or none",
		`{"messages":[{"role":"history"},{"role":"history"}],"user":"u"}`: "messages[1]: the history stands there twice",
		`{"messages":[{"role":"user","images":["x"]}]}`:                   "messages[0].images[0]: want an http",
	}
	o := generate.Options{Profiles: func() map[string]generate.Profile { return map[string]generate.Profile{"cook": {}, "clerk": {}} }}
	for text, want := range tests {
		f := &fake{}
		_, err := call(t, f, o, &function.Recorder{}, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || function.KindOf(err) != function.KindBadInput || f.asked != nil {
			t.Errorf("%s gives %v\nwant %s", text, err, want)
		}
	}
}

func TestOffWithoutModels(t *testing.T) {
	spec := generate.Spec(generate.Options{})
	if _, err := spec.Function.Call(t.Context(), json.RawMessage(`{"user":"u"}`)); function.KindOf(err) != function.KindDisabled || spec.Disabled == "" {
		t.Errorf("error %v, disabled %q", err, spec.Disabled)
	}
}

func TestCheckAtLoadTime(t *testing.T) {
	check := generate.Spec(generate.Options{}).Check
	tests := map[string]int{
		`{"user":"u"}`: 0, `{"schema":{"type":"objekt"}}`: 1, `{"schema":"@{SESSION_ID}.a"}`: 0, `{"agent":"nobody"}`: 1, `{"agent":"@{SESSION_ID}.who"}`: 0, `{"temperature":"@{SESSION_ID}.t"}`: 0,
		`{"memory":"good"}`: 1, `{"memory":"@{SESSION_ID}.m"}`: 0, `{"history":"some"}`: 1,
	}
	for text, want := range tests {
		if got := check(json.RawMessage(text)); len(got) != want {
			t.Errorf("%s has problems %v", text, got)
		}
	}
}
