package main

import (
	"github.com/spf13/cobra"
)

// stepCommand has the commands for single steps.
func (cmd *runCommands) stepCommand() *cobra.Command {
	c := &cobra.Command{Use: "step", Short: "Runs single steps", Args: groupArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(cmd.stepRunCommand())
	return c
}

func (cmd *runCommands) stepRunCommand() *cobra.Command {
	o := &runOptions{}
	o.create, o.seeds, o.run, o.result = true, true, true, true
	c := &cobra.Command{Use: "run FILE|WORKFLOW STEP", Short: "Runs one step in a separate session",
		Long: "step run starts a session at the step and does not follow its paths. What the step refers to is given\n" +
			"with --output-of and --input. The step's output is printed.",
		Args: want(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			o.entry, o.given.until = args[1], append(o.given.until, args[1])
			return cmd.runSession(c.Context(), o, args[0])
		}}
	o.register(c)
	o.given.register(c)
	flags := c.Flags()
	flags.StringVar(&o.workflow, "workflow", "", "which workflow, of a FILE that holds several")
	flags.StringVar(&o.answers, "answers", "", "file with a JSON list of answers; - is stdin")
	flags.StringArrayVar(&o.inputs, "input", nil, "an input, KEY=VALUE; a VALUE that is JSON counts as such")
	flags.StringVar(&o.file, "inputs", "", "file with inputs, a JSON object; - is stdin")
	flags.BoolVar(&o.trace, "trace", false, "show each step on stderr as it ends")
	flags.StringVar(&o.record, "record", "", "file to write the replies of models to, as a script")
	return c
}
