package callcentre_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/tidwall/gjson"
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

// Instructions of an integration stand in its input and in the description of the tool that uses
// it. Where only one of them was edited, the edit is not undone: the other is reported.
func TestNoEditIsUndone(t *testing.T) {
	graph := strings.Replace(hotel, `"integrationType": "mock",`, `"integrationType": "mock", "aiInstructions": "The hotel's rooms",`, 1)
	w := load(t, graph)
	w.Step("i").Input = strings.Replace(w.Step("i").Input, "The hotel's rooms", "All rooms", 1)
	text, problems, err := callcentre.Export(w)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, "description was changed") || !strings.Contains(string(text), `"aiInstructions": "All rooms"`) {
		t.Errorf("%v %v\n%s", err, problems, text)
	}
}

// A department that was added in the graph is written with the intent and the handle that its edge
// leaves the router by.
func TestAddedDepartments(t *testing.T) {
	w := parse(t, filepath.Join(fixtures.Folder(t, "callcentre"), "01-hotel-mock.graph.json"), func(text string) string { return text })
	router := ""
	for i := range w.Steps {
		if s := &w.Steps[i]; strings.Contains(s.Config, `"routerNode"`) {
			router = s.ID
		}
	}
	w.Steps = append(w.Steps, engine.Step{ID: "spa", Name: "Spa", Function: "agent", Input: `{"system": "You know the spa."}`},
		engine.Step{ID: "look", Name: "look up", Function: "integration", Input: `{}`}, engine.Step{ID: "data", Function: "integration", Input: `{"type": "mock", "mock_output": "{\"a\": 1}"}`})
	w.Paths = append(w.Paths, engine.Path{ID: "x", Kind: engine.Tool, Source: router, Target: "spa", Description: "Ask about the spa."},
		engine.Path{ID: "y", Kind: engine.Tool, Source: "spa", Target: "look"}, engine.Path{ID: "z", Kind: engine.Tool, Source: "look", Target: "data"})
	w.Normalize()
	text, problems, err := callcentre.Export(w)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", err, problems)
	}
	for path, want := range map[string]string{
		`nodes.#(type=="routerNode").data.intents.#(=="Spa")`: "Spa", `edges.#(target=="spa").sourceHandle`: "intent-Spa", `edges.#(target=="look").sourceHandle`: "tool-look up",
		`nodes.#(id=="spa").data.tools.0`: "look up", `nodes.#(id=="spa").data.description`: "Ask about the spa.", `nodes.#(id=="data").data.mockOutput`: `{"a": 1}`} {
		if got := gjson.GetBytes(text, path).String(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	again, err := callcentre.Parse("again.json", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range again.Notes {
		if p.Code == "handle" && p.Step == "spa" {
			t.Errorf("warned of %+v", p)
		}
	}
}
