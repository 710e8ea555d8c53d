package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

var variableSettings = settingsOf{kind: "variables", name: "variable", headings: "VARIABLE\tVALUE\tFROM",
	row: func(text json.RawMessage) ([]any, error) {
		var v api.Variable
		err := json.Unmarshal(text, &v)
		return []any{v.Name, short(string(v.Value), 80), v.Source}, err
	}}

func (cmd *settingCommands) variableCommand() *cobra.Command {
	return group("variable", "Lists, sets and removes named values that workflows read",
		cmd.settingList(variableSettings), cmd.variableSetCommand(), cmd.settingDelete(variableSettings))
}

func (cmd *settingCommands) variableSetCommand() *cobra.Command {
	var asText bool
	var description string
	c := cmd.engines.engineCommand("set VARIABLE VALUE", "Sets a variable: JSON, or a text", 2, &engineFlags{}, func(ctx context.Context, s *client.Client, args []string) error {
		body := map[string]any{"value": value(args[1])}
		if asText {
			body["value"] = args[1]
		}
		if description != "" {
			body["description"] = description
		}
		return cmd.putSetting(ctx, s, variableSettings, args[0], body)
	})
	c.Flags().BoolVar(&asText, "text", false, "VALUE is a text, even where it looks like JSON")
	c.Flags().StringVar(&description, "description", "", "description")
	return c
}
