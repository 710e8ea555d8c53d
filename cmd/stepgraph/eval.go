package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *evalCommands) evalCommand() *cobra.Command {
	return group("eval", "Explains what a reference or a condition gives", cmd.evalReferenceCommand(), cmd.evalConditionCommand())
}

// evalOn is what to evaluate on: a state in a file, or a session.
type evalOn struct {
	engineFlags
	file, session string
}

func (o *evalOn) register(c *cobra.Command) {
	c.Flags().StringVar(&o.file, "state", "", "a session's state, JSON; - is stdin")
	c.Flags().StringVar(&o.session, "session", "", "id of a session, in place of --state")
	o.engineFlags.register(c)
}

// given checks that there is one of both.
func (o *evalOn) given() error {
	switch {
	case o.file == "" && o.session == "":
		return usagef("--state is missing: a file with a session's state; or name a session with --session ID")
	case o.file != "" && o.session != "":
		return usagef("--state and --session: give one of them")
	}
	return nil
}

func (cmd *evalCommands) evalReferenceCommand() *cobra.Command {
	var on evalOn
	var whole bool
	c := &cobra.Command{Use: "reference TEXT {--state FILE|--session ID}", Short: "What a text with references resolves to",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := on.given(); err != nil {
				return err
			}
			if on.session != "" {
				return cmd.engines.with(c.Context(), &on.engineFlags, func(s *client.Client) error {
					result, err := s.EvalReference(c.Context(), engine.ReferenceQuery{Session: on.session, Text: args[0], Whole: whole})
					if err != nil {
						return err
					}
					return cmd.printReference(result)
				})
			}
			s, err := cmd.stateFile(on.file)
			if err != nil {
				return err
			}
			result, err := engine.EvalReference(s, engine.ReferenceQuery{Text: args[0], Whole: whole})
			if err != nil {
				return err
			}
			return cmd.printReference(result)
		}}
	on.register(c)
	c.Flags().BoolVar(&whole, "json", false, "TEXT is a JSON input, resolved as a whole")
	return c
}

func (cmd *evalCommands) printReference(result *engine.ReferenceResult) error {
	if cmd.json() {
		return cmd.printJSON(result)
	}
	if result.Resolved {
		cmd.print("%s", result.Value)
		return nil
	}
	if result.Error != "" {
		cmd.print("%s", result.Error)
		return nil
	}
	for i, missing := range result.Missing {
		if i < len(result.Reasons) && result.Reasons[i] != "" {
			cmd.print("missing: %s: %s", missing, result.Reasons[i])
			continue
		}
		cmd.print("missing: %s", missing)
	}
	return nil
}

func (cmd *evalCommands) evalConditionCommand() *cobra.Command {
	var on evalOn
	var operator string
	c := &cobra.Command{Use: "condition TEXT {--state FILE|--session ID}", Short: "Whether a condition holds, and which clause decided",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := on.given(); err != nil {
				return err
			}
			if on.session != "" {
				return cmd.engines.with(c.Context(), &on.engineFlags, func(s *client.Client) error {
					result, err := s.EvalCondition(c.Context(), engine.ConditionQuery{Session: on.session, Condition: args[0], Operator: operator})
					if err != nil {
						return err
					}
					return cmd.printCondition(args[0], result)
				})
			}
			s, err := cmd.stateFile(on.file)
			if err != nil {
				return err
			}
			return cmd.printCondition(args[0], engine.EvalCondition(s, engine.ConditionQuery{Condition: args[0], Operator: operator}))
		}}
	on.register(c)
	c.Flags().StringVar(&operator, "operator", "", "operator of the path: AND (the default) or OR")
	return c
}

func (cmd *evalCommands) printCondition(condition string, result *engine.ConditionResult) error {
	cmd.sayAlwaysTrue(condition)
	if cmd.json() {
		return cmd.printJSON(result)
	}
	cmd.print("%s", map[bool]string{true: "open", false: "closed"}[result.Result])
	for _, c := range result.Clauses {
		cmd.print("  %s", strings.ReplaceAll(c.String(), "\n", "\n  "))
	}
	if result.Error != "" {
		cmd.print("  %s", result.Error)
	}
	return nil
}

// sayAlwaysTrue says on stderr which operands of a condition are true whatever their references
// give, and the comparison that was meant.
func (a *app) sayAlwaysTrue(condition string) {
	for _, operand := range conditions.Parse(condition, "").Operands() {
		if meant, always := conditions.Meant(operand); always {
			a.printErr("%q is a text around a reference, which is never empty and so always true; to compare, write: %s", short(operand, 200), meant)
		}
	}
}

// stateFile reads a session's state, with or without what else SESSION.state holds.
func (cmd *evalCommands) stateFile(name string) (*engine.State, error) {
	text, err := cmd.readFile(name)
	if err != nil {
		return nil, err
	}
	var named struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(text, &named) // a state without id, or none at all: ParseState says more
	state, err := engine.ParseState(named.ID, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return state, nil
}
