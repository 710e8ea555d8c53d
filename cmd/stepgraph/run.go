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
	"github.com/stepgraph/stepgraph/formats"
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

func (a *app) runCommand() *cobra.Command {
	o := &runOptions{}
	o.create, o.seeds, o.run = true, true, true
	c := &cobra.Command{Use: "run FILE|WORKFLOW", Short: "Plays one session here, asking at the terminal",
		Long: "run plays one session. A FILE is played in memory, unless --store says where. A WORKFLOW is played\n" +
			"by the running engine if there is one, else on ./.stepgraph. It ends with the session or, when all\n" +
			"answers are used up and there is no terminal, at the next question. The exit code is 0 when the session\n" +
			"is complete, 5 when it waits and 1 when it ended with an error or was cancelled.",
		Args: want(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return a.runSession(c.Context(), o, args[0]) }}
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

func (a *app) runSession(ctx context.Context, o *runOptions, word string) error {
	given, err := a.answersFile(o.answers)
	if err != nil {
		return err
	}
	s, workflow, err := a.runService(ctx, o, word)
	if err != nil {
		return err
	}
	inputs, err := a.inputs(ctx, s, workflow, givenInputs{file: o.file, single: o.inputs, prompt: o.prompt})
	if err != nil {
		return errors.Join(a.nearby(ctx, s, err), s.Close())
	}
	start := engine.StartRequest{Workflow: workflow, Entry: o.entry, ID: o.id, Inputs: inputs}
	if err := o.given.into(&start); err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(a.nearby(ctx, s, a.play(ctx, s, start, given, o)), s.Close())
}

// runService opens what plays the session, and says which workflow.
func (a *app) runService(ctx context.Context, o *runOptions, word string) (service, string, error) {
	if !isFile(word) {
		s, err := a.service(ctx, &o.reach)
		return s, word, err
	}
	if o.server != "" {
		return nil, "", usagef("run FILE plays the file here; to play it at a server, load it there first: stepgraph load %s --server %s", word, o.server)
	}
	read, err := a.onlySource(word, o.workflow)
	if err != nil {
		return nil, "", err
	}
	set, err := a.settings(&o.settingFlags)
	if err != nil {
		return nil, "", err
	}
	if set.store == "" {
		set.store = storeMemory
	}
	own, err := a.openOwn(ctx, ownOptions{settings: set, record: o.record})
	if err != nil {
		return nil, "", err
	}
	diff, err := own.Put(ctx, read.workflow, engine.PutOptions{Force: true})
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("load %s: %w", word, err), own.Close())
	}
	a.tell(read, diff.Problems)
	own.run(ctx)
	return own, read.workflow.ID, nil
}

// tell prints the errors of a workflow before it runs: a run shows what they lead to.
func (a *app) tell(read *source, problems []engine.Problem) {
	found := placesOf([]source{*read}, loadOptions{}).of(read.workflow.ID, problems)
	inFileOrder(found)
	for i := range found {
		if found[i].Level == levelError {
			a.say("%s", found[i])
		}
	}
}

// play starts a session and plays it to its rest.
func (a *app) play(ctx context.Context, s service, start engine.StartRequest, given *answers, o *runOptions) error {
	started, err := s.Start(ctx, start, 0)
	if err != nil {
		return err
	}
	c := &conversation{a: a, s: s, id: started.ID, answers: given, person: a.terminal(), talk: legibleWriter{a.out}, trace: o.trace}
	if given == nil && o.file != "-" {
		c.piped = a.piped()
	}
	if a.json() {
		c.talk = legibleWriter{a.err}
	}
	rested, failed := c.play(ctx)
	if rested == nil {
		return failed
	}
	if failed != nil { // an answer may have been refused, so look again
		a.say("stepgraph: %s", failed)
	}
	if err := a.printRun(context.WithoutCancel(ctx), s, rested); err != nil {
		return err
	}
	if !a.json() && len(rested.Result) > 0 && (o.result || !isSaid(rested)) {
		a.print("%s", rested.Result)
	}
	a.sayHowToGoOn(s, rested, o)
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
func (a *app) sayHowToGoOn(s service, rested *api.Session, o *runOptions) {
	if rested.Status != engine.StatusAwaitingInput || a.json() {
		return
	}
	if own, isOwn := s.(*ownEngine); isOwn && own.Where() == storeMemory {
		a.say("it was played in memory and is gone; give its answers as lines on stdin, or as a JSON list with --answers FILE")
		return
	}
	a.say("go on with: stepgraph session answer %s ANSWER", rested.ID)
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

func (a *app) printRun(ctx context.Context, s service, session *api.Session) error {
	if !a.json() {
		a.sayRest(session)
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
	return a.printJSON(runResult{session, state, executions})
}

// sayRest says why a session rests, where that is not plain.
func (a *app) sayRest(s *api.Session) {
	if s.Status == engine.StatusComplete {
		return
	}
	a.say("session %s of workflow %s is %s", s.ID, s.Workflow, s.Status)
	for _, q := range s.Awaiting {
		a.say("  step %s asks: %s", q.Step, first(short(q.Prompt, 200), "(no prompt)"))
	}
	if s.Error != nil {
		a.say("  %s %s: %s", s.Error.Step, s.Error.Kind, s.Error.Message)
	}
	for _, p := range unsaid(s) {
		a.say("  %s", strings.TrimSpace(strings.Join([]string{first(p.Path, p.Step), p.Message, strings.Join(p.Missing, ", ")}, " ")))
	}
}

// unsaid are the problems of a session beside its error, which is often one of them.
func unsaid(s *api.Session) []engine.SessionProblem {
	var list []engine.SessionProblem
	for _, p := range s.Problems {
		if s.Error == nil || p.Step != s.Error.Step || !strings.Contains(p.Message, s.Error.Message) {
			list = append(list, p)
		}
	}
	return list
}

// answersFile reads the answers of a file; "" is none.
func (a *app) answersFile(name string) (*answers, error) {
	if name == "" {
		return nil, nil
	}
	text, err := a.readFile(name)
	if err != nil {
		return nil, err
	}
	given, err := parseAnswers(text)
	if err != nil {
		return nil, usagef("--answers %s: %s", name, err)
	}
	return given, nil
}

// givenInputs are the flags that give a session its inputs.
type givenInputs struct {
	file   string
	single []string
	prompt string
}

// inputs puts inputs together: a file, then single ones, then the prompt, under the name that
// the workflow's format has for it.
func (a *app) inputs(ctx context.Context, s service, workflow string, from givenInputs) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if from.file != "" {
		given, err := a.readFile(from.file)
		if err != nil {
			return nil, err
		}
		if len(from.single) == 0 && from.prompt == "" {
			return given, nil // in its own order
		}
		if err := json.Unmarshal(given, &all); err != nil {
			return nil, usagef("--inputs %s: want a JSON object: %s", from.file, err)
		}
	}
	for _, one := range from.single {
		key, value, found := strings.Cut(one, "=")
		if !found || key == "" {
			return nil, usagef("--input %s: want KEY=VALUE", one)
		}
		all[key] = valueOf(value)
	}
	if from.prompt != "" {
		w, err := s.Workflow(ctx, workflow)
		if err != nil {
			return nil, err
		}
		name, err := formats.PromptInput(w)
		if err != nil {
			return nil, usagef("--prompt: %s", err)
		}
		all[name] = text(from.prompt)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}

// valueOf is the JSON that a text is, else the text as JSON.
func valueOf(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return text(value)
}
