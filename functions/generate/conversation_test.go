package generate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

// named is spoken, with the names of those who spoke.
func named(list []models.Message) string {
	var lines []string
	for _, m := range list {
		line := m.Role
		if m.Name != "" {
			line += "(" + m.Name + ")"
		}
		lines = append(lines, line+":"+m.Content)
	}
	return strings.Join(lines, " | ")
}

func TestConversation(t *testing.T) {
	const (
		past    = `"past":[{"role":"user","content":"old q"},{"role":"assistant","content":"old a"}]`
		spoken  = `"messages":[{"role":"user","content":"hello"},{"role":"user","content":"reply A","name":"first","extra":[1]}]`
		silent  = `"messages":null,"before":[{"role":"user","content":"b q"},{"role":"assistant","content":"b a"}]`
		hello   = `{"role":"user","content":"hello"}`
		replied = `{"role":"assistant","content":"R"}`
	)
	for name, c := range map[string]struct{ input, asked, kept string }{
		"nobody has spoken": {`{"system":"S","conversation":{"name":"c","question":"hello",` + past + `,` + silent + `}}`,
			"system:S | user:b q | assistant:b a | user:old q | assistant:old a | user:hello", `[` + hello + `,` + replied + `]`},
		"somebody has": {`{"system":"S","user":"more","conversation":{"name":"c","question":"hello","before":[{"role":"user","content":"b"}],` + past + `,` + spoken + `}}`,
			"system:S | user:old q | assistant:old a | user:hello | user(first):reply A | user:more",
			`[` + hello + `,{"role":"user","content":"reply A","name":"first","extra":[1]},` + replied + `]`},
		"role and name": {`{"conversation":{"name":"c","question":"hello","role":"user","as":"me","past":"","messages":""}}`,
			"user:hello", `[` + hello + `,{"role":"user","content":"R","name":"me"}]`},
		"a blank question": {`{"messages":[{"role":"user","content":"m"}],"conversation":{"name":"c","question":" "}}`, "user:m", `[` + replied + `]`},
		"behind the own messages": {`{"messages":[{"role":"system","content":"s1"},{"role":"user","content":"m"},{"role":"system","content":"s2"}],"user":"u","conversation":{"name":"c","question":"hello"}}`,
			"system:s1 | system:s2 | user:m | user:hello | user:u", `[` + hello + `,` + replied + `]`},
		"at the mark": {`{"messages":[{"role":"user","content":"m"},{"role":"history"},{"role":"system","content":"s"},{"role":"user","content":"n"}],"user":"u","conversation":{"name":"c","question":"hello"}}`,
			"system:s | user:m | user:hello | user:n | user:u", `[` + hello + `,` + replied + `]`},
		"the newest": {`{"memory":"window","history":2,"conversation":{"name":"c","question":"hello",` + past + `}}`,
			"assistant:old a | user:hello", `[` + hello + `,` + replied + `]`},
		"the newest by history alone": {`{"history":"1","conversation":{"name":"c","question":"hello",` + past + `}}`,
			"user:hello", `[` + hello + `,` + replied + `]`},
		"no memory, nobody has spoken": {`{"system":"S","memory":"none","conversation":{"name":"c","question":"hello",` + past + `}}`,
			"system:S | user:hello", `[` + hello + `,` + replied + `]`},
		"no memory, own messages of users": {`{"memory":"none","messages":[{"role":"user","content":"m"}],"conversation":{"name":"c","question":"hello",` + past + `}}`,
			"user:m", `[{"role":"user","content":"m"},` + replied + `]`},
		"no memory, somebody has spoken": {`{"memory":"none","messages":[{"role":"user","content":"m"}],"conversation":{"name":"c","question":"hello",` + spoken + `}}`,
			"user:m", `[` + hello + `,{"role":"user","content":"reply A","name":"first","extra":[1]},` + replied + `]`},
		"no name":         {`{"user":"u","conversation":{"question":"hello"}}`, "user:hello | user:u", ""},
		"an empty reply":  {`{"conversation":{"name":"c","messages":[{"role":"user","content":"x"},{"role":"assistant","content":""}]}}`, "user:x", `[{"role":"user","content":"x"},{"role":"assistant","content":""},` + replied + `]`},
		"with an object":  {`{"schema":{"type":"object"},"conversation":{"name":"c","question":"object"}}`, "user:object", `[{"role":"user","content":"object"},{"role":"assistant","content":"{\"n\":1}"}]`},
		"the chat beside": {`{"include_history":true,"conversation":{"name":"c","question":"hello"}}`, "user:hello", `[` + hello + `,` + replied + `]`},
	} {
		t.Run(name, func(t *testing.T) {
			f, heard := &fake{replies: texts("R")}, &function.Recorder{Chat: []function.Message{{Role: "user", Content: "in the chat"}}}
			var given struct {
				Conversation struct{ Messages json.RawMessage }
			}
			if err := json.Unmarshal([]byte(c.input), &given); err != nil {
				t.Fatal(err)
			}
			heard.Named = map[string]json.RawMessage{"c": given.Conversation.Messages}
			if strings.Contains(c.input, "schema") {
				f.replies = texts(`{"n":1}`)
			}
			if _, err := call(t, f, generate.Options{}, heard, c.input); err != nil {
				t.Fatal(err)
			}
			if got := named(f.asked[0].Messages); got != c.asked {
				t.Errorf("asked %s\nwant  %s", got, c.asked)
			}
			if got := string(heard.Named["c"]); got != c.kept {
				t.Errorf("kept %s\nwant %s", got, c.kept)
			}
			if heard.Asked != nil {
				t.Errorf("the session's chat was read: %v", heard.Asked)
			}
		})
	}
}

func TestConversationSummary(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":"I am Ada."},{"role":"assistant","content":"Hello Ada."},{"role":"user","content":"Who am I?"}]`
	for name, c := range map[string]struct{ input, sum, asked string }{
		"with user":      {`{"user":"Answer","memory":"summary","conversation":{` + messages + `}}`, "user: I am Ada.\nassistant: Hello Ada.\nuser: Who am I?", "assistant:short | user:Answer"},
		"without user":   {`{"memory":"summary","conversation":{` + messages + `}}`, "user: I am Ada.\nassistant: Hello Ada.", "assistant:short | user:Who am I?"},
		"but the newest": {`{"user":"Answer","memory":"summary","memory_tokens":6,"conversation":{` + messages + `}}`, "user: I am Ada.", "system:Previous conversation summary: short | assistant:Hello Ada. | user:Who am I? | user:Answer"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{replies: texts(" short", "R")}
			if _, err := call(t, f, generate.Options{}, &function.Recorder{}, c.input); err != nil {
				t.Fatal(err)
			}
			if got := named(f.asked[1].Messages); got != c.asked {
				t.Errorf("asked %s\nwant  %s", got, c.asked)
			}
			if sum := f.asked[0]; len(sum.Messages) != 1 || sum.Messages[0].Role != "user" || !strings.HasSuffix(sum.Messages[0].Content, "\n\n"+c.sum) || sum.Key != "s/g/1/1/summary" {
				t.Errorf("summed up with %q and key %s, want one message that ends with %q", named(sum.Messages), sum.Key, c.sum)
			}
		})
	}
}

func TestConversationFaults(t *testing.T) {
	for given, want := range map[string]string{
		`"c"`:                  `conversation: want {name, past, messages, before, question, role, as}, not "c"`,
		`{"role":"system"}`:    `conversation.role: want user or assistant, not "system"`,
		`{"past":"hello"}`:     `conversation.past: want a list of {role, content, name}, not "hello"`,
		`{"messages":{"a":1}}`: `conversation.messages: want a list of {role, content, name}, not {"a":1}`,
		`{"messages":[1]}`:     `conversation.messages[0]: want {role, content, name}, not 1`,
		`{"before":[{"role":"human","content":""}]}`: `conversation.before[0]: role "human" is not one of user, assistant and system`,
		`{"question":" "}`:                           `user: there is nothing to ask the model: give it user or messages`,
	} {
		_, err := call(t, &fake{}, generate.Options{}, &function.Recorder{}, `{"conversation":`+given+`}`)
		if err == nil || err.Error() != want || function.KindOf(err) != function.KindBadInput {
			t.Errorf("%s: got %v, want %s", given, err, want)
		}
	}
	problems := generate.SpecialCheck(generate.Options{}, json.RawMessage(`{"conversation":{"role":"system"}}`))
	if len(problems) != 1 || problems[0].Code != "conversation" {
		t.Errorf("problems %v", problems)
	}
	if problems := generate.SpecialCheck(generate.Options{}, json.RawMessage(`{"conversation":{"past":"@{SESSION_ID}.past"}}`)); len(problems) != 0 {
		t.Errorf("problems %v of what only the session knows", problems)
	}
}
