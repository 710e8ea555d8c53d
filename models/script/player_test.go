package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/script"
)

func player(t *testing.T, text string) *script.Player {
	t.Helper()
	file, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return script.New(file)
}

// ask returns the text of the answer, or "error: " and the error.
func ask(m models.Model, step, key, message string) string {
	resp, err := m.Generate(context.Background(), models.Request{
		Step: step, Key: key, Messages: []models.Message{{Role: models.RoleUser, Content: message}},
	})
	if err != nil {
		return "error: " + err.Error()
	}
	return resp.Text
}

// play uses up every reply of a file once, without waiting for delays.
func play(t *testing.T, file script.File) {
	steps := []string{""}
	for step, replies := range file.Steps {
		for i := range replies {
			replies[i].Delay = 0
			steps = append(steps, step)
		}
	}
	for i := range file.Any {
		file.Any[i].Delay = 0
	}
	for i := range file.Match {
		file.Match[i].Reply.Delay = 0
	}
	p := script.New(file)
	for _, step := range steps {
		resp, err := p.Generate(t.Context(), models.Request{Step: step})
		if err == nil && resp.Object != nil && !json.Valid(resp.Object) {
			t.Fatalf("step %q: object %q is not valid JSON", step, resp.Object)
		}
	}
}

func TestOrderOfReplies(t *testing.T) {
	p := player(t, `{"steps": {"a": ["a1", "a2"], "b": ["b1"]},
		"match": [{"pattern": "price", "reply": "ten"}, {"pattern": "pri", "reply": "never"}],
		"any": ["any1", "any2"], "otherwise": "echo"}`)
	for i, c := range []struct{ step, message, want string }{
		{"a", "the price?", "a1"},       // the step's own reply comes before a match
		{"b", "hi", "b1"},               // each step counts for itself
		{"a", "hi", "a2"},               //
		{"a", "the price?", "ten"},      // the first match that fits
		{"b", "the price again", "ten"}, // which is never used up
		{"c", "hi", "any1"},
		{"", "hi", "any2"},
		{"a", "hi <you>", "echo: hi <you>"},
		{"a", "price", "ten"},
	} {
		if got := ask(p, c.step, "", c.message); got != c.want {
			t.Errorf("call %d, step %q, %q: got %q, want %q", i, c.step, c.message, got, c.want)
		}
	}
}

func TestMatchLooksAtTheLastUserMessage(t *testing.T) {
	p := player(t, `{"match": [{"pattern": "^second$", "reply": "yes"}]}`)
	resp, err := p.Generate(t.Context(), models.Request{Messages: []models.Message{
		{Role: models.RoleUser, Content: "first"}, {Role: models.RoleUser, Content: "second"},
		{Role: models.RoleAssistant, Content: "third"}, {Role: models.RoleTool, Content: "fourth"},
	}})
	if err != nil || resp.Text != "yes" {
		t.Errorf("got %q, %v", resp.Text, err)
	}
}

func TestScriptThatHasRunOutSaysSo(t *testing.T) {
	p := player(t, `{"steps": {"a": ["a1"], "b": []}}`)
	ask(p, "a", "", "x")
	for step, want := range map[string]string{
		"a": `the model script has run out: step "a" has used its 1 replies`,
		"c": `it has no replies for step "c", only for "a", "b"`,
	} {
		_, err := p.Generate(t.Context(), models.Request{Step: step})
		var failed *models.Error
		if !errors.As(err, &failed) || failed.Kind != models.KindScriptExhausted || failed.Transient() {
			t.Errorf("step %s: %v", step, err)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("step %s:\n got %v\nwant %s", step, err, want)
		}
	}
}

func TestSameKeyGetsTheSameReply(t *testing.T) {
	p := player(t, `{"steps": {"a": ["a1", "a2"]}, "any": ["any1", "any2"]}`)
	for i, c := range []struct{ step, key, want string }{
		{"a", "s/a/1/0", "a1"}, {"a", "s/a/1/0", "a1"}, {"a", "s/a/2/0", "a2"}, {"a", "s/a/1/0", "a1"},
		{"b", "s/b/1/0", "any1"}, {"b", "s/b/1/0", "any1"}, {"b", "", "any2"},
	} {
		if got := ask(p, c.step, c.key, ""); got != c.want {
			t.Errorf("call %d %+v: got %q", i, c, got)
		}
	}
}

// The retry of a failed attempt has the key of that attempt and must get on.
func TestRetryAfterScriptedErrorGetsTheNextReply(t *testing.T) {
	p := player(t, `{"steps": {"a": [{"error": "overloaded", "transient": true}, {"error": "no such thing"}, "fine"]}}`)
	for i, transient := range []bool{true, false} {
		_, err := p.Generate(t.Context(), models.Request{Step: "a", Key: "k"})
		var failed *models.Error
		if !errors.As(err, &failed) || failed.Kind != models.KindScripted || failed.Transient() != transient {
			t.Fatalf("attempt %d: %v", i, err)
		}
	}
	for range 2 {
		if got := ask(p, "a", "k", ""); got != "fine" {
			t.Errorf("got %q, want fine", got)
		}
	}
}

// A match is never used up, so one that calls tools steps aside for their results.
func TestMatchesPlayAnAgent(t *testing.T) {
	p := player(t, `{"match": [{"pattern": "weather", "reply": {"tool_calls": [{"name": "look"}]}}, {"pattern": "weather", "reply": "It rains."}]}`)
	question := []models.Message{{Role: models.RoleUser, Content: "the weather?"}}
	answered := append(question, models.Message{Role: models.RoleAssistant, ToolCalls: []models.ToolCall{{ID: "1", Name: "look"}}}, models.Message{Role: models.RoleTool, ToolCallID: "1", Content: "rain"})
	for i, c := range []struct {
		messages []models.Message
		calls    int
		text     string
	}{{question, 1, ""}, {answered, 0, "It rains."}, {question, 1, ""}, {append(answered, question...), 1, ""}} {
		resp, err := p.Generate(t.Context(), models.Request{Step: "a", Messages: c.messages})
		if err != nil || len(resp.ToolCalls) != c.calls || resp.Text != c.text {
			t.Errorf("call %d: got %+v, %v", i, resp, err)
		}
	}
}

func TestObjectsAndSchemas(t *testing.T) {
	p := player(t, `{"any": [{"a": 1}, "{\"b\": 2}", "no json"]}`)
	schema := json.RawMessage(`{"type": "object"}`)
	for _, c := range []struct{ text, object string }{
		{`{"a":1}`, `{"a":1}`}, {`{"b": 2}`, `{"b":2}`}, {`no json`, ``},
	} {
		resp, err := p.Generate(t.Context(), models.Request{Schema: schema, Model: "gpt-4o"})
		if err != nil || resp.Text != c.text || string(resp.Object) != c.object {
			t.Errorf("got text %s, object %s, %v; want %+v", resp.Text, resp.Object, err, c)
		}
		if resp.Model != "gpt-4o" || resp.FinishReason != models.FinishStop || !resp.Usage.Estimated || resp.Usage.OutputTokens == 0 {
			t.Errorf("response %+v", resp)
		}
	}
}

func TestToolCallsHaveStableIDs(t *testing.T) {
	p := player(t, `{"match": [{"pattern": "", "reply": {"tool_calls": [{"name": "look", "arguments": {"id": 7}}, {"name": "now"}]}}]}`)
	ids := func(key string) []string {
		resp, err := p.Generate(t.Context(), models.Request{Key: key})
		if err != nil || resp.FinishReason != models.FinishToolCalls || len(resp.ToolCalls) != 2 {
			t.Fatalf("got %+v, %v", resp, err)
		}
		if c := resp.ToolCalls[0]; c.Name != "look" || string(c.Arguments) != `{"id":7}` {
			t.Errorf("call %+v", c)
		}
		return []string{resp.ToolCalls[0].ID, resp.ToolCalls[1].ID}
	}
	first, again, other, free, free2 := ids("k"), ids("k"), ids("k2"), ids(""), ids("")
	if fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("the same key gave %v and %v", first, again)
	}
	seen := map[string]bool{}
	for _, id := range append(append(append(first, other...), free...), free2...) {
		if seen[id] {
			t.Errorf("id %s stands for two calls", id)
		}
		seen[id] = true
	}
}

func TestStreamIsTheTextInAFewFragments(t *testing.T) {
	long := strings.Repeat("word  and\nline ", 40)
	for _, text := range []string{"", "one", "two words", " é  ü ", long} {
		quoted, _ := json.Marshal(text)
		p := player(t, `{"any": [`+string(quoted)+`]}`)
		var parts []string
		resp, err := p.Generate(t.Context(), models.Request{Token: func(s string) { parts = append(parts, s) }})
		if err != nil || strings.Join(parts, "") != text || resp.Text != text {
			t.Errorf("%q: streamed %q, answered %q, %v", text, parts, resp.Text, err)
		}
		if len(parts) > 8 || text == long && len(parts) < 2 {
			t.Errorf("%.20q: %d fragments", text, len(parts))
		}
	}
}

func TestDelayIsSpreadOverTheFragments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := player(t, `{"any": [{"reply": "one two three four", "delay_ms": 400}, {"reply": {"error": "late"}, "delay_ms": 300}]}`)
		start := time.Now()
		var at []time.Duration
		if _, err := p.Generate(t.Context(), models.Request{Token: func(string) { at = append(at, time.Since(start)) }}); err != nil {
			t.Fatal(err)
		}
		if want := "[100ms 200ms 300ms 400ms]"; fmt.Sprint(at) != want {
			t.Errorf("fragments at %v, want %s", at, want)
		}
		start = time.Now()
		if _, err := p.Generate(t.Context(), models.Request{}); err == nil || time.Since(start) != 300*time.Millisecond {
			t.Errorf("error %v after %s, want one after 300ms", err, time.Since(start))
		}
	})
}

func TestCancelledCallKeepsItsReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := player(t, `{"any": [{"reply": "slow answer", "delay_ms": 1000}]}`)
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		var heard string
		_, err := p.Generate(ctx, models.Request{Key: "k", Token: func(s string) { heard += s }})
		var failed *models.Error
		if !errors.As(err, &failed) || failed.Kind != models.KindTimeout || !failed.Transient() || heard != "slow " {
			t.Errorf("heard %q, %v", heard, err)
		}
		gone, stop := context.WithCancel(t.Context())
		stop()
		_, err = p.Generate(gone, models.Request{Key: "k"})
		if !errors.Is(err, context.Canceled) || !errors.As(err, &failed) || failed.Kind != models.KindCancelled || failed.Transient() {
			t.Errorf("cancelled: %v", err)
		}
		if got := ask(p, "", "k", ""); got != "slow answer" {
			t.Errorf("the repeated call got %q", got)
		}
	})
}

func TestConcurrentCallsUseEachReplyOnce(t *testing.T) {
	const n = 200
	var replies []string
	for i := range n {
		replies = append(replies, fmt.Sprint(i))
	}
	text, _ := json.Marshal(map[string]any{"steps": map[string]any{"a": replies}})
	p := player(t, string(text))
	got := make([]string, 2*n)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() { got[i] = ask(p, "a", fmt.Sprint("key", i/2), "") }) // each key twice
	}
	group.Wait()
	seen := map[string]bool{}
	for i := 0; i < 2*n; i += 2 {
		if got[i] != got[i+1] {
			t.Errorf("key %d got %q and %q", i/2, got[i], got[i+1])
		}
		if seen[got[i]] || strings.HasPrefix(got[i], "error") {
			t.Errorf("key %d got %q", i/2, got[i])
		}
		seen[got[i]] = true
	}
}

func TestProvider(t *testing.T) {
	m, err := script.Provider("").Open()
	if err != nil || ask(m, "a", "", "hi") != "echo: hi" {
		t.Errorf("without a file: %v", err)
	}
	if _, err := script.Provider("no/such/file.json").Open(); err == nil {
		t.Error("an absent file opens")
	}
}

func ExampleNew() {
	file, err := script.Parse([]byte(`{"steps": {"greet": ["Hello!"]}, "otherwise": "echo"}`))
	if err != nil {
		panic(err)
	}
	m := script.New(file)
	for range 2 {
		resp, _ := m.Generate(context.Background(), models.Request{
			Step: "greet", Messages: []models.Message{{Role: models.RoleUser, Content: "Hi"}},
		})
		fmt.Println(resp.Text)
	}
	// Output:
	// Hello!
	// echo: Hi
}

// TestSaid: a match may want that the model has said something before.
func TestSaid(t *testing.T) {
	p := player(t, `{"match": [{"pattern": "why", "said": "^Because", "reply": "I told you."}, {"pattern": "why", "reply": "Because."}]}`)
	talk := func(said ...string) string {
		var messages []models.Message
		for _, text := range said {
			messages = append(messages, models.Message{Role: models.RoleUser, Content: "why"}, models.Message{Role: models.RoleAssistant, Content: text})
		}
		got, err := p.Generate(t.Context(), models.Request{Messages: append(messages, models.Message{Role: models.RoleUser, Content: "why"})})
		if err != nil {
			t.Fatal(err)
		}
		return got.Text
	}
	if first, second, other := talk(), talk("Because."), talk("No idea."); first != "Because." || second != "I told you." || other != "Because." {
		t.Errorf("said %q, %q, %q", first, second, other)
	}
}

// TestPatternsOfAScriptAreBounded: the person who chats does not make the patterns of a script
// run for minutes, whichever of them it is.
func TestPatternsOfAScriptAreBounded(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	for name, text := range map[string]string{
		"one large":  `{"match":[{"pattern":"a{0,1000}a{0,1000}b$","reply":"x"}],"otherwise":"echo"}`,
		"many":       `{"match":[` + strings.Repeat(`{"pattern":"(a|b|ab|c){0,30}d$","reply":"x"},`, 100) + `{"pattern":"e$","reply":"x"}],"otherwise":"echo"}`,
		"of results": `{"match":[{"pattern":"a","said":"a{0,1000}a{0,1000}b$","reply":"x"}],"otherwise":"echo"}`,
	} {
		began := time.Now()
		_, err := player(t, text).Generate(context.Background(), models.Request{Messages: []models.Message{
			{Role: models.RoleAssistant, Content: long}, {Role: models.RoleUser, Content: long}}})
		if err == nil || !strings.Contains(err.Error(), "take too long") {
			t.Errorf("%s: after %s: %v", name, time.Since(began), err)
		}
	}
	if got := ask(player(t, `{"match":[{"pattern":"(?i)(refund|money back)","reply":"x"}],"otherwise":"echo"}`), "", "", long+" Refund"); got != "x" {
		t.Errorf("an ordinary pattern on a long message: %.100s", got)
	}
}
