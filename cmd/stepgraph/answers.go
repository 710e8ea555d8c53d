package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// answers are what an answers file holds, each given once.
type answers struct {
	list []answer
	used []bool
}

// An answer goes to the question that waits longest, or with a step to that step's.
type answer struct {
	step     string
	response json.RawMessage
}

// parseAnswers reads a JSON list of answers: any value, or {"step": ..., "response": ...}
// for a named step.
func parseAnswers(text []byte) (*answers, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("want a JSON list of answers: %w", err)
	}
	a := &answers{used: make([]bool, len(raw))}
	for _, one := range raw {
		a.list = append(a.list, readAnswer(one))
	}
	return a, nil
}

// readAnswer takes an object for a named answer only if it has both keys and no others:
// any other object is an answer itself.
func readAnswer(text json.RawMessage) answer {
	var named struct {
		Step     *string         `json:"step"`
		Response json.RawMessage `json:"response"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&named) == nil && named.Step != nil && named.Response != nil {
		return answer{*named.Step, named.Response}
	}
	return answer{response: text}
}

// next takes the first answer that fits an open question: one without a step fits the
// question that waits longest, the first of the list. ok is false when none fits.
func (a *answers) next(open []engine.Question) (step string, response json.RawMessage, ok bool) {
	if a == nil {
		return "", nil, false
	}
	for i, one := range a.list {
		if a.used[i] {
			continue
		}
		for _, q := range open {
			if !q.Answered && (one.step == "" || one.step == q.Step) {
				a.used[i] = true
				return q.Step, one.response, true
			}
		}
	}
	return "", nil, false
}
