package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

func (cmd *workflowCommands) exportCommand() *cobra.Command {
	var to engineFlags
	var format, workflow, update string
	names := strings.Join(formats.ExportFormats(), ", ")
	c := &cobra.Command{Use: "export WORKFLOW|FILE", Short: "Writes a workflow as a file, to stdout",
		Long: "export writes a workflow in one of the formats " + names + ".\n" +
			"cypher, json and yaml say everything; mermaid and dot are drawings. The formats of other systems write what was loaded\n" +
			"from one of their files, source the one that was: what such a file cannot say any more is listed by step and path,\n" +
			"and nothing is written.\n" +
			"--update FILE writes into a YAML file instead of stdout and keeps the comments of what did not change.",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(formats.ExportFormats(), format) {
				return usagef("--as %s: want one of %s", format, names)
			}
			w, err := cmd.named(c.Context(), &to, args[0], workflow)
			if err != nil {
				return err
			}
			if update != "" {
				return cmd.updateFile(w, update)
			}
			return cmd.export(w, format)
		}}
	to.register(c)
	c.Flags().StringVar(&format, "as", "cypher", names)
	c.Flags().StringVar(&update, "update", "", "YAML file to write the workflow into, with its comments kept")
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "format" { // its name until version 1
			name = "as"
		}
		return pflag.NormalizedName(name)
	})
	c.Flags().StringVar(&workflow, "workflow", "", "which workflow, of a FILE that holds several")
	return c
}

// updateFile writes a workflow into a YAML file. What is there is kept where nothing changed.
func (cmd *workflowCommands) updateFile(w *engine.Workflow, file string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := formats.Update(w, file, old)
	if err != nil {
		return err
	}
	if bytes.Equal(text, old) {
		cmd.printErr("%s: nothing changed", file)
		return nil
	}
	if err := os.WriteFile(file, text, 0o644); err != nil { // an existing file keeps its mode
		return err
	}
	cmd.printErr("%s: written", file)
	return nil
}

// export writes a workflow to stdout, and what the format cannot say to stderr.
func (cmd *workflowCommands) export(w *engine.Workflow, format string) error {
	file, err := formats.Export(w, format)
	var misfit *formats.MisfitError
	if errors.As(err, &misfit) {
		for _, p := range misfit.Problems {
			cmd.printErr("%s", locatedProblem{w.ID, p})
		}
		return fmt.Errorf("workflow %q does not fit the format %s; cypher, json and yaml write it as it is", w.ID, misfit.Format)
	}
	if err != nil {
		return err
	}
	for _, p := range file.Notes {
		cmd.printErr("%s", locatedProblem{w.ID, p})
	}
	_, err = cmd.data().Write(file.Text)
	return err
}

// named reads a workflow of a file, the one that is named or else the only one, or of the
// engine that r reaches.
func (cmd *workflowCommands) named(ctx context.Context, r *engineFlags, word, name string) (w *engine.Workflow, err error) {
	if isFile(word) {
		s, err := cmd.sources.onlySource(word, name)
		if err != nil {
			return nil, err
		}
		return s.workflow, nil
	}
	if name != "" {
		return nil, usagef("--workflow says which workflow of a file: %s is none", word)
	}
	err = cmd.engines.with(ctx, r, func(s *client.Client) error {
		w, err = s.Workflow(ctx, word)
		return err
	})
	return w, err
}
