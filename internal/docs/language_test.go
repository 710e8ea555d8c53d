package docs_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// blocks are the texts of a page's code blocks of one kind.
func blocks(page, kind string) []string {
	var all []string
	for _, part := range strings.Split(page, "```"+kind+"\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		all = append(all, text)
	}
	return all
}

// TestLanguagePage evaluates each example of the page about references and conditions.
func TestLanguagePage(t *testing.T) {
	text, err := os.ReadFile("references-and-conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	state, err := engine.ParseState("s-1", []byte(blocks(page, "json file=state.json")[0]))
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for kind, play := range map[string]func(t *testing.T, example, want string){
		"reference": func(t *testing.T, example, want string) {
			got, err := engine.EvalReference(state, engine.ReferenceQuery{Text: example})
			if err != nil {
				t.Fatal(err)
			}
			if want == "missing" && got.Resolved || want != "missing" && (!json.Valid([]byte(want)) || string(got.Value) != want) {
				t.Errorf("gives %s, the page says %s", got.Value, want)
			}
		},
		"condition": func(t *testing.T, example, want string) {
			verdict, reason, _ := strings.Cut(want, ": ")
			got := engine.EvalCondition(state, engine.ConditionQuery{Condition: example})
			if got.Result != (verdict == "open") || !strings.Contains(got.Error, reason) || reason == "" && got.Error != "" {
				t.Errorf("open %t, error %q, the page says %s", got.Result, got.Error, want)
			}
		},
	} {
		for _, block := range blocks(page, kind) {
			for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
				example, want, found := strings.Cut(line, "→")
				if !found {
					t.Fatalf("no result in %q", line)
				}
				played++
				t.Run(strings.TrimSpace(example), func(t *testing.T) { play(t, strings.TrimSpace(example), strings.TrimSpace(want)) })
			}
		}
	}
	if played < 25 {
		t.Errorf("%d examples were found", played)
	}
}
