package seeds

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/script"
)

func TestNames(t *testing.T) {
	want := []string{"agent", "approval", "callcentre", "conversation", "hello", "iterate", "loop", "parallel"}
	if !reflect.DeepEqual(Names(), want) {
		t.Errorf("got %v", Names())
	}
}

func TestWorkflowsAreWhole(t *testing.T) {
	for _, name := range Names() {
		src, err := Workflow(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cypherfile.Parse(name+".cypher", src)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(f.Workflows) != 1 || f.Workflows[0].ID != "" || len(f.Notes) > 0 || len(f.Workflows[0].Problems) > 0 {
			t.Errorf("%s: %+v", name, f)
			continue
		}
		w := &f.Workflows[0]
		if w.Step("root") == nil {
			t.Errorf("%s has no root", name)
		}
		for _, s := range w.Steps {
			var input map[string]any
			if s.Input != "" && json.Unmarshal([]byte(s.Input), &input) != nil {
				t.Errorf("%s: input of %s is not a JSON object: %s", name, s.ID, s.Input)
			}
			for _, rest := range strings.Split(s.Input, "@{SESSION_ID}.")[1:] {
				id, _, _ := strings.Cut(rest, ".")
				if w.Step(id) == nil {
					t.Errorf("%s: %s refers to %q, which is not a step", name, s.ID, id)
				}
			}
		}
	}
}

// The script answers whatever a person says, for ever, and ends the talk when they do.
func TestScriptFitsTheConversation(t *testing.T) {
	file, err := script.Parse(Script())
	if err != nil {
		t.Fatal(err)
	}
	player := script.New(file)
	src, err := Workflow("conversation")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cypherfile.Parse("conversation.cypher", src)
	if err != nil {
		t.Fatal(err)
	}
	var input struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal([]byte(f.Workflows[0].Step("answer").Input), &input); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says string
		more bool
	}{
		{"Hello!", true}, {"I like graphs", true}, {"A loop, I think", true}, {"Tell me about the weather?", true},
		{"Why?", true}, {"", true}, {"nothing comes to mind, bye", false}, {"No.", false}, {"no thanks", false}, {"Bye", false},
		{"Thanks, that was nice", false}, {"Notes are what I take all day long, in many colours and in many books", true},
		{strings.Repeat("a long story ", 100) + "\nwith lines", true},
	} {
		got, err := player.Generate(t.Context(), models.Request{Step: "answer", Schema: input.Schema,
			Messages: []models.Message{{Role: "user", Content: c.says}}})
		if err != nil {
			t.Errorf("%q: %v", c.says, err)
			continue
		}
		var answer struct {
			Response string `json:"response"`
			Followup string `json:"followup"`
			More     *bool  `json:"merits_followup"`
		}
		if err := json.Unmarshal([]byte(got.Text), &answer); err != nil || answer.Response == "" || answer.More == nil || (answer.Followup != "") != *answer.More {
			t.Errorf("%q: got %s %v", c.says, got.Text, err)
			continue
		}
		if *answer.More != c.more {
			t.Errorf("%q: merits_followup is %v", c.says, *answer.More)
		}
	}
}

func TestScriptFitsParallel(t *testing.T) {
	file, err := script.Parse(Script())
	if err != nil {
		t.Fatal(err)
	}
	player := script.New(file)
	src, err := Workflow("parallel")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cypherfile.Parse("parallel.cypher", src)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"pro", "contra", "question"} {
		var input struct {
			User   string          `json:"user"`
			Schema json.RawMessage `json:"schema"`
		}
		if err := json.Unmarshal([]byte(f.Workflows[0].Step(step).Input), &input); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(input.User, "@{SESSION_ID}.root.response", "no more meetings, thanks")
		got, err := player.Generate(t.Context(), models.Request{Step: step, Schema: input.Schema,
			Messages: []models.Message{{Role: "user", Content: text}}})
		if err != nil {
			t.Errorf("%s: %v", step, err)
			continue
		}
		var answer map[string]string
		if err := json.Unmarshal([]byte(got.Text), &answer); err != nil || len(answer) != 1 || answer["response"] == "" {
			t.Errorf("%s: got %s %v", step, got.Text, err)
		}
	}
}
