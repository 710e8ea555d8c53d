package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
)

// givenFlags are what a session may begin with besides inputs.
type givenFlags struct {
	outputs []string
	seeds   []string
	until   []string
}

func (g *givenFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&g.outputs, "output-of", nil, "STEP=JSON: what references to STEP give, as if it had run before")
	c.Flags().StringArrayVar(&g.seeds, "seed", nil, "STEP=JSON: STEP ends with this output instead of running, the first time; its paths are followed")
	c.Flags().StringArrayVar(&g.until, "until", nil, "STEP up to which the session goes; its paths are not followed")
}

func (g *givenFlags) into(q *engine.StartRequest) (err error) {
	if q.Outputs, err = namedValues("--output-of", g.outputs); err != nil {
		return err
	}
	if q.Seeds, err = namedValues("--seed", g.seeds); err != nil {
		return err
	}
	q.Until = append(q.Until, g.until...)
	return nil
}

// namedValues reads NAME=VALUE; a VALUE that is JSON counts as such, any other is a text.
func namedValues(flag string, list []string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	for _, one := range list {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return nil, usagef("%s %s: want NAME=VALUE", flag, one)
		}
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all[name] = json.RawMessage(value)
		if !json.Valid(all[name]) {
			text, _ := json.Marshal(value) // a text always encodes
			all[name] = text
		}
	}
	return all, nil
}

// stepCommand is about single steps.
func (cmd *runCommands) stepCommand() *cobra.Command {
	c := &cobra.Command{Use: "step", Short: "Runs single steps", Args: groupArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(cmd.stepRunCommand())
	return c
}

func (cmd *runCommands) stepRunCommand() *cobra.Command {
	o := &runOptions{}
	o.create, o.seeds, o.run, o.result = true, true, true, true
	c := &cobra.Command{Use: "run FILE|WORKFLOW STEP", Short: "Plays one step alone, in a session of its own",
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
