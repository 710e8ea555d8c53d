package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/tidwall/gjson"
)

// NewAt prepares a session that begins at the given steps.
func NewAt(id, workflow string, starts []string, inputs json.RawMessage, parent *state.Parent) *Young {
	y := &Young{NewSession: store.NewSession{ID: id, Workflow: workflow, Status: store.StatusActive, Root: id},
		Begun: state.New(id), Counted: state.NewCounters()}
	s := y.Begun
	for _, start := range starts {
		y.Counted.NoteVisit(start, 1)
		s.SetStatus(start, store.StatusActive, "")
		s.MakeLive(start).Visit = 1
	}
	if len(starts) == 1 && starts[0] != graph.DefaultEntry {
		s.BeginsAt(starts[0])
	}
	s.BecomeChild(parent)
	if len(inputs) > 0 && string(inputs) != "null" {
		s.AddOutput("initial", inputs, graph.KeptOutputs)
		gjson.ParseBytes(inputs).ForEach(func(k, v gjson.Result) bool {
			if k.String() != "initial" {
				s.AddOutput(k.String(), json.RawMessage(v.Raw), graph.KeptOutputs)
			}
			return true
		})
	}
	return y
}

// A Young is a session before its first step.
type Young struct {
	store.NewSession
	Begun   *state.State
	Counted *state.Counters
	newborn bool // State and Counters list the first calls, see Newborn
}

// Fresh returns the session in the form in which a store creates it.
func (y *Young) Fresh() store.NewSession {
	if !y.newborn {
		y.State, y.Counters = y.Begun.AppendJSON(nil), y.Counted.AppendJSON()
	}
	return y.NewSession
}

// alias stores a value under an additional name.
func (y *Young) alias(name string, value json.RawMessage) error {
	if len(value) == 0 {
		return nil
	}
	if !json.Valid(value) {
		return fmt.Errorf("value of %q is not valid JSON", name)
	}
	y.Begun.AddOutput(name, value, graph.KeptOutputs)
	return nil
}
