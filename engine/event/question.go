package event

import (
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Questions returns the open questions as they were shown, longest waiting first.
func Questions(s *state.State) []Question {
	list := s.Waiting()
	out := make([]Question, 0, len(list))
	for _, w := range list {
		q := s.Ask(w.Step)
		one := Question{Step: w.Step, Visit: w.Visit, Ask: w.Ask, Kind: w.Kind, Prompt: q.Prompt,
			Options: q.Options, Schema: q.Schema, Feedback: q.Feedback, Since: state.Time(w.Since)}
		if q.Kind == function.AskApproval {
			one.Function, one.Name, one.Input = q.Function, q.Name, jsontext.Cut(q.Input)
		}
		if q.Due > 0 {
			due := state.Time(q.Due)
			one.Due = &due
		}
		out = append(out, one)
	}
	return out
}

// A Question is one open question of a session.
type Question struct {
	Step     string            `json:"step"`
	Visit    int               `json:"visit"`
	Ask      int               `json:"ask"`
	Kind     string            `json:"kind"`
	Prompt   string            `json:"prompt"`
	Options  []function.Option `json:"options,omitempty"`
	Schema   json.RawMessage   `json:"schema,omitempty"`
	Feedback bool              `json:"feedback,omitempty"` // a confirm takes {answer, feedback} too
	Since    time.Time         `json:"since"`
	Due      *time.Time        `json:"due,omitempty"`
	Answered bool              `json:"answered,omitempty"` // an answer is accepted and not applied yet
	Gone     bool              `json:"gone,omitempty"`     // its STEP is no longer there
	Session  string            `json:"session,omitempty"`  // set where questions of several sessions are listed
	Workflow string            `json:"workflow,omitempty"` // of Session, set where that is
	// Who waits, where a question has no prompt of its own: the labels the session was started
	// with and the newest line of its chat; set where Session is.
	Labels map[string]string `json:"labels,omitempty"`
	Last   string            `json:"last,omitempty"`
	// An approval shows what it approves: the step's function, its name and the resolved
	// input, above 16 KB {cut, bytes, hash, head}. An answer {approved: true, input} runs the
	// step with that input instead.
	Function string          `json:"function,omitempty"`
	Name     string          `json:"name,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
}
