package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// A youngSession is a session before its first step.
type youngSession struct {
	NewSession
	state   *State
	counted *state.Counters
}

// newSessionAt makes a session that begins at the given steps.
func newSessionAt(id, workflow string, starts []string, inputs json.RawMessage, parent *state.Parent) *youngSession {
	y := &youngSession{NewSession: NewSession{ID: id, Workflow: workflow, Status: StatusActive, Root: id},
		state: state.New(id), counted: state.NewCounters()}
	s := y.state
	for _, start := range starts {
		y.counted.NoteVisit(start, 1)
		s.SetStatus(start, StatusActive, "")
		s.MakeLive(start).Visit = 1
	}
	if len(starts) == 1 && starts[0] != DefaultEntry {
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

// fresh is the session as a store creates it.
func (y *youngSession) fresh() NewSession {
	y.State, y.Counters = y.state.AppendJSON(nil), y.counted.AppendJSON()
	return y.NewSession
}

// alias gives a value a further name.
func (y *youngSession) alias(name string, value json.RawMessage) error {
	if len(value) == 0 {
		return nil
	}
	if !json.Valid(value) {
		return fmt.Errorf("value of %q is not valid JSON", name)
	}
	y.state.AddOutput(name, value, graph.KeptOutputs)
	return nil
}

// newSession is the session that a start asks for.
func newSession(id string, q *StartRequest, entry string, inputs json.RawMessage, def *Definition) NewSession {
	y := newSessionAt(id, q.Workflow, []string{entry}, inputs, nil)
	y.Labels, y.Key, y.BodyHash = q.Labels, q.Key, startHash(q, entry, inputs)
	for _, name := range sortedKeys(q.Outputs) {
		y.state.AddOutput(name, compactJSON(q.Outputs[name]), graph.KeptOutputs)
	}
	for _, step := range sortedKeys(q.Seeds) {
		y.state.Seed(step, compactJSON(q.Seeds[step]))
	}
	y.state.EndAt(q.Until)
	for _, path := range q.Taken {
		y.state.Arrive(def.Step(def.Path(path).Target), state.TakenPath{Path: path})
	}
	var chat []json.RawMessage
	for _, m := range q.Messages {
		m.N = y.counted.NextMessage()
		m.ID = fmt.Sprintf("%s/%d", id, m.N)
		if text, err := jsontext.Marshal(m); err == nil {
			chat = append(chat, text)
		}
	}
	y.state.BeginChat(chat)
	return y.fresh()
}

// checkGiven looks at what a start gives besides inputs.
func checkGiven(q *StartRequest, def *Definition, most int) error {
	size := 0
	for field, given := range map[string]map[string]json.RawMessage{"outputs": q.Outputs, "seeds": q.Seeds} {
		for name, value := range given {
			size += len(value)
			if !json.Valid(value) {
				return &DetailError{Err: ErrBadRequest, Faults: []Fault{{Pointer: "/" + field + "/" + name, Message: "is not valid JSON"}}}
			}
			if field == "seeds" && def.Step(name) == nil {
				return &DetailError{Err: ErrStepNotFound, Detail: fmt.Sprintf("seeds: %q", name), Exists: def.IDs()}
			}
		}
	}
	for i, id := range q.Taken {
		if def.Path(id) == nil || def.Path(id).Fault != "" {
			return &DetailError{Err: ErrBadRequest, Faults: []Fault{{Pointer: fmt.Sprintf("/taken/%d", i), Message: fmt.Sprintf("the workflow has no path %q that can be taken", id)}}}
		}
	}
	for _, id := range q.Until {
		if def.Step(id) == nil {
			return &DetailError{Err: ErrStepNotFound, Detail: fmt.Sprintf("until: %q", id), Exists: def.IDs()}
		}
	}
	for i, m := range q.Messages {
		size += len(m.Content)
		if m.Role != "user" && m.Role != "assistant" {
			return &DetailError{Err: ErrBadRequest, Faults: []Fault{{Pointer: fmt.Sprintf("/messages/%d/role", i), Message: "want user or assistant"}}}
		}
	}
	if size > most {
		return detail(ErrTooLarge, "outputs, seeds and messages have %d bytes, at most %d are taken", size, most)
	}
	return nil
}

// startHash tells two starts with one key apart.
func startHash(q *StartRequest, entry string, inputs json.RawMessage) string {
	h := sha256.New()
	graph.HashJSON(h, map[string]any{"workflow": q.Workflow, "entry": entry, "id": q.ID, "inputs": string(inputs), "labels": q.Labels})
	if len(q.Taken) > 0 {
		graph.HashJSON(h, q.Taken)
	}
	if len(q.Outputs) > 0 || len(q.Seeds) > 0 || len(q.Until) > 0 || len(q.Messages) > 0 {
		graph.HashJSON(h, map[string]any{"outputs": q.Outputs, "seeds": q.Seeds, "until": q.Until, "messages": q.Messages})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func checkID(id string) error {
	if len(id) > maxID {
		return detail(ErrBadRequest, "session id has %d bytes, at most %d are taken", len(id), maxID)
	}
	for _, c := range id {
		if c < ' ' || c == '/' || c == 0x7f {
			return detail(ErrBadRequest, "session id %q: slashes and control characters are not allowed", id)
		}
	}
	return nil
}

func explainCreate(err error, id, key string) error {
	switch {
	case isSentinel(err, ErrSessionExists):
		return detail(ErrSessionExists, "%q; leave the id out to get a fresh one", id)
	case isSentinel(err, ErrKeyReused):
		return detail(ErrKeyReused, "idempotency key %q started a session with another body", key)
	}
	return err
}
