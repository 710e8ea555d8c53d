package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/near"
)

// withSuggestion adds to an error about a name that is not there what is there instead.
func withSuggestion(ctx context.Context, s *client.Client, err error) error {
	var exit *exitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	hint := ""
	switch {
	case errors.Is(err, engine.ErrWorkflowNotFound):
		hint = workflowHint(ctx, s, err.Error())
	case errors.Is(err, engine.ErrSessionNotFound):
		hint = "stepgraph session list lists those there are"
	case errors.Is(err, engine.ErrBatchNotFound):
		hint = "stepgraph batch list lists those there are"
	}
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// shownNames is how many names a hint lists where none is near.
const shownNames = 20

// workflowHint names the workflows that are nearest to the one in a message, else all.
func workflowHint(ctx context.Context, s *client.Client, message string) string {
	all, err := s.Workflows(ctx)
	if err != nil {
		return ""
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].ID
	}
	if found := near.Names(firstQuoted(message), names, 3); len(found) > 0 {
		return "did you mean " + strings.Join(found, " or ") + "?"
	}
	switch {
	case strings.Contains(message, "there is:"): // the engine has listed them
		return ""
	case len(names) == 0:
		return "there is none yet: load a file with stepgraph load FILE"
	case len(names) > shownNames:
		return fmt.Sprintf("there are %d; stepgraph list lists them", len(names))
	}
	return "there are " + strings.Join(names, ", ")
}

// firstQuoted returns the text in the first quotes of a message.
func firstQuoted(message string) string {
	_, rest, _ := strings.Cut(message, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}
