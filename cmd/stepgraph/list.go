package main

import (
	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

func (cmd *workflowCommands) listCommand() *cobra.Command {
	var to engineFlags
	c := &cobra.Command{Use: "list", Short: "Lists workflows", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return cmd.engines.with(c.Context(), &to, func(s *client.Client) error {
				list, err := s.Workflows(c.Context())
				if err != nil {
					return err
				}
				if cmd.json() {
					return cmd.printJSON(map[string]any{"items": list})
				}
				rows := make([][]any, len(list))
				for i, w := range list {
					rows[i] = []any{w.ID, w.Steps, w.Name, long(w.Description)}
				}
				return cmd.table("WORKFLOW\tSTEPS\tNAME\tDESCRIPTION", rows)
			})
		}}
	to.register(c)
	return c
}
