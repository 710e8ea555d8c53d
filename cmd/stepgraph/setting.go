package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

// settingsOf is what profile, variable and secret share: they are listed, shown and deleted
// alike.
type settingsOf struct {
	kind     string // as its route is called
	name     string // of one
	headings string
	row      func(text json.RawMessage) ([]any, error)
}

// settingList lists all, or shows one as JSON.
func (cmd *settingCommands) settingList(o settingsOf) *cobra.Command {
	to := &engineFlags{}
	c := &cobra.Command{Use: "list [NAME]", Short: "Lists " + o.kind + ", or shows one", Args: want(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error {
				if len(args) == 1 {
					one, err := s.Setting(c.Context(), o.kind, args[0])
					if err != nil {
						return err
					}
					return cmd.printJSON(one)
				}
				return cmd.printSettings(c.Context(), s, o)
			})
		}}
	to.register(c)
	return c
}

func (cmd *settingCommands) printSettings(ctx context.Context, s *client.Client, o settingsOf) error {
	all, err := s.Settings(ctx, o.kind)
	if err != nil {
		return err
	}
	if cmd.json() {
		return cmd.printJSON(map[string]any{"items": all})
	}
	rows := make([][]any, len(all))
	for i, text := range all {
		if rows[i], err = o.row(text); err != nil {
			return err
		}
	}
	return cmd.table(o.headings, rows)
}

// settingDelete removes one.
func (cmd *settingCommands) settingDelete(o settingsOf) *cobra.Command {
	return cmd.engines.engineCommand("delete NAME", "Removes a "+o.name, 1, &engineFlags{}, func(ctx context.Context, s *client.Client, args []string) error {
		if err := s.DeleteSetting(ctx, o.kind, args[0]); err != nil {
			return err
		}
		if cmd.json() {
			return cmd.printJSON(map[string]any{"deleted": args[0]})
		}
		cmd.print("%s %s is removed", o.name, args[0])
		return nil
	})
}

// putSetting sets one and says so.
func (cmd *settingCommands) putSetting(ctx context.Context, s *client.Client, o settingsOf, name string, body any) error {
	one, err := s.PutSetting(ctx, o.kind, name, body)
	if err != nil {
		return err
	}
	if cmd.json() {
		return cmd.printJSON(one)
	}
	cmd.print("%s %s is set", o.name, name)
	return nil
}
