package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/internal/near"
)

// An app is one invocation: what it was given and what all commands share.
type app struct {
	env      func(string) string
	in       io.Reader
	out, err io.Writer

	output  string // -o
	dir     string // where dev keeps its things
	file    string // --config
	verbose bool
	config  config
	log     *slog.Logger

	lease, poll time.Duration // of engines; 0 is their default
	limits      limitsConfig
	nats        natsConfig
	keep        retention.Keep // how long sessions stay after they have ended
	archive     string         // folder that takes them before they go
	drain       time.Duration
	oidcSecret  string // file with the client secret of sign-in, if any
	auditFile   string // where the audit trail goes, if anywhere
	tlsKey      string // file of the server's private key, if a flag names one
}

const (
	outputText = "text"
	outputJSON = "json"
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
	flags.StringVar(&a.dir, "dir", "", "where dev keeps store and address ($STEPGRAPH_DIR, ./.stepgraph)")
	flags.StringVar(&a.file, "config", "", "configuration file, JSON ($STEPGRAPH_CONFIG)")
	flags.BoolVar(&a.verbose, "verbose", false, "tell more on stderr")
	root.AddCommand(a.commands()...)
	a.complete(root)
	return root
}

// commands is the whole list.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.runCommand(),
		a.devCommand(),
		a.serveCommand(),
		a.sessionCommand(),
		a.stepCommand(),
		a.batchCommand(),
		a.awaitingCommand(),
		a.countCommand(),
		a.workflowCommand(),
		a.loadCommand(),
		a.exportCommand(),
		a.listCommand(),
		a.showCommand(),
		a.validateCommand(),
		a.functionsCommand(),
		a.schemaCommand(),
		a.profileCommand(),
		a.variableCommand(),
		a.secretCommand(),
		a.tokenCommand(),
		a.auditCommand(),
		a.evalCommand(),
		a.migrateCommand(),
		a.doctorCommand(),
		a.enginesCommand(),
		a.pruneCommand(),
		a.benchCommand(),
		a.openCommand(),
		a.mcpCommand(),
		a.versionCommand(),
	}
}

// prepare runs before every command.
func (a *app) prepare() error {
	if a.output != outputText && a.output != outputJSON {
		return usagef("--output %s: want text or json", a.output)
	}
	if a.dir == "" {
		a.dir = a.env("STEPGRAPH_DIR")
	}
	if a.dir == "" {
		a.dir = ".stepgraph"
	}
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	a.log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	if a.file == "" {
		a.file = a.env("STEPGRAPH_CONFIG")
	}
	var err error
	a.config, err = readConfig(a.file)
	return err
}

// say writes a line of talk.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(legibleWriter{a.err}, format+"\n", args...)
}

// json reports whether the data is wanted as JSON.
func (a *app) json() bool { return a.output == outputJSON }

// groupArgs refuses words after a command that only holds others.
func groupArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s has no command %q", c.CommandPath(), args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	} else if elsewhere := cmp.Or(strings.Join(commandsNamed(c.Root(), args[0]), " or "), strings.Join(commandsNear(c.Root(), args[0]), " or ")); elsewhere != "" {
		text += "; did you mean " + elsewhere + "?"
	}
	return usagef("%s", text)
}

// nearFlag names the flag of a command that an unknown one most likely means.
func nearFlag(c *cobra.Command, message string) string {
	wrong, unknown := strings.CutPrefix(message, "unknown flag: --")
	if !unknown {
		return ""
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { // those of the commands above are among them
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if found := near.Names(wrong, known, 1); len(found) > 0 {
		return "; did you mean --" + found[0] + "?"
	}
	return ""
}

// commandsNamed are the commands of all groups that have a name, as "stepgraph session why".
func commandsNamed(c *cobra.Command, name string) (found []string) {
	for _, sub := range c.Commands() {
		if sub.Hidden {
			continue
		}
		if sub.HasParent() && sub.Parent().HasParent() && (sub.Name() == name || sub.HasAlias(name)) {
			found = append(found, sub.Parent().CommandPath()+" "+name)
		}
		found = append(found, commandsNamed(sub, name)...)
	}
	return found
}

// commandsNear are the commands of all groups whose name is nearly the given one.
func commandsNear(c *cobra.Command, name string) (found []string) {
	var names []string
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			names = append(names, sub.Name())
			visit(sub)
		}
	}
	visit(c)
	slices.Sort(names)
	for _, one := range near.Names(name, slices.Compact(names), 1) {
		found = append(found, commandsNamed(c, one)...)
	}
	return found
}

// want makes cobra's check of arguments a matter of usage.
func want(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usagef("%s; usage: %s", err, c.UseLine())
		}
		return nil
	}
}

// group makes a command that only holds others.
func group(use, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: groupArgs, RunE: func(c *cobra.Command, _ []string) error {
		return errors.Join(c.Help(), usagef("which of them?"))
	}}
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(below...)
	return c
}
