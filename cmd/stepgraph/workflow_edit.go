package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/near"
)

// A part is a step or a path.
type part struct {
	name, kind string
	missing    error
	texts      []string // properties that are text, whatever they look like
	ends       func(id string, properties map[string]any) error
}

var (
	stepPart = part{name: "step", kind: client.Steps, missing: engine.ErrStepNotFound,
		texts: []string{"id", "function", "name", "description", "join", "on_error", "input", "retry", "timeout", "output_schema", "config"},
		ends:  func(string, map[string]any) error { return nil }}
	pathPart = part{name: "path", kind: client.Paths, missing: engine.ErrPathNotFound,
		texts: []string{"id", "condition", "operator", "label", "name", "description"}, ends: endsOf}
)

// endsOf reads the ends of a path that is to be made from its name.
func endsOf(id string, properties map[string]any) error {
	source, target, found := strings.Cut(id, ">")
	if _, given := properties["source"]; !found && !given {
		return usagef("there is no path %s; a new one is called SOURCE>TARGET, or has source=STEP target=STEP", id)
	}
	if found {
		properties["source"], properties["target"] = source, target
		delete(properties, "id")
	}
	return nil
}

func (cmd *workflowCommands) setCommand(p *part) *cobra.Command {
	to := &engineFlags{}
	upper := strings.ToUpper(p.name)
	c := &cobra.Command{Use: fmt.Sprintf("set-%s WORKFLOW %s NAME=VALUE...", p.name, upper), Args: want(cobra.MinimumNArgs(3)),
		Short: fmt.Sprintf("Changes properties of a %s, or adds one; says whom it touches", p.name),
		Long: fmt.Sprintf("Changes properties of a %s, or adds the %s where there is none. NAME= removes a property. Sessions that wait use\n"+
			"it when they go on.", p.name, p.name),
		RunE: func(c *cobra.Command, args []string) error {
			properties, err := p.properties(args[2:])
			if err != nil {
				return err
			}
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error { return cmd.set(c.Context(), s, p, args[0], args[1], properties) })
		}}
	to.register(c)
	return c
}

// properties reads NAME=VALUE words.
func (p *part) properties(words []string) (map[string]any, error) {
	out := map[string]any{}
	for _, word := range words {
		name, v, found := strings.Cut(word, "=")
		switch {
		case !found || name == "":
			return nil, usagef("%s: want NAME=VALUE", word)
		case v == "":
			out[name] = nil
		case slices.Contains(p.texts, name):
			out[name] = v
		default:
			out[name] = value(v)
		}
	}
	return out, nil
}

func (cmd *workflowCommands) set(ctx context.Context, s *client.Client, p *part, workflow, id string, properties map[string]any) error {
	done := "changed"
	edited, err := s.Change(ctx, workflow, p.kind, id, properties)
	if errors.Is(err, p.missing) {
		if err := nearlyThere(ctx, s, p, workflow, id, properties); err != nil {
			return err
		}
		done = "added"
		maps.DeleteFunc(properties, func(_ string, v any) bool { return v == nil })
		properties["id"] = id
		if err := p.ends(id, properties); err != nil {
			return err
		}
		edited, err = s.Add(ctx, workflow, p.kind, properties)
	}
	if err != nil {
		return err
	}
	return cmd.printEdited(edited, fmt.Sprintf("%s %s of %s is %s", p.name, id, workflow, done))
}

// nearlyThere refuses to add a step that is probably one there is, misspelt: one without a
// function would never do anything.
func nearlyThere(ctx context.Context, s *client.Client, p *part, workflow, id string, properties map[string]any) error {
	if _, calls := properties["function"]; calls || p.name != "step" {
		return nil
	}
	w, err := s.Workflow(ctx, workflow)
	if err != nil {
		return err
	}
	ids := make([]string, len(w.Steps))
	for i := range w.Steps {
		ids[i] = w.Steps[i].ID
	}
	if found := near.Names(id, ids, 1); len(found) > 0 {
		return notFoundf("workflow %s has no step %s; did you mean %s? To add a step, give its function as well, as function=reply", workflow, id, found[0])
	}
	return nil
}

func (cmd *workflowCommands) removeCommand(p *part) *cobra.Command {
	return cmd.engines.engineCommand(fmt.Sprintf("remove-%s WORKFLOW %s", p.name, strings.ToUpper(p.name)), fmt.Sprintf("Removes a %s; says whom it touches", p.name), 2, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			edited, err := s.Remove(ctx, args[0], p.kind, args[1])
			if err != nil {
				return err
			}
			return cmd.printEdited(edited, fmt.Sprintf("%s %s of %s is removed", p.name, args[1], args[0]))
		})
}

func (cmd *workflowCommands) printEdited(edited *client.Edited, text string) error {
	if cmd.json() {
		return cmd.printJSON(edited)
	}
	cmd.print("%s", text)
	cmd.touches(&edited.Affected)
	return nil
}

// touches tells whom an edit concerns.
func (cmd *workflowCommands) touches(x *api.Affected) {
	for _, status := range slices.Sorted(maps.Keys(x.Sessions)) {
		cmd.print("%6d sessions %s", x.Sessions[status], status)
	}
	if x.AtStep > 0 {
		cmd.print("%6d open questions of the step are unchanged; stepgraph batch reask asks them again", x.AtStep)
	}
}

func (cmd *workflowCommands) workflowDeleteCommand() *cobra.Command {
	return cmd.engines.engineCommand("delete WORKFLOW", "Removes a workflow with its steps; its sessions stay", 1, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			if err := s.DeleteWorkflow(ctx, args[0]); err != nil {
				return err
			}
			cmd.printErr("workflow %s is removed", args[0])
			return nil
		})
}
