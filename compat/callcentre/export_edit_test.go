package callcentre_test

import (
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/callcentre"
)

// What people tune while calls run goes into the field of the node that it came from.
func TestEditsAreWrittenBack(t *testing.T) {
	graph := strings.NewReplacer(`"agentName": "Desk",`, `"agentName": "Desk", "systemPrompt": "You are Concierge.", "communicationTimeout": 9000,`,
		`"agentName": "Rooms"`, `"agentName": "Rooms", "description": "Knows all rooms", "systemPrompt": "You know rooms."`).Replace(hotel)
	for name, c := range map[string]struct{ old, now, want string }{
		"the router's prompt":       {"You are Concierge.", "You are Marvin.", `"systemPrompt": "You are Marvin."`},
		"the router's prompt, more": {"You are Concierge.", "You are Concierge. Be brief.", `"systemPrompt": "You are Concierge. Be brief."`},
		"a department's prompt":     {"You know rooms.", "You know the rooms.", `"systemPrompt": "You know the rooms."`},
		"a description":             {"Knows all rooms", "Knows each room", `"description": "Knows each room"`},
		"the greeting":              {"Good evening.", "Good day.", `"firstSentence": "Good day."`},
		"a banned phrase":           {`"refund"`, `"refunds"`, `"refunds"`},
		"mock data":                 {`\"room\": 12`, `\"room\": 14`, `{\"room\": 14}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, found := load(t, graph), 0
			for i := range w.Steps {
				found += strings.Count(w.Steps[i].Input, c.old)
				w.Steps[i].Input = strings.ReplaceAll(w.Steps[i].Input, c.old, c.now)
			}
			for i := range w.Paths {
				found += strings.Count(w.Paths[i].Description, c.old)
				w.Paths[i].Description = strings.ReplaceAll(w.Paths[i].Description, c.old, c.now)
			}
			text, problems, err := callcentre.Export(w)
			if found == 0 || err != nil || len(problems) > 0 || !strings.Contains(string(text), c.want) {
				t.Errorf("%d places, %v %v\n%s", found, err, problems, text)
			}
		})
	}
}

// What the format cannot say is one sentence, without the texts in full.
func TestWhatCannotBeWrittenBackIsOneSentence(t *testing.T) {
	w := load(t, hotel)
	w.Step("r").Input = strings.Replace(w.Step("r").Input, "You are", "Thou art", 1) // the voice rules, which are no field
	_, problems, err := callcentre.Export(w)
	if err != nil || len(problems) != 1 || strings.Contains(problems[0].Message, "map[") || len(problems[0].Message) > 300 ||
		!strings.HasPrefix(problems[0].Message, `step "r": its input.system was changed from `) {
		t.Errorf("%v %v", err, problems)
	}
}
