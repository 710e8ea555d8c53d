package main

import (
	"github.com/spf13/cobra"
)

func (cmd *workflowCommands) listCommand() *cobra.Command {
	var to reach
	c := &cobra.Command{Use: "list", Short: "Lists workflows", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return cmd.services.with(c.Context(), &to, func(s service) error {
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
