package main

import (
	"github.com/spf13/cobra"
	"io"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/drawing"
)

func (a *app) showCommand() *cobra.Command {
	var to reach
	c := &cobra.Command{Use: "show WORKFLOW|FILE", Short: "Draws a workflow as text", Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := a.named(c.Context(), &to, args[0], "")
			if err != nil {
				return err
			}
			if a.json() {
				return a.printJSON(w)
			}
			_, err = io.WriteString(legibleWriter{a.out}, drawing.Draw(w))
			return err
		}}
	to.register(c)
	return c
}
