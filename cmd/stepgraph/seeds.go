package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/seeds"
)

// loadSeeds puts our own workflows where no workflow of that name is.
func loadSeeds(ctx context.Context, e *localEngine) error {
	have, err := e.client.Workflows(ctx)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, w := range have {
		there[w.ID] = true
	}
	for _, name := range seeds.Names() {
		if there[name] {
			continue
		}
		w, err := seed(name)
		if err != nil {
			return err
		}
		if _, err := e.Put(ctx, w, engine.PutOptions{Force: true}); err != nil {
			return fmt.Errorf("load workflow %s: %w", name, err)
		}
	}
	return nil
}

func seed(name string) (*engine.Workflow, error) {
	text, err := seeds.Workflow(name)
	if err != nil {
		return nil, err
	}
	loaded, err := formats.Load(name+".cypher", text)
	if err != nil {
		return nil, err
	}
	w := &loaded.Workflows[0]
	if w.Description == "" {
		w.Description = firstWords(text, name)
	}
	return w, nil
}

// firstWords is what the comment at the top of a seed says first, without the seed's name.
func firstWords(text []byte, name string) string {
	var said []string
	for line := range strings.Lines(string(text)) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "//")
		if comment = strings.TrimSpace(comment); !isComment || comment == "" || strings.HasPrefix(comment, "Run it:") {
			break
		}
		said = append(said, comment)
	}
	words := strings.TrimPrefix(strings.Join(said, " "), name+": ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
