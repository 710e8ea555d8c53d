package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/internal/near"
)

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
