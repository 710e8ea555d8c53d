package seeds_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/models/script"
	"github.com/stepgraph/stepgraph/seeds"
)

// unrecorded is what the script says where none of its lines fits.
const unrecorded = "assistant: I only play recorded lines, and none of them fits that. Start with a real model to ask freely: stepgraph dev --model openai"

// TestPlayedWithTheScript plays each workflow with the script, as somebody does who has no
// key for a model, and looks at what was said last.
func TestPlayedWithTheScript(t *testing.T) {
	for name, c := range map[string]struct {
		workflow string // the name of the case by default
		answers  []enginetest.Answer
		status   string
		chat     []string // in this order, among others
		ran      []string // steps
	}{
		"loop": {answers: []enginetest.Answer{enginetest.Say("1200")}, status: engine.StatusComplete,
			chat: []string{"assistant: After 10 years you have 12180."}},
		"iterate": {answers: []enginetest.Answer{enginetest.Say("print"), enginetest.Say("drop"), enginetest.Say("print")}, status: engine.StatusComplete,
			chat: []string{"assistant: All seen.\nBridge reopens: print\nCat elected mayor: drop\nRain expected: print"}},
		"agent": {answers: []enginetest.Answer{enginetest.Say("How many lamps are there?"), enginetest.Say("Order 20 lamps"), enginetest.SayTo("order", true)},
			status: engine.StatusAwaitingInput, ran: []string{"stock", "order"},
			chat: []string{"assistant: There are 14 lamps on the shelves.", "assistant: Twenty lamps are on their way."}},
		"callcentre": {answers: []enginetest.Answer{enginetest.Say("Is a double room free tonight?"), enginetest.Say("What does the spa cost?")},
			status: engine.StatusAwaitingInput, ran: []string{"rooms", "free", "spa", "prices"},
			chat: []string{"assistant: Yes, room 12 is free tonight, for 140 euros.", "assistant: The entrance is 25 euros, a massage 60."}},
		"agent, other orders": {workflow: "agent", answers: []enginetest.Answer{enginetest.Say("Order 20 lamps"), enginetest.SayTo("order", false),
			enginetest.Say("what about bolts?"), enginetest.Say("How many chairs are there?"), enginetest.Say("How many lamps are there?")},
			status: engine.StatusAwaitingInput, ran: []string{"stock"},
			chat: []string{"assistant: Then I order nothing. The shelves stay as they are.", unrecorded,
				"assistant: There is no chair on the shelves.", "assistant: There are 14 lamps on the shelves."}},
		"agent, asked twice what it does not know": {workflow: "agent", answers: []enginetest.Answer{enginetest.Say("what about bolts?"), enginetest.Say("and nails?"),
			enginetest.Say("How many lamps are there?"), enginetest.Say("and screws?")}, status: engine.StatusAwaitingInput, ran: []string{"stock"},
			chat: []string{unrecorded, "assistant: None of my lines fits that either.", "assistant: There are 14 lamps on the shelves.", "assistant: None of my lines fits that either."}},
		"callcentre, asked twice what it does not know": {workflow: "callcentre", answers: []enginetest.Answer{enginetest.Say("Where is the station?"), enginetest.Say("And the airport?")},
			status: engine.StatusAwaitingInput, chat: []string{unrecorded, "assistant: None of my lines fits that either."}},
		"conversation, asked twice": {workflow: "conversation", answers: []enginetest.Answer{enginetest.Say("Who are you, really?"), enginetest.Say("And who made you, then, in the end?")},
			status: engine.StatusAwaitingInput, chat: []string{"assistant: That is a good question, and a recorded voice should not pretend to know. Start me with a real model and ask again.", "assistant: I have no line for that one either."}},
		"callcentre, the other way round": {workflow: "callcentre", answers: []enginetest.Answer{enginetest.Say("What does the spa cost?"),
			enginetest.Say("I want to book a room"), enginetest.Say("Where is the station?")},
			status: engine.StatusAwaitingInput, ran: []string{"spa", "prices", "rooms", "free"},
			chat: []string{"assistant: The entrance is 25 euros, a massage 60.", "assistant: Yes, room 12 is free tonight, for 140 euros.", unrecorded}},
		"approval": {answers: []enginetest.Answer{enginetest.Say("We move."), enginetest.SayTo("publish", true)}, status: engine.StatusComplete,
			chat: []string{"assistant: It is published."}},
		"approval, rejected": {workflow: "approval", answers: []enginetest.Answer{enginetest.Say("We move."), enginetest.SayTo("publish", false)},
			status: engine.StatusComplete, ran: []string{"withdrawn"}},
		"parallel": {answers: []enginetest.Answer{enginetest.Say("a garden on the roof")}, status: engine.StatusComplete, ran: []string{"verdict"}},
	} {
		t.Run(name, func(t *testing.T) {
			result := enginetest.Play(t, enginetest.Game{Workflow: workflow(t, cmp.Or(c.workflow, name)), Registry: registry(t), Answers: c.answers})
			result.WantStatus(c.status)
			at := 0
			for _, m := range result.Session.Messages {
				if at < len(c.chat) && m.Role+": "+m.Content == c.chat[at] {
					at++
				}
			}
			if at < len(c.chat) {
				t.Errorf("nobody said %q in %+v", c.chat[at], result.Session.Messages)
			}
			for _, step := range c.ran {
				if !slices.ContainsFunc(result.Executions, func(x engine.Execution) bool {
					return x.Step == step && x.Status == engine.StatusComplete && !strings.Contains(string(x.Output), `"error":"`)
				}) {
					t.Errorf("step %s has not run", step)
				}
			}
		})
	}
}

func workflow(t *testing.T, name string) *engine.Workflow {
	t.Helper()
	src, err := seeds.Workflow(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cypherfile.Parse(name+".cypher", src)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Workflows[0]
	w.ID = name
	return &w
}

func registry(t *testing.T) *engine.Registry {
	t.Helper()
	file, err := script.Parse(seeds.Script())
	if err != nil {
		t.Fatal(err)
	}
	r := engine.NewRegistry()
	options := functions.Options{Models: enginetest.OneModel(script.New(file))}
	functions.Standard(r, options)
	compat.Functions(r, options)
	return r
}
