package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// runOptions are the flags of run.
type runOptions struct {
	reach
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
	c := &cobra.Command{Use: "run FILE|WORKFLOW", Short: "Plays one session here, asking at the terminal",
		Long: "run plays one session. A FILE is played in memory, unless --store says where. A WORKFLOW is played\n" +
			"by the running engine if there is one, else on ./.stepgraph. It ends with the session or, when all\n" +
			"answers are used up and there is no terminal, at the next question. The exit code is 0 when the session\n" +
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
	flags.StringVar(&o.prompt, "prompt", "", "what the person says first, a `text`: the input of the workflow's format, prompt or question")
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
		return errors.Join(nearby(ctx, s, err), s.Close())
	}
	start := engine.StartRequest{Workflow: workflow, Entry: o.entry, ID: o.id, Inputs: inputs}
	if err := o.given.into(&start); err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(nearby(ctx, s, cmd.play(ctx, s, start, given, o)), s.Close())
}

// runService opens what plays the session, and says which workflow.
func (cmd *runCommands) runService(ctx context.Context, o *runOptions, word string) (service, string, error) {
	if !isFile(word) {
		s, err := cmd.services.service(ctx, &o.reach)
		return s, word, err
	}
	if o.server != "" {
		return nil, "", usagef("run FILE plays the file here; to play it at a server, load it there first: stepgraph load %s --server %s", word, o.server)
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
	own, err := cmd.host.openOwn(ctx, ownOptions{settings: set, record: o.record})
	if err != nil {
		return nil, "", err
	}
	diff, err := own.Put(ctx, read.workflow, engine.PutOptions{Force: true})
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("load %s: %w", word, err), own.Close())
	}
	cmd.tell(read, diff.Problems)
	own.run(ctx)
	return own, read.workflow.ID, nil
}

// tell prints the errors of a workflow before it runs: a run shows what they lead to.
func (cmd *runCommands) tell(read *source, problems []engine.Problem) {
	found := positionsOf([]source{*read}, "").of(read.workflow.ID, problems)
	inFileOrder(found)
	for i := range found {
		if found[i].Level == levelError {
			cmd.say("%s", found[i])
		}
	}
}

// play starts a session and plays it to its rest.
func (cmd *runCommands) play(ctx context.Context, s service, start engine.StartRequest, given *answers, o *runOptions) error {
	started, err := s.Start(ctx, start, 0)
	if err != nil {
		return err
	}
	c := &conversation{a: cmd.app, s: s, id: started.ID, answers: given, person: cmd.terminal(), talk: legibleWriter{cmd.out}, trace: o.trace}
	if given == nil && o.file != "-" {
		c.piped = cmd.piped()
	}
	if cmd.json() {
		c.talk = legibleWriter{cmd.err}
	}
	rested, failed := c.play(ctx)
	if rested == nil {
		return failed
	}
	if failed != nil { // an answer may have been refused, so look again
		cmd.say("stepgraph: %s", failed)
	}
	if err := cmd.printRun(context.WithoutCancel(ctx), s, rested); err != nil {
		return err
	}
	if !cmd.json() && len(rested.Result) > 0 && (o.result || !isSaid(rested)) {
		cmd.print("%s", rested.Result)
	}
	cmd.sayHowToGoOn(s, rested, o)
	if failed != nil {
		return ended(codeOf(failed))
	}
	return ended(exitOf(rested.Status))
}

// isSaid reports whether the result of a session is what it said last: then it has been shown.
func isSaid(s *api.Session) bool {
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

// sayHowToGoOn says how to answer what the session waits for.
func (cmd *runCommands) sayHowToGoOn(s service, rested *api.Session, o *runOptions) {
	if rested.Status != engine.StatusAwaitingInput || cmd.json() {
		return
	}
	if own, isOwn := s.(*ownEngine); isOwn && own.Where() == storeMemory {
		cmd.say("it was played in memory and is gone; give its answers as lines on stdin, or as a JSON list with --answers FILE")
		return
	}
	cmd.say("go on with: stepgraph session answer %s ANSWER", rested.ID)
}

// exitOf is the exit code of run for the status in which a session rests.
func exitOf(status string) int {
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

func (cmd *runCommands) printRun(ctx context.Context, s service, session *api.Session) error {
	if !cmd.json() {
		cmd.sayRest(session)
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

// sayRest says why a session rests, where that is not plain.
func (cmd *runCommands) sayRest(s *api.Session) {
	if s.Status == engine.StatusComplete {
		return
	}
	cmd.say("session %s of workflow %s is %s", s.ID, s.Workflow, s.Status)
	for _, q := range s.Awaiting {
		cmd.say("  step %s asks: %s", q.Step, first(short(q.Prompt, 200), "(no prompt)"))
	}
	if s.Error != nil {
		cmd.say("  %s %s: %s", s.Error.Step, s.Error.Kind, s.Error.Message)
	}
	for _, p := range unsaid(s) {
		cmd.say("  %s", strings.TrimSpace(strings.Join([]string{first(p.Path, p.Step), p.Message, strings.Join(p.Missing, ", ")}, " ")))
	}
}

// unsaid are the problems of a session other than its error, which is often one of them.
func unsaid(s *api.Session) []engine.SessionProblem {
	var list []engine.SessionProblem
	for _, p := range s.Problems {
		if s.Error == nil || p.Step != s.Error.Step || !strings.Contains(p.Message, s.Error.Message) {
			list = append(list, p)
		}
	}
	return list
}
