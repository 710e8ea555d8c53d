package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// runOptions are the flags of run.
type runOptions struct {
	engineFlags
	workflow string
	entry    string
	id       string
	answers  string
	inputs   []string
	file     string
	prompt   string
	trace    bool
	result   bool // print what came of it, where it is not all printed as JSON
	given    givenFlags
}

func (cmd *runCommands) runCommand() *cobra.Command {
	o := &runOptions{}
	o.create, o.seeds, o.run = true, true, true
	c := &cobra.Command{Use: "run FILE|WORKFLOW", Short: "Runs one session here and asks questions at the terminal",
		Long: "run runs one session. A FILE runs in memory, unless --store is given. A WORKFLOW runs on the\n" +
			"running engine if there is one, else on ./.stepgraph. It returns when the session ends or, when no\n" +
			"answers are left and there is no terminal, at the next question. The exit code is 0 when the session\n" +
			"is complete, 5 when it waits and 1 when it ended with an error or was cancelled.",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.runSession(c.Context(), o, args[0]) }}
	o.register(c)
	flags := c.Flags()
	flags.StringVar(&o.workflow, "workflow", "", "which workflow, of a FILE that holds several")
	flags.StringVar(&o.entry, "entry", "", "step to start at (root)")
	flags.StringVar(&o.id, "id", "", "id of the session; a fresh one by default")
	flags.StringVar(&o.answers, "answers", "", "file with a JSON list of answers; - is stdin")
	flags.StringArrayVar(&o.inputs, "input", nil, "an input, KEY=VALUE; a VALUE that is JSON counts as such")
	flags.StringVar(&o.file, "inputs", "", "file with inputs, a JSON object; - is stdin")
	flags.StringVar(&o.prompt, "prompt", "", "first message of the user, a `text`: the input prompt or question, by the workflow's format")
	flags.BoolVar(&o.trace, "trace", false, "show each step on stderr as it ends")
	o.given.register(c)
	flags.StringVar(&o.record, "record", "", "file to write the replies of models to, as a script")
	return c
}

func (cmd *runCommands) runSession(ctx context.Context, o *runOptions, word string) error {
	given, err := cmd.answersFile(o.answers)
	if err != nil {
		return err
	}
	s, workflow, err := cmd.runService(ctx, o, word)
	if err != nil {
		return err
	}
	inputs, err := cmd.inputs(ctx, s, workflow, givenInputs{file: o.file, single: o.inputs, prompt: o.prompt})
	if err != nil {
		return errors.Join(withSuggestion(ctx, s, err), s.Close())
	}
	start := engine.StartRequest{Workflow: workflow, Entry: o.entry, ID: o.id, Inputs: inputs}
	if err := o.given.into(&start); err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(withSuggestion(ctx, s, cmd.play(ctx, s, start, given, o)), s.Close())
}

// runService opens what plays the session, and says which workflow.
func (cmd *runCommands) runService(ctx context.Context, o *runOptions, word string) (*client.Client, string, error) {
	if !isFile(word) {
		s, err := cmd.engines.connect(ctx, &o.engineFlags)
		return s, word, err
	}
	if o.server != "" {
		return nil, "", usagef("run FILE runs the file here; to run it on a server, load it there first: stepgraph load %s --server %s", word, o.server)
	}
	read, err := cmd.sources.onlySource(word, o.workflow)
	if err != nil {
		return nil, "", err
	}
	set, err := cmd.settings(&o.settingFlags)
	if err != nil {
		return nil, "", err
	}
	if set.store == "" {
		set.store = storeMemory
	}
	own, err := cmd.host.openLocal(ctx, localOptions{settings: set, record: o.record})
	if err != nil {
		return nil, "", err
	}
	diff, err := own.Put(ctx, read.workflow, engine.PutOptions{Force: true})
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("load %s: %w", word, err), own.Close())
	}
	cmd.reportErrors(read, diff.Problems)
	own.run(ctx)
	return own.client, read.workflow.ID, nil
}

// reportErrors prints the errors of a workflow before it runs: a run shows what they lead to.
func (cmd *runCommands) reportErrors(read *source, problems []engine.Problem) {
	found := positionsOf([]source{*read}, "").of(read.workflow.ID, problems)
	inFileOrder(found)
	for i := range found {
		if found[i].Level == levelError {
			cmd.printErr("%s", found[i])
		}
	}
}

// play starts a session and plays it to its rest.
func (cmd *runCommands) play(ctx context.Context, s *client.Client, start engine.StartRequest, given *answers, o *runOptions) error {
	started, err := s.Start(ctx, start, 0)
	if err != nil {
		return err
	}
	c := &conversation{a: cmd.app, s: s, id: started.ID, answers: given, person: cmd.terminal(), talk: printableWriter{cmd.out}, trace: o.trace}
	if given == nil && o.file != "-" {
		c.piped = cmd.piped()
	}
	if cmd.json() {
		c.talk = printableWriter{cmd.err}
	}
	rested, failed := c.play(ctx)
	if rested == nil {
		return failed
	}
	if failed != nil { // an answer may have been refused, so look again
		cmd.printErr("stepgraph: %s", failed)
	}
	if err := cmd.printRun(context.WithoutCancel(ctx), s, rested); err != nil {
		return err
	}
	if !cmd.json() && len(rested.Result) > 0 && (o.result || !isShown(rested)) {
		cmd.print("%s", rested.Result)
	}
	cmd.printNextCommand(s, rested, o)
	if failed != nil {
		return ended(codeOf(failed))
	}
	return ended(exitCodeOf(rested.Status))
}

// isShown reports whether the result of a session is what it said last: then it has been shown.
func isShown(s *api.Session) bool {
	var result any
	if json.Unmarshal(s.Result, &result) != nil {
		return false
	}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if m := s.Messages[i]; m.Role != "user" {
			return holdsText(result, m.Content)
		}
	}
	return false
}

// holdsText reports whether a value is a text, or an object with it.
func holdsText(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return v == text
	case map[string]any:
		for _, inner := range v {
			if holdsText(inner, text) {
				return true
			}
		}
	}
	return false
}

// printNextCommand says how to answer what the session waits for.
func (cmd *runCommands) printNextCommand(s *client.Client, rested *api.Session, o *runOptions) {
	if rested.Status != engine.StatusAwaitingInput || cmd.json() {
		return
	}
	if s.Local() && s.Where() == storeMemory {
		cmd.printErr("the session was in memory and is lost; give answers as lines on stdin, or as a JSON list with --answers FILE")
		return
	}
	cmd.printErr("continue with: stepgraph session answer %s ANSWER", rested.ID)
}

// exitCodeOf is the exit code of run for the status of the idle session.
func exitCodeOf(status string) int {
	switch status {
	case engine.StatusComplete:
		return exitOK
	case engine.StatusError, engine.StatusCancelled:
		return exitFailed
	}
	return exitWaiting
}

// A runResult is what run prints as JSON.
type runResult struct {
	Session    *api.Session    `json:"session"`
	State      json.RawMessage `json:"state"`
	Executions []api.Execution `json:"executions"`
}

func (cmd *runCommands) printRun(ctx context.Context, s *client.Client, session *api.Session) error {
	if !cmd.json() {
		cmd.printWhyIdle(session)
		return nil
	}
	state, _, err := s.State(ctx, session.ID)
	if err != nil {
		return err
	}
	executions, err := s.Executions(session.ID, "").Next(ctx)
	if err != nil {
		return err
	}
	return cmd.printJSON(runResult{session, state, executions})
}

// printWhyIdle prints why a session is idle, unless it is complete.
func (cmd *runCommands) printWhyIdle(s *api.Session) {
	if s.Status == engine.StatusComplete {
		return
	}
	cmd.printErr("session %s of workflow %s is %s", s.ID, s.Workflow, s.Status)
	for _, q := range s.Awaiting {
		cmd.printErr("  step %s asks: %s", q.Step, cmp.Or(short(q.Prompt, 200), "(no prompt)"))
	}
	if s.Error != nil {
		cmd.printErr("  %s %s: %s", s.Error.Step, s.Error.Kind, s.Error.Message)
	}
	for _, p := range otherProblems(s) {
		cmd.printErr("  %s", strings.TrimSpace(strings.Join([]string{cmp.Or(p.Path, p.Step), p.Message, strings.Join(p.Missing, ", ")}, " ")))
	}
}
