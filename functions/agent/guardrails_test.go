package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/agent"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

// streamed is a model that gives its answer in fragments.
type streamed struct{ fragments []string }

func (s streamed) Model(string) (models.Model, string, error) {
	return models.Func(func(_ context.Context, q models.Request) (models.Response, error) {
		for _, one := range s.fragments {
			if q.Token != nil {
				q.Token(one)
			}
		}
		return models.Response{Text: strings.Join(s.fragments, "")}, nil
	}), "m", nil
}

func (s streamed) Endpoint(models.Endpoint) (models.Model, error) { return nil, nil }

// What a person may hear comes sentence by sentence once it was judged; what a banned phrase
// stands in, or may yet stand in, never does.
func TestGuardedSpeech(t *testing.T) {
	const guarded = `"directly_set_reply": true, "guardrails": {"banned_phrases": ["Refund guaranteed", "No! Never"], "fallback": "Let me check that."}`
	for name, c := range map[string]struct {
		input            string
		fragments        []string
		spoken, internal []string
		said             string
	}{
		"free": {guarded, []string{"Your ", "room is", " ready. It has ", "a view! And", " a bath"},
			[]string{"Your room is ready. ", "It has a view! ", "And a bath"}, nil, "Your room is ready. It has a view! And a bath"},
		"banned at once": {guarded, []string{"Your ", "refund ", "GUARAN", "TEED. Bye. "}, []string{"Let me check that."}, nil, "Let me check that."},
		"banned later":   {guarded, []string{"Hello. I ", "say: refund gua", "ranteed. Bye."}, []string{"Hello. ", "Let me check that."}, nil, "Let me check that."},
		"across an end":  {guarded, []string{"Well. No! ", "Nev", "er. "}, []string{"Well. ", "Let me check that."}, nil, "Let me check that."},
		"seems banned":   {guarded, []string{"Well. No! ", "Nev", "ille is here."}, []string{"Well. ", "No! ", "Neville is here."}, nil, "Well. No! Neville is here."},
		"a number":       {guarded, []string{"It costs 3.", "50. Fine?"}, []string{"It costs 3.50. ", "Fine?"}, nil, "It costs 3.50. Fine?"},
		"other scripts":  {guarded, []string{"İyi. 你好。", "再见"}, []string{"İyi. 你好。", "再见"}, nil, "İyi. 你好。再见"},
		"unguarded":      {`"directly_set_reply": true`, []string{"a b", " c."}, []string{"a b", " c."}, nil, "a b c."},
		"not said":       {strings.Replace(guarded, "true", "false", 1), []string{"a b. ", "c"}, nil, []string{"a b. ", "c"}, ""},
		"marks":          {`"directly_set_reply": true, "marks": true`, []string{"Hm. CLAR", "IFY: what?"}, nil, []string{"Hm. CLAR", "IFY: what?"}, "CLARIFY: what?"},
	} {
		t.Run(name, func(t *testing.T) {
			heard := &function.Recorder{}
			ctx := function.WithSink(function.WithCall(t.Context(), &function.Call{Step: "a", Key: "s/a/1/1"}), heard)
			spec := agent.Extended(generate.Options{Models: streamed{c.fragments}}, "agent", "")
			if _, err := spec.Function.Call(ctx, json.RawMessage(`{"prompt": "?", `+c.input+`}`)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(heard.Spoken, c.spoken) || !slices.Equal(heard.Tokens, c.internal) || strings.Join(heard.Said, "|") != c.said {
				t.Errorf("spoken %q, internal %q, said %q", heard.Spoken, heard.Tokens, heard.Said)
			}
		})
	}
}
