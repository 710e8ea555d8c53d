package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
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
func (a *app) inputs(ctx context.Context, s *client.Client, workflow string, from givenInputs) (json.RawMessage, error) {
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

// givenFlags are what a session may begin with besides inputs.
type givenFlags struct {
	outputs []string
	seeds   []string
	until   []string
}

func (g *givenFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&g.outputs, "output-of", nil, "STEP=JSON: output that references to STEP resolve to, as if it had run")
	c.Flags().StringArrayVar(&g.seeds, "seed", nil, "STEP=JSON: the first visit of STEP returns this output instead of running; its paths are followed")
	c.Flags().StringArrayVar(&g.until, "until", nil, "STEP at which the session ends; its paths are not followed")
}

func (g *givenFlags) into(q *engine.StartRequest) (err error) {
	if q.Outputs, err = namedValues("--output-of", g.outputs); err != nil {
		return err
	}
	if q.Seeds, err = namedValues("--seed", g.seeds); err != nil {
		return err
	}
	q.Until = append(q.Until, g.until...)
	return nil
}

// namedValues reads NAME=VALUE; a VALUE that is JSON counts as such, any other is a text.
func namedValues(flag string, list []string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	for _, one := range list {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return nil, usagef("%s %s: want NAME=VALUE", flag, one)
		}
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all[name] = json.RawMessage(value)
		if !json.Valid(all[name]) {
			text, _ := json.Marshal(value) // a text always encodes
			all[name] = text
		}
	}
	return all, nil
}
