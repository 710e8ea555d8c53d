package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/formats"
)

// answersFile reads the answers of a file; "" is none.
func (a *app) answersFile(name string) (*answers, error) {
	if name == "" {
		return nil, nil
	}
	text, err := a.readFile(name)
	if err != nil {
		return nil, err
	}
	given, err := parseAnswers(text)
	if err != nil {
		return nil, usagef("--answers %s: %s", name, err)
	}
	return given, nil
}

// givenInputs are the flags that give a session its inputs.
type givenInputs struct {
	file   string
	single []string
	prompt string
}

// inputs puts inputs together: a file, then single ones, then the prompt, under the name that
// the workflow's format has for it.
func (a *app) inputs(ctx context.Context, s service, workflow string, from givenInputs) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if from.file != "" {
		given, err := a.readFile(from.file)
		if err != nil {
			return nil, err
		}
		if len(from.single) == 0 && from.prompt == "" {
			return given, nil // in its own order
		}
		if err := json.Unmarshal(given, &all); err != nil {
			return nil, usagef("--inputs %s: want a JSON object: %s", from.file, err)
		}
	}
	for _, one := range from.single {
		key, value, found := strings.Cut(one, "=")
		if !found || key == "" {
			return nil, usagef("--input %s: want KEY=VALUE", one)
		}
		all[key] = valueOf(value)
	}
	if from.prompt != "" {
		w, err := s.Workflow(ctx, workflow)
		if err != nil {
			return nil, err
		}
		name, err := formats.PromptInput(w)
		if err != nil {
			return nil, usagef("--prompt: %s", err)
		}
		all[name] = text(from.prompt)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}

// valueOf is the JSON that a text is, else the text as JSON.
func valueOf(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return text(value)
}
