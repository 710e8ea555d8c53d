package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
)

func (a *app) evalCommand() *cobra.Command {
	return group("eval", "Explains what a reference or a condition gives", a.evalReferenceCommand(), a.evalConditionCommand())
}

func (a *app) evalReferenceCommand() *cobra.Command {
	var state string
	var whole bool
	c := &cobra.Command{Use: "reference TEXT --state FILE", Short: "What a text with references resolves to",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.stateFile(state)
			if err != nil {
				return err
			}
			result, err := engine.EvalReference(s, args[0], whole)
			if err != nil {
				return err
			}
			return a.printReference(result)
		}}
	c.Flags().StringVar(&state, "state", "", "a session's state, JSON; - is stdin")
	c.Flags().BoolVar(&whole, "json", false, "TEXT is a JSON input, resolved as a whole")
	return c
}

func (a *app) printReference(result *engine.ReferenceResult) error {
	if a.json() {
		return a.printJSON(result)
	}
	if result.Resolved {
		a.print("%s", result.Value)
		return nil
	}
	if result.Error != "" {
		a.print("%s", result.Error)
		return nil
	}
	for i, missing := range result.Missing {
		if i < len(result.Reasons) && result.Reasons[i] != "" {
			a.print("missing: %s: %s", missing, result.Reasons[i])
			continue
		}
		a.print("missing: %s", missing)
	}
	return nil
}

func (a *app) evalConditionCommand() *cobra.Command {
	var state, operator string
	c := &cobra.Command{Use: "condition TEXT --state FILE", Short: "Whether a condition holds, and which clause decided",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.stateFile(state)
			if err != nil {
				return err
			}
			return a.printCondition(engine.EvalCondition(s, args[0], operator))
		}}
	c.Flags().StringVar(&state, "state", "", "a session's state, JSON; - is stdin")
	c.Flags().StringVar(&operator, "operator", "", "operator of the path: AND (the default) or OR")
	return c
}

func (a *app) printCondition(result *engine.ConditionResult) error {
	if a.json() {
		return a.printJSON(result)
	}
	a.print("%s", map[bool]string{true: "open", false: "closed"}[result.Result])
	for _, c := range result.Clauses {
		a.print("  %s", strings.ReplaceAll(c.String(), "\n", "\n  "))
	}
	if result.Error != "" {
		a.print("  %s", result.Error)
	}
	return nil
}

// stateFile reads a session's state, with or without what else SESSION.state holds.
func (a *app) stateFile(name string) (*engine.State, error) {
	if name == "" {
		return nil, usagef("--state is missing: a file with a session's state")
	}
	text, err := a.readFile(name)
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

// readFile reads a file, or stdin for "-".
func (a *app) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimPrefix(string(text), "\uFEFF")), nil
}
