package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/drawing"
)

func (cmd *workflowCommands) showCommand() *cobra.Command {
	var to engineFlags
	c := &cobra.Command{Use: "show WORKFLOW|FILE", Short: "Draws a workflow as text", Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := cmd.named(c.Context(), &to, args[0], "")
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(w)
			}
			_, err = io.WriteString(printableWriter{cmd.out}, drawing.Draw(w))
			return err
		}}
	to.register(c)
	return c
}
