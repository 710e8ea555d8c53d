package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	formatsource "github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/formats/native"
)

func (cmd *loadCommands) validateCommand() *cobra.Command {
	to := engineFlags{judges: true}
	c := &cobra.Command{Use: "validate FILE|DIR|WORKFLOW...", Short: "Finds what is wrong with workflows",
		Long: "validate lists errors and warnings, each with its place, and exits with 1 when there is an error.",
		Args: want(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			found, err := cmd.problems(c.Context(), &to, args)
			if err != nil {
				return err
			}
			return cmd.printProblems(found)
		}}
	to.register(c)
	return c
}

func (cmd *loadCommands) problems(ctx context.Context, to *engineFlags, args []string) ([]locatedProblem, error) {
	set, err := cmd.settings(&to.settingFlags)
	if err != nil {
		return nil, err
	}
	registry, _, err := cmd.host.registryForChecks(set)
	if err != nil {
		return nil, err
	}
	var all []locatedProblem
	for _, word := range args {
		var found []locatedProblem
		if isFile(word) || isFolder(word) {
			found, err = cmd.fileProblems(to, word, registry)
		} else {
			found, err = cmd.storedProblems(ctx, to, word)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// storedProblems are those the engine finds that has the workflow.
func (cmd *loadCommands) storedProblems(ctx context.Context, to *engineFlags, id string) ([]locatedProblem, error) {
	var all []locatedProblem
	err := cmd.engines.with(ctx, to, func(s *client.Client) error {
		found, err := s.Problems(ctx, id)
		for _, p := range found {
			all = append(all, locatedProblem{id, p})
		}
		return err
	})
	return all, err
}

func (cmd *loadCommands) fileProblems(to *engineFlags, name string, registry *engine.Registry) ([]locatedProblem, error) {
	files, err := workflowFiles([]string{name})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, notFoundf("%s: there is no workflow file in it", name)
	}
	var all []locatedProblem
	for _, file := range files {
		loaded, err := cmd.sources.readWorkflowFile(file)
		if err != nil {
			refused, known := refusedProblems(file, err)
			if !known {
				return nil, err
			}
			for _, p := range refused {
				all = append(all, locatedProblem{file, p})
			}
			all = append(all, partProblems(file, &loaded, registry)...)
			continue
		}
		if len(loaded.Workflows) == 0 && file != "-" {
			all = append(all, locatedProblem{file, engine.Problem{Level: levelError, Line: 1, Code: "no_workflow", Message: "there is no workflow in it: it makes no STEP"}})
		}
		notes := make([]locatedProblem, len(loaded.Notes))
		for i, p := range loaded.Notes {
			notes[i] = locatedProblem{file, p}
		}
		all = append(all, cmd.host.openWarnings(to, notes)...)
		sources := sourcesOf(file, &loaded)
		at := positionsOf(sources, "")
		for i := range loaded.Workflows {
			w := &loaded.Workflows[i]
			all = append(all, at.of(w.ID, engine.Validate(w, registry))...)
		}
	}
	inFileOrder(all)
	return all, nil
}

// partProblems are the problems of what could be read of a file with errors. It leaves out those
// that may come from what could not be read.
func partProblems(file string, loaded *formats.Loaded, registry *engine.Registry) []locatedProblem {
	sources := sourcesOf(file, loaded)
	at := positionsOf(sources, "")
	var all []locatedProblem
	for i := range loaded.Workflows {
		w := &loaded.Workflows[i]
		all = append(all, at.of(w.ID, slices.DeleteFunc(engine.Validate(w, registry), func(p engine.Problem) bool {
			return slices.Contains(wholeFileProblems, p.Code)
		}))...)
	}
	return all
}

// wholeFileProblems are problems that can be judged only when all of a file has been read.
var wholeFileProblems = []string{"no_steps", "no_root", "unreachable", "closed_path", "unknown_reference", "not_before", "closes_loop", "endless_loop",
	"missing_input", "no_body_step", "no_tool_step", "body_without_function", "body_without_start"}

// refusedProblems are the reasons for which a file is refused.
func refusedProblems(file string, err error) ([]engine.Problem, bool) {
	var faults *formatsource.Faults
	if errors.As(err, &faults) {
		return faults.Problems(), true
	}
	var several native.Errors
	if !errors.As(err, &several) {
		several = native.Errors{err}
	}
	var all []engine.Problem
	for _, one := range several {
		p, isSyntax := syntaxProblem(file, one)
		if !isSyntax {
			return nil, false
		}
		all = append(all, p)
	}
	return all, true
}

// syntaxProblem takes FILE:LINE:COL: text apart.
func syntaxProblem(file string, err error) (engine.Problem, bool) {
	rest, found := strings.CutPrefix(err.Error(), file+":")
	parts := strings.SplitN(rest, ":", 3)
	if !found || len(parts) < 3 {
		return engine.Problem{}, false
	}
	line, bad := strconv.Atoi(parts[0])
	if bad != nil {
		return engine.Problem{}, false
	}
	column, _ := strconv.Atoi(parts[1])
	code := "syntax"
	if errors.Is(err, formats.ErrUnknownFormat) {
		code = "unknown_format"
	}
	return engine.Problem{Level: levelError, Line: line, Column: column, Code: code, Message: strings.TrimSpace(parts[2])}, true
}

func (cmd *loadCommands) printProblems(found []locatedProblem) error {
	list := make([]engine.Problem, len(found))
	failed := false
	for i := range found {
		list[i] = found[i].Problem
		failed = failed || found[i].Level == levelError
	}
	if cmd.json() {
		if err := cmd.printJSON(map[string]any{"problems": list}); err != nil {
			return err
		}
	} else {
		for i := range found {
			cmd.print("%s", found[i])
		}
		if len(found) == 0 {
			cmd.printErr("no problems")
		}
	}
	if failed {
		return ended(exitFailed)
	}
	return nil
}

// String is a line for people: where, what, which.
func (p locatedProblem) String() string {
	where := p.where
	if p.Line > 0 {
		where += fmt.Sprintf(":%d:%d", p.Line, max(p.Column, 1))
	}
	what := ""
	switch {
	case p.Path != "" && !p.names(p.Path):
		what = fmt.Sprintf("path %s: ", p.Path)
	case p.Path == "" && p.Step != "" && !p.names(p.Step):
		what = fmt.Sprintf("step %s: ", p.Step)
	}
	return fmt.Sprintf("%s: %s: %s%s (%s)", where, p.Level, what, p.Message, p.Code)
}

// names reports whether the message names its step or path.
func (p locatedProblem) names(id string) bool { return strings.Contains(p.Message, strconv.Quote(id)) }
