package main

import (
	"encoding/json"
	"maps"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

var profileSettings = settingsOf{kind: "profiles", name: "profile", headings: "PROFILE\tMODEL\tFROM\tSYSTEM",
	row: func(text json.RawMessage) ([]any, error) {
		var p api.Profile
		err := json.Unmarshal(text, &p)
		return []any{p.Name, p.Model, p.Source, short(p.System, 60)}, err
	}}

func (cmd *settingCommands) profileCommand() *cobra.Command {
	return group("profile", "Lists, sets and removes named settings of model calls",
		cmd.settingList(profileSettings), cmd.profileSetCommand(), cmd.settingDelete(profileSettings))
}

func (cmd *settingCommands) profileSetCommand() *cobra.Command {
	var file string
	to := &engineFlags{}
	c := &cobra.Command{Use: "set PROFILE [NAME=VALUE...]", Short: "Sets a profile", Args: want(cobra.MinimumNArgs(1)),
		Long: "Sets a profile as a whole, from words such as model=gpt-5 temperature=0.2 system='Be brief.', from a JSON file,\n" +
			"or from both, words over the file.",
		RunE: func(c *cobra.Command, args []string) error {
			body, err := profileBody(file, args[1:])
			if err != nil {
				return err
			}
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error { return cmd.putSetting(c.Context(), s, profileSettings, args[0], body) })
		}}
	to.register(c)
	c.Flags().StringVar(&file, "file", "", "JSON file with the profile")
	return c
}

// profileTexts are fields that are text, whatever they look like.
var profileTexts = map[string]bool{"model": true, "system": true, "description": true, "reasoning_effort": true, "schema_name": true}

func profileBody(file string, words []string) (map[string]any, error) {
	body := map[string]any{}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &body); err != nil {
			return nil, usagef("%s: want a JSON object: %s", file, err)
		}
	}
	for _, word := range words {
		name, text, found := strings.Cut(word, "=")
		switch {
		case !found || name == "":
			return nil, usagef("%s: want NAME=VALUE", word)
		case profileTexts[name]:
			body[name] = text
		default:
			body[name] = value(text)
		}
	}
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == nil })
	return body, nil
}
