package main

import (
	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/formats"
)

func (cmd *loadCommands) schemaCommand() *cobra.Command {
	var to settingFlags
	c := &cobra.Command{Use: "schema", Short: "Prints the JSON Schema of workflow files, for editors",
		Long: "schema prints the JSON Schema of workflow files in JSON and YAML, with the inputs of every function and of those\n" +
			"in the configuration. An editor completes and checks files with it:\n" +
			"  stepgraph schema > workflow.schema.json\n" +
			"  in YAML, first line:  # yaml-language-server: $schema=workflow.schema.json\n" +
			"  in JSON, first key:   \"$schema\": \"workflow.schema.json\"\n" +
			"A running engine serves the same at /schemas/workflow.json.",
		Args: want(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			set, err := cmd.settings(&to)
			if err != nil {
				return err
			}
			registry, _, err := cmd.host.registryForChecks(set)
			if err != nil {
				return err
			}
			_, err = cmd.out.Write(formats.Schema(registry))
			return err
		}}
	to.on = c.Flags() // none of them: what is allowed here is no matter of the schema
	return c
}
