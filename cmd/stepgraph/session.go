package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *sessionCommands) sessionCommand() *cobra.Command {
	commands := []*cobra.Command{
		cmd.sessionStartCommand(), cmd.sessionListCommand(), cmd.sessionShowCommand(), cmd.sessionAnswerCommand(),
		cmd.sessionWatchCommand(), cmd.sessionHistoryCommand(), cmd.sessionEditCommand(), cmd.sessionDeleteCommand(),
		cmd.sessionExplainCommand(), cmd.sessionForkCommand(), cmd.sessionRequestsCommand(),
	}
	return group("session", "Starts, shows, answers and steers sessions", append(commands, cmd.steeringCommands()...)...)
}

func (cmd *sessionCommands) sessionStartCommand() *cobra.Command {
	to := &engineFlags{run: true}
	var q engine.StartRequest
	var file, prompt string
	var single []string
	var wait time.Duration
	c := cmd.engines.engineCommand("start WORKFLOW", "Starts a session and shows it when it waits or ends", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			inputs, err := cmd.inputs(ctx, s, args[0], givenInputs{file: file, single: single, prompt: prompt})
			if err != nil {
				return err
			}
			q.Workflow, q.Inputs = args[0], inputs
			return cmd.shown(s.Start(ctx, q, wait))
		})
	flags := c.Flags()
	flags.StringVar(&q.ID, "id", "", "id of the session; a fresh one by default")
	flags.StringVar(&q.Entry, "entry", "", "step to start at (root)")
	flags.StringVar(&q.Key, "key", "", "idempotency key: two starts with one key create one session")
	flags.StringToStringVar(&q.Labels, "label", nil, "labels to find it by, NAME=VALUE")
	flags.StringArrayVar(&single, "input", nil, "an input, KEY=VALUE; a VALUE that is JSON counts as such")
	flags.StringVar(&file, "inputs", "", "file with inputs, a JSON object; - is stdin")
	flags.StringVar(&prompt, "prompt", "", "first message of the user, a `text`: the input prompt or question, by the workflow's format")
	waitFlag(c, &wait)
	return c
}

func (cmd *sessionCommands) sessionShowCommand() *cobra.Command {
	to := &engineFlags{}
	var state bool
	var archive string
	c := cmd.engines.engineCommand("show SESSION", "Shows a session, or with --state its state as it is stored", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			if !state {
				return cmd.shown(s.Session(ctx, args[0]))
			}
			text, _, err := s.State(ctx, args[0])
			if err != nil {
				return err
			}
			cmd.print("%s", text)
			return nil
		})
	c.Flags().BoolVar(&state, "state", false, "the state itself, JSON")
	c.Flags().StringVar(&archive, "archive", "", "folder of files that prune has written: shows the session from there")
	live := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if archive != "" {
			return cmd.showArchived(archive, args[0], state)
		}
		return live(c, args)
	}
	return c
}

func (cmd *sessionCommands) sessionAnswerCommand() *cobra.Command {
	to := &engineFlags{run: true}
	var q engine.AnswerRequest
	var wait time.Duration
	var raw bool
	c := cmd.engines.engineCommand("answer SESSION RESPONSE", "Answers a question or an approval", 2, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			q.Session, q.Response = args[0], text(args[1])
			if raw {
				if !json.Valid([]byte(args[1])) {
					return usagef("--json: %s is not valid JSON", short(args[1], 80))
				}
				q.Response = json.RawMessage(args[1])
			} else if json.Valid([]byte(args[1])) {
				var err error
				if q.Response, err = responseFor(ctx, s, q, args[1]); err != nil {
					return err
				}
			}
			return cmd.shown(s.Answer(ctx, q, wait))
		})
	c.Flags().StringVar(&q.Step, "step", "", "step of the question; the oldest open question by default")
	c.Flags().IntVar(&q.Visit, "visit", 0, "visit of the step; the newest by default")
	c.Flags().StringVar(&q.Key, "key", "", "idempotency key: answering twice with one key counts once")
	c.Flags().BoolVar(&raw, "json", false, "RESPONSE is JSON whatever the question asks for")
	waitFlag(c, &wait)
	return c
}

// responseFor reads an answer that could be JSON as the question wants it: 7 is a number where
// the schema asks for one, and a text where it asks for a text.
func responseFor(ctx context.Context, s *client.Client, q engine.AnswerRequest, given string) (json.RawMessage, error) {
	session, err := s.Session(ctx, q.Session)
	if err != nil {
		return nil, err
	}
	for _, open := range session.Awaiting {
		if q.Step == "" || open.Step == q.Step {
			if len(open.Schema) > 0 && !takesText(open.Schema) || open.Kind == engine.AskApproval || open.Kind == engine.AskConfirm {
				return json.RawMessage(given), nil
			}
			break
		}
	}
	return text(given), nil
}

func (cmd *sessionCommands) sessionEditCommand() *cobra.Command {
	to := &engineFlags{run: true}
	var file string
	version := int64(-1)
	c := cmd.engines.engineCommand("edit SESSION --state FILE", "Replaces the state of an idle session", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			if file == "" {
				return usagef("--state is missing: a file with the new state; begin with: stepgraph session show %s --state", args[0])
			}
			state, err := cmd.readFile(file)
			if err != nil {
				return err
			}
			at := version
			if at < 0 {
				if _, at, err = s.State(ctx, args[0]); err != nil {
					return err
				}
			}
			return cmd.shown(s.EditState(ctx, args[0], at, state))
		})
	c.Flags().StringVar(&file, "state", "", "file with the new state, JSON; - is stdin")
	c.Flags().Int64Var(&version, "version", -1, "version that the edit is based on; the stored one by default")
	return c
}

func (cmd *sessionCommands) sessionDeleteCommand() *cobra.Command {
	var cancel bool
	to := &engineFlags{run: true}
	c := cmd.engines.engineCommand("delete SESSION", "Deletes a session with all its history", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			if err := s.DeleteSession(ctx, args[0], cancel); err != nil {
				return err
			}
			cmd.printErr("session %s is deleted", args[0])
			return nil
		})
	c.Flags().BoolVar(&cancel, "cancel", false, "cancel it first, if it has not ended")
	return c
}
