package main

import (
	"github.com/spf13/cobra"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "stepgraph",
		Short: "Runs workflows that are graphs",
		Long: "stepgraph runs workflows that are graphs: steps and the paths between them, edited while\n" +
			"sessions run. Begin with: stepgraph dev",
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args:              groupArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.prepare() },
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%s%s; see: %s --help", err, nearFlag(c, err.Error()), c.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVarP(&a.output, "output", "o", outputText, "text or json")
	flags.StringVar(&a.dir, "dir", "", "folder of dev's store and address ($STEPGRAPH_DIR, ./.stepgraph)")
	flags.StringVar(&a.file, "config", "", "configuration file, JSON ($STEPGRAPH_CONFIG)")
	flags.BoolVar(&a.verbose, "verbose", false, "log more to stderr")
	set := newCommandSet(a)
	root.AddCommand(set.commands()...)
	set.completion.complete(root)
	return root
}
