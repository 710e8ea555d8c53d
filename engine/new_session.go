package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/inturn"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// newSession builds the session that a start requests.
func newSession(id string, q *StartRequest, entry string, inputs json.RawMessage, def *graph.Definition, limits Limits) *session.Young {
	y := session.NewAt(id, q.Workflow, []string{entry}, inputs, nil)
	y.Labels, y.Key, y.BodyHash = q.Labels, q.Key, startHash(q, entry, inputs)
	for _, name := range slices.Sorted(maps.Keys(q.Outputs)) {
		y.Begun.AddOutput(name, jsontext.Compact(q.Outputs[name]), graph.KeptOutputs)
	}
	for _, step := range slices.Sorted(maps.Keys(q.Seeds)) {
		y.Begun.Seed(step, q.Seeds[step])
	}
	y.Begun.EndAt(q.Until)
	for _, path := range q.Taken {
		y.Begun.Arrive(def.Step(def.Path(path).Target), state.TakenPath{Path: path})
	}
	var chat []json.RawMessage
	for _, m := range q.Messages {
		m.N = y.Counted.NextMessage()
		m.ID = fmt.Sprintf("%s/%d", id, m.N)
		if text, err := jsontext.Marshal(m); err == nil {
			chat = append(chat, text)
		}
	}
	y.Begun.BeginChat(chat)
	y.ConcurrencyKey = inturn.Key(limits, id, inturn.Given{State: y.Begun})
	return y
}

// checkGiven validates what a start request contains besides inputs.
func checkGiven(q *StartRequest, def *graph.Definition, most int) error {
	size := 0
	for field, given := range map[string]map[string]json.RawMessage{"outputs": q.Outputs, "seeds": q.Seeds} {
		for name, value := range given {
			size += len(value)
			if !json.Valid(value) {
				return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/" + field + "/" + name, Message: "is not valid JSON"}}}
			}
			if field == "seeds" && def.Step(name) == nil {
				return &DetailError{Err: ErrStepNotFound, Detail: fmt.Sprintf("seeds: %q", name), Exists: def.IDs()}
			}
		}
	}
	for i, id := range q.Taken {
		if def.Path(id) == nil || def.Path(id).Fault != "" {
			return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: fmt.Sprintf("/taken/%d", i), Message: fmt.Sprintf("the workflow has no path %q that can be taken", id)}}}
		}
	}
	if err := missingUntil(q.Until, def); err != nil {
		return err
	}
	for i, m := range q.Messages {
		size += len(m.Content)
		if m.Role != "user" && m.Role != "assistant" {
			return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: fmt.Sprintf("/messages/%d/role", i), Message: "want user or assistant"}}}
		}
	}
	if size > most {
		return store.Detailf(ErrTooLarge, "outputs, seeds and messages have %d bytes, at most %d are taken", size, most)
	}
	return nil
}

// missingUntil reports a step of until that the workflow does not have.
func missingUntil(until []string, def *graph.Definition) error {
	for _, id := range until {
		if def.Step(id) == nil {
			return &DetailError{Err: ErrStepNotFound, Detail: fmt.Sprintf("until: %q", id), Exists: def.IDs()}
		}
	}
	return nil
}

// startHash returns a hash that differs for different start requests with the same key.
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
		return store.Detailf(ErrBadRequest, "session id has %d bytes, at most %d are taken", len(id), maxID)
	}
	for _, c := range id {
		if c < ' ' || c == '/' || c == 0x7f {
			return store.Detailf(ErrBadRequest, "session id %q: slashes and control characters are not allowed", id)
		}
	}
	return nil
}

func explainCreate(err error, id, key string) error {
	switch {
	case errors.Is(err, ErrSessionExists):
		return store.Detailf(ErrSessionExists, "%q; leave the id out to get a fresh one", id)
	case errors.Is(err, ErrKeyReused):
		return store.Detailf(ErrKeyReused, "idempotency key %q started a session with another body", key)
	}
	return err
}
