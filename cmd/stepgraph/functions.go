package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
)

func (cmd *loadCommands) functionsCommand() *cobra.Command {
	var to engineFlags
	c := &cobra.Command{Use: "functions [NAME]", Short: "Lists what steps can call, with the schemas as JSON", Args: want(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := cmd.settings(&to.settingFlags)
			if err != nil {
				return err
			}
			registry, _, err := cmd.host.registryForChecks(set)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				spec := registry.Find(args[0])
				if spec == nil {
					return notFoundf("no function %q; near: %s", args[0], strings.Join(registry.Near(args[0]), ", "))
				}
				return cmd.printJSON(spec)
			}
			specs := registry.Specs()
			if cmd.json() {
				return cmd.printJSON(map[string]any{"items": specs})
			}
			rows := make([][]any, len(specs))
			for i, s := range specs {
				rows[i] = []any{s.Name, strings.Join(s.Aliases, ", "), long(cmp.Or(s.Disabled, s.Description))}
			}
			return cmd.table("FUNCTION\tALSO\tDOES", rows)
		}}
	to.registerAllowed(c.Flags())
	return c
}
