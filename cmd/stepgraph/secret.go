package main

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

var secretSettings = settingsOf{kind: "secrets", name: "secret", headings: "SECRET\tHOSTS\tFROM\tDESCRIPTION",
	row: func(text json.RawMessage) ([]any, error) {
		var s api.Secret
		err := json.Unmarshal(text, &s)
		return []any{s.Name, cmp.Or(strings.Join(s.Hosts, " "), "none"), s.Source, short(s.Description, 60)}, err
	}}

func (cmd *settingCommands) secretCommand() *cobra.Command {
	return group("secret", "Lists, sets and removes secrets; their values cannot be read",
		cmd.settingList(secretSettings), cmd.secretSetCommand(), cmd.settingDelete(secretSettings))
}

func (cmd *settingCommands) secretSetCommand() *cobra.Command {
	var file, variable, description string
	var hosts []string
	to := &engineFlags{}
	c := &cobra.Command{Use: "set SECRET", Short: "Sets a secret from standard input, a file or the environment", Args: want(cobra.ExactArgs(1)),
		Long: "Sets a secret. Its value is read from standard input unless a flag says otherwise; it is not an argument, since those stand\n" +
			"in the shell's history and in the list of processes. A line's end after it does not count.",
		RunE: func(c *cobra.Command, args []string) error {
			value, err := cmd.secretText(file, variable)
			if err != nil {
				return err
			}
			body := api.SecretBody{Value: value}
			body.Hosts, body.Description = hosts, description
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error { return cmd.putSetting(c.Context(), s, secretSettings, args[0], body) })
		}}
	to.register(c)
	c.Flags().StringVar(&file, "from-file", "", "file with the value")
	c.Flags().StringVar(&variable, "from-env", "", "environment variable with the value")
	c.Flags().StringArrayVar(&hosts, "host", nil, "host that requests may send it to: [http://]HOST[:PORT], *.example.com for all below, * for every address (required)")
	c.Flags().StringVar(&description, "description", "", "description")
	return c
}

func (cmd *settingCommands) secretText(file, variable string) (string, error) {
	var text []byte
	var err error
	switch {
	case file != "" && variable != "":
		return "", usagef("--from-file and --from-env exclude one another")
	case variable != "":
		text = []byte(cmd.env(variable))
	case file != "":
		text, err = os.ReadFile(file)
	default:
		text, err = io.ReadAll(io.LimitReader(cmd.in, 1<<20))
	}
	value := strings.TrimRight(string(text), "\r\n")
	if err == nil && value == "" {
		err = usagef("the secret is empty")
	}
	return value, err
}
