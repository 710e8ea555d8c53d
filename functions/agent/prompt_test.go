package agent_test

import (
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/models"
)

// TestHear: the first words of a session stand in its chat, those of an answer do already.
func TestHear(t *testing.T) {
	for name, c := range map[string]struct {
		chat  []function.Message
		input string
		want  []string
	}{
		"first words":  {nil, `{"prompt":"Hello","hear":true}`, []string{"Hello"}},
		"an answer":    {[]function.Message{{Role: "user", Content: "Hello"}}, `{"prompt":"Hello","hear":true}`, nil},
		"said again":   {[]function.Message{{Role: "user", Content: "Hello"}, {Role: "assistant", Content: "Hello"}}, `{"prompt":"Hello","hear":true}`, []string{"Hello"}},
		"not asked to": {nil, `{"prompt":"Hello"}`, nil},
	} {
		heard := &function.Recorder{Chat: c.chat}
		p := &played{replies: []models.Response{{Text: "Good day"}}}
		if _, err := round(t, p, heard, &function.Call{}, c.input); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(heard.Heard, c.want) {
			t.Errorf("%s: %q was put into the chat, want %q", name, heard.Heard, c.want)
		}
	}
}
