package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/formats/native"
)

func (a *app) exportCommand() *cobra.Command {
	var to reach
	var format string
	c := &cobra.Command{Use: "export WORKFLOW|FILE", Short: "Writes a workflow as a file, to stdout", Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if format != formatCypher && format != formatJSON {
				return usagef("--format %s: want cypher or json", format)
			}
			text, err := a.exported(c.Context(), &to, args[0], format)
			if err != nil {
				return err
			}
			_, err = a.out.Write(text)
			return err
		}}
	to.register(c)
	c.Flags().StringVar(&format, "format", formatCypher, "cypher or json")
	return c
}

// exported writes a workflow of a file, or lets the engine write one that it has.
func (a *app) exported(ctx context.Context, to *reach, word, format string) (text []byte, err error) {
	if isFile(word) {
		read, err := a.onlySource(word, "")
		if err != nil {
			return nil, err
		}
		if format == formatJSON {
			return native.Write(read.workflow)
		}
		return cypherfile.Write(read.workflow)
	}
	err = a.with(ctx, to, func(s service) error {
		text, err = s.Export(ctx, word, format)
		return err
	})
	return text, err
}

// Formats of export.
const (
	formatCypher = "cypher"
	formatJSON   = "json"
)

// workflow reads a workflow of a file, or of the engine that r reaches.
func (a *app) workflow(c *cobra.Command, r *reach, word string) (*engine.Workflow, error) {
	if isFile(word) {
		s, err := a.onlySource(word, "")
		if err != nil {
			return nil, err
		}
		return s.workflow, nil
	}
	var w *engine.Workflow
	err := a.with(c.Context(), r, func(s service) error {
		var err error
		w, err = s.Workflow(c.Context(), word)
		return err
	})
	return w, err
}

// onlySource reads the one workflow of a file: the one that is named, else the only one.
func (a *app) onlySource(file, name string) (*source, error) {
	sources, _, err := a.readSources([]string{file})
	if err != nil {
		return nil, a.faults(err)
	}
	var ids []string
	for i := range sources {
		if id := sources[i].workflow.ID; id == name || name == "" && len(sources) == 1 {
			return &sources[i], nil
		}
		ids = append(ids, sources[i].workflow.ID)
	}
	if name != "" {
		return nil, notFoundf("%s: no workflow %q in it (there is: %v)", file, name, ids)
	}
	return nil, usagef("%s holds the workflows %v: load it, or say which with --workflow", file, ids)
}
