package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// complete gives all commands below c the completion of their words and flags. The usage line says
// what a word is: answer SESSION RESPONSE.
func (cmd *completion) complete(c *cobra.Command) {
	for _, below := range c.Commands() {
		cmd.complete(below)
	}
	if words := strings.Fields(c.Use); len(words) > 1 && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = cmd.completeWord(words[1:])
	}
	for name, what := range map[string]func(*cobra.Command, []string) []string{
		"workflow": cmd.workflowNames, "status": statusNames, "step": cmd.stepNames, "entry": cmd.stepNames, "from": cmd.stepNames, "to": cmd.stepNames,
		"output": func(*cobra.Command, []string) []string { return []string{outputText, outputJSON} },
	} {
		if f := c.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
			_ = c.RegisterFlagCompletionFunc(name, offer(what)) // fails only where it has one
		}
	}
}

// offer makes a completion of a list of names.
func offer(names func(c *cobra.Command, args []string) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		all := slices.DeleteFunc(names(c, args), func(n string) bool { return !strings.HasPrefix(n, begun) })
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeWord completes the words of a usage line. Where one may be a file, files are offered too.
func (cmd *completion) completeWord(words []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(words) == 0 || len(args) >= len(words) && !strings.HasSuffix(words[len(words)-1], "...") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		word := strings.Trim(strings.TrimSuffix(words[min(len(args), len(words)-1)], "..."), "[]")
		var all []string
		for _, kind := range strings.Split(word, "|") {
			switch kind {
			case "WORKFLOW":
				all = append(all, cmd.workflowNames(c, args)...)
			case "SESSION":
				all = append(all, cmd.sessionNames(c, args)...)
			case "STEP":
				all = append(all, cmd.stepNames(c, args)...)
			case "BATCH":
				all = append(all, cmd.batchNames(c, args)...)
			}
		}
		all = slices.DeleteFunc(all, func(n string) bool { return !strings.HasPrefix(n, begun) })
		if strings.Contains(word, "FILE") || strings.Contains(word, "DIR") {
			return all, cobra.ShellCompDirectiveDefault
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

const (
	completeWithin = 5 * time.Second // a person waits
	mostCompleted  = 200
)

// names asks the engine that the command would reach. A completion says nothing of what is
// wrong: a shell would not show it.
func (cmd *completion) names(c *cobra.Command, ask func(ctx context.Context, s *client.Client) []string) (all []string) {
	to := &engineFlags{}
	to.on = c.Flags()
	for name, at := range map[string]*string{"server": &to.server, "token": &to.token, "store": &to.set.store} {
		if f := c.Flags().Lookup(name); f != nil {
			*at = f.Value.String()
		}
	}
	cmd.err = io.Discard
	if cmd.prepare() != nil { // cobra leaves it out when it completes
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeWithin)
	defer cancel()
	_ = cmd.engines.with(ctx, to, func(s *client.Client) error { all = ask(ctx, s); return nil })
	return all
}

func (cmd *completion) workflowNames(c *cobra.Command, _ []string) []string {
	return cmd.names(c, func(ctx context.Context, s *client.Client) (all []string) {
		list, _ := s.Workflows(ctx)
		for i := range list {
			all = append(all, list[i].ID)
		}
		return all
	})
}

func (cmd *completion) sessionNames(c *cobra.Command, _ []string) []string {
	return cmd.names(c, func(ctx context.Context, s *client.Client) (all []string) {
		page, err := s.Sessions(ctx, engine.SessionQuery{Limit: mostCompleted}, "")
		if err != nil {
			return nil
		}
		for i := range page.Items {
			all = append(all, page.Items[i].ID+"\t"+page.Items[i].Workflow+", "+page.Items[i].Status)
		}
		return all
	})
}

func (cmd *completion) batchNames(c *cobra.Command, _ []string) []string {
	return cmd.names(c, func(ctx context.Context, s *client.Client) (all []string) {
		page, err := s.Batches(ctx, mostCompleted, "")
		if err != nil {
			return nil
		}
		for _, b := range page.Items {
			all = append(all, b.ID+"\t"+b.Action+", "+b.Status)
		}
		return all
	})
}

// stepNames are the steps of the workflow that a flag or the first word names, or of the
// session that the first word names.
func (cmd *completion) stepNames(c *cobra.Command, args []string) []string {
	return cmd.names(c, func(ctx context.Context, s *client.Client) (all []string) {
		workflow := ""
		if f := c.Flags().Lookup("workflow"); f != nil {
			workflow = f.Value.String()
		}
		if workflow == "" && len(args) > 0 {
			workflow = args[0]
			if strings.Contains(c.Use, " SESSION") {
				session, err := s.Session(ctx, args[0])
				if err != nil {
					return nil
				}
				workflow = session.Workflow
			}
		}
		w, err := s.Workflow(ctx, workflow)
		if err != nil {
			return nil
		}
		for i := range w.Steps {
			all = append(all, w.Steps[i].ID)
		}
		return all
	})
}

// statusNames are the statuses of sessions.
func statusNames(*cobra.Command, []string) []string {
	return []string{engine.StatusActive, engine.StatusAwaitingInput, engine.StatusPending, engine.StatusPaused,
		engine.StatusComplete, engine.StatusError, engine.StatusCancelled}
}
