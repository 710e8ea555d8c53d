package generate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

func TestHistory(t *testing.T) {
	chat := []function.Message{{Role: "assistant", Content: "How can I help?"}, {Role: "user", Content: "What is a quark?"}, {Role: "assistant", Content: "A particle."}, {Role: "user", Content: "And a gluon?"}}
	tests := []struct {
		input string
		asked []int
		want  string
	}{
		{`{"user":"And a gluon?"}`, nil, "user:And a gluon?"},
		{`{"user":"And a gluon?","include_history":true}`, []int{0}, "assistant:How can I help? user:What is a quark? assistant:A particle. user:And a gluon?"},
		{`{"user":"In short: and a gluon?","include_history":true}`, []int{0}, "assistant:How can I help? user:What is a quark? assistant:A particle. user:And a gluon? user:In short: and a gluon?"},
		{`{"user":"And a gluon?","history":2}`, []int{3}, "user:What is a quark? assistant:A particle. user:And a gluon?"},
		{`{"user":"More","history":"2"}`, []int{3}, "assistant:A particle. user:And a gluon? user:More"},
		{`{"user":"More","history":"all"}`, []int{-1}, "assistant:How can I help? user:What is a quark? assistant:A particle. user:And a gluon? user:More"},
		{`{"history":"all"}`, []int{-1}, "assistant:How can I help? user:What is a quark? assistant:A particle. user:And a gluon?"},
		{`{"user":"x","history":0,"include_history":true}`, nil, "user:x"},
		{`{"system":"s","messages":[{"role":"user","content":"a"},{"role":"assistant","content":{"b":1}}],"user":"c","history":false}`, nil, `system:s user:a assistant:{"b":1} user:c`},
		{`{"messages":[{"role":"user","content":"a"}]}`, nil, "user:a"},
		{`{"user":"More","memory":"window"}`, []int{0}, "assistant:How can I help? user:What is a quark? assistant:A particle. user:And a gluon? user:More"},
		{`{"user":"More","memory":"window","history":2}`, []int{3}, "assistant:A particle. user:And a gluon? user:More"},
		{`{"user":"And a gluon?","memory":"all","include_history":false}`, []int{-1}, "assistant:How can I help? user:What is a quark? assistant:A particle. user:And a gluon?"},
		{`{"user":"x","memory":"none","history":"all"}`, nil, "user:x"},
		{`{"system":"s","messages":[{"role":"developer","content":"d"},{"role":"history"},{"role":"user","content":"a"}],"memory":"window","history":1,"user":"c"}`,
			[]int{2}, "system:s system:d user:And a gluon? user:a user:c"},
	}
	for _, test := range tests {
		f, heard := &fake{replies: texts("x")}, &function.Recorder{Chat: chat}
		if _, err := call(t, f, generate.Options{}, heard, test.input); err != nil {
			t.Errorf("%s: %v", test.input, err)
			continue
		}
		var got []string
		for _, m := range f.asked[0].Messages {
			got = append(got, m.Role+":"+m.Content)
		}
		if strings.Join(got, " ") != test.want || !slices.Equal(heard.Asked, test.asked) {
			t.Errorf("%s: messages %q, asked for %v\nwant %q, %v", test.input, strings.Join(got, " "), heard.Asked, test.want, test.asked)
		}
	}
}

// spoken is a conversation as one text.
func spoken(list []models.Message) string {
	var lines []string
	for _, m := range list {
		lines = append(lines, m.Role+":"+m.Content)
	}
	return strings.Join(lines, " | ")
}

func TestSummary(t *testing.T) {
	chat := []function.Message{{Role: "user", Content: "I am Ada."}, {Role: "assistant", Content: "Hello Ada."}, {Role: "user", Content: "Who am I?"}}
	for name, c := range map[string]struct {
		input string
		sum   string // what is summed up, "" for nothing
		asked string
	}{
		"everything":     {`{"user":"Who am I?","memory":"summary"}`, "user: I am Ada.\nassistant: Hello Ada.", "assistant:short | user:Who am I?"},
		"but the newest": {`{"user":"Who am I?","memory":"summary","memory_tokens":3}`, "user: I am Ada.", "assistant:short | assistant:Hello Ada. | user:Who am I?"},
		"all fits":       {`{"user":"Who am I?","memory":"summary","memory_tokens":100}`, "", "user:I am Ada. | assistant:Hello Ada. | user:Who am I?"},
		"of the newest":  {`{"user":"Who am I?","memory":"summary","history":1}`, "assistant: Hello Ada.", "assistant:short | user:Who am I?"},
	} {
		t.Run(name, func(t *testing.T) {
			f, heard := &fake{replies: texts("short ", "You are Ada.")}, &function.Recorder{Chat: chat}
			if c.sum == "" {
				f.replies = texts("You are Ada.")
			}
			out, err := call(t, f, generate.Options{}, heard, c.input)
			if err != nil || string(out) != `{"response":"You are Ada."}` {
				t.Fatalf("got %s, %v", out, err)
			}
			if got := spoken(f.asked[len(f.asked)-1].Messages); got != c.asked {
				t.Errorf("asked %s\nwant  %s", got, c.asked)
			}
			if c.sum == "" {
				return
			}
			if first := f.asked[0]; first.Key != "s/g/1/1/summary" || first.LastUser() != c.sum || first.Token != nil || len(heard.Usage) != 2 {
				t.Errorf("summed up %+v, usage %v", first, heard.Usage)
			}
		})
	}
}

func TestPastKeepsRoundsAlike(t *testing.T) {
	f := &fake{replies: texts("short")}
	heard := &function.Recorder{Chat: []function.Message{{Role: "user", Content: "a", ID: "s/1"}, {Role: "user", Content: "b", ID: "s/2"}}}
	ctx := function.WithSink(t.Context(), heard)
	for name, c := range map[string]struct{ input, want string }{
		"window":  {`{"user":"b","memory":"window"}`, "user:a | user:b"},
		"newest":  {`{"user":"c","history":1}`, "user:b | user:c"},
		"summary": {`{"user":"b","memory":"summary"}`, "assistant:short | user:b"},
	} {
		t.Run(name, func(t *testing.T) {
			heard.Chat = heard.Chat[:2]
			var in generate.Input
			if err := json.Unmarshal([]byte(c.input), &in); err != nil {
				t.Fatal(err)
			}
			first, err := generate.Prepare(ctx, generate.Options{Models: f}, in, nil)
			if err != nil || spoken(first.Request.Messages) != c.want || first.Summarised != (name == "summary") {
				t.Fatalf("asked %s, %v", spoken(first.Request.Messages), err)
			}
			kept, err := json.Marshal(first.Past)
			if err != nil {
				t.Fatal(err)
			}
			var past generate.Past
			if err := json.Unmarshal(kept, &past); err != nil {
				t.Fatal(err)
			}
			heard.Chat = append(heard.Chat, function.Message{Role: "assistant", Content: "meanwhile", ID: "s/3"})
			next, err := generate.Prepare(ctx, generate.Options{Models: f}, in, &past)
			if err != nil || spoken(next.Request.Messages) != c.want || next.Summarised {
				t.Errorf("asked %s, %v", spoken(next.Request.Messages), err)
			}
		})
	}
	t.Run("empty", func(t *testing.T) {
		heard.Chat = nil
		in := generate.Input{PromptInput: generate.PromptInput{User: "x"}, ConversationInput: generate.ConversationInput{Memory: "all"}}
		first, err := generate.Prepare(ctx, generate.Options{Models: f}, in, nil)
		if err != nil || !first.Past.Empty {
			t.Fatalf("%+v, %v", first, err)
		}
		heard.Chat = []function.Message{{Role: "assistant", Content: "meanwhile", ID: "s/1"}}
		if next, err := generate.Prepare(ctx, generate.Options{Models: f}, in, first.Past); err != nil || spoken(next.Request.Messages) != "user:x" {
			t.Errorf("%v, %v", next, err)
		}
	})
}

func TestReasoning(t *testing.T) {
	for text, want := range map[string]models.Request{
		`"low"`: {ReasoningEffort: "low"}, `{"effort":"high","max_tokens":2000}`: {ReasoningEffort: "high", ReasoningTokens: 2000}, `{"budget_tokens":"1024"}`: {ReasoningTokens: 1024},
	} {
		f := &fake{replies: []models.Response{{Text: "x", Reasoning: "hm"}}}
		out, err := call(t, f, generate.Options{}, &function.Recorder{}, `{"user":"u","reasoning":`+text+`}`)
		if err != nil || string(out) != `{"response":"x","reasoning":"hm"}` {
			t.Fatalf("got %s, %v", out, err)
		}
		if got := f.asked[0]; got.ReasoningEffort != want.ReasoningEffort || got.ReasoningTokens != want.ReasoningTokens {
			t.Errorf("%s: asked %+v", text, got)
		}
	}
}

func TestMessagesCarryNamesAndImages(t *testing.T) {
	f := &fake{replies: texts("x")}
	if _, err := call(t, f, generate.Options{}, &function.Recorder{}, `{"messages":[{"role":"user","name":"ada","content":"look","images":"https://a/b.png"}]}`); err != nil {
		t.Fatal(err)
	}
	if m := f.asked[0].Messages[0]; m.Name != "ada" || len(m.Images) != 1 || m.Images[0].URL != "https://a/b.png" {
		t.Errorf("asked %+v", m)
	}
}

func TestSummaryIsWrittenAsFreelyAsTheAnswer(t *testing.T) {
	chat := []function.Message{{Role: "user", Content: "I am Ada."}, {Role: "assistant", Content: "Hello Ada."}}
	f := &fake{replies: texts("short", "You are Ada.")}
	if _, err := call(t, f, generate.Options{}, &function.Recorder{Chat: chat}, `{"user":"Who am I?","memory":"summary","temperature":0.2,"max_tokens":5,"stop":"END"}`); err != nil {
		t.Fatal(err)
	}
	if q := f.asked[0]; q.Temperature == nil || *q.Temperature != 0.2 || q.MaxTokens != 0 || q.Stop != nil {
		t.Errorf("summed up by %+v", q)
	}
}
