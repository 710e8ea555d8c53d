package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
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

// onSession makes a command that asks one engine, such as one whose first word is a
// session's id.
func (f *services) onSession(use, short string, words int, to *reach, do func(ctx context.Context, s service, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: want(cobra.ExactArgs(words)),
		RunE: func(c *cobra.Command, args []string) error {
			return f.with(c.Context(), to, func(s service) error { return do(c.Context(), s, args) })
		}}
	to.register(c)
	return c
}

// waitFlag is how long a server may wait for a session to rest.
func waitFlag(c *cobra.Command, wait *time.Duration) {
	c.Flags().DurationVar(wait, "wait", 10*time.Second, "how long a server may wait for the session to rest, at most 1m")
}

func (cmd *sessionCommands) sessionStartCommand() *cobra.Command {
	to := &reach{run: true}
	var q engine.StartRequest
	var file, prompt string
	var single []string
	var wait time.Duration
	c := cmd.services.onSession("start WORKFLOW", "Starts a session and shows it at its next pause or end", 1, to,
		func(ctx context.Context, s service, args []string) error {
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
	flags.StringVar(&q.Key, "key", "", "idempotency key: starting twice with one key gives one session")
	flags.StringToStringVar(&q.Labels, "label", nil, "labels to find it by, NAME=VALUE")
	flags.StringArrayVar(&single, "input", nil, "an input, KEY=VALUE; a VALUE that is JSON counts as such")
	flags.StringVar(&file, "inputs", "", "file with inputs, a JSON object; - is stdin")
	flags.StringVar(&prompt, "prompt", "", "what the person says first, a `text`: the input of the workflow's format, prompt or question")
	waitFlag(c, &wait)
	return c
}

func (cmd *sessionCommands) sessionShowCommand() *cobra.Command {
	to := &reach{}
	var state bool
	var archive string
	c := cmd.services.onSession("show SESSION", "Shows a session, or with --state its state as it is stored", 1, to,
		func(ctx context.Context, s service, args []string) error {
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
	to := &reach{run: true}
	var q engine.AnswerRequest
	var wait time.Duration
	var raw bool
	c := cmd.services.onSession("answer SESSION RESPONSE", "Answers a question or an approval", 2, to,
		func(ctx context.Context, s service, args []string) error {
			q.Session, q.Response = args[0], text(args[1])
			if raw {
				if !json.Valid([]byte(args[1])) {
					return usagef("--json: %s is not valid JSON", short(args[1], 80))
				}
				q.Response = json.RawMessage(args[1])
			} else if json.Valid([]byte(args[1])) {
				var err error
				if q.Response, err = fitting(ctx, s, q, args[1]); err != nil {
					return err
				}
			}
			return cmd.shown(s.Answer(ctx, q, wait))
		})
	c.Flags().StringVar(&q.Step, "step", "", "step that asks; the one that waits longest by default")
	c.Flags().IntVar(&q.Visit, "visit", 0, "which visit of the step asks; the newest by default")
	c.Flags().StringVar(&q.Key, "key", "", "idempotency key: answering twice with one key counts once")
	c.Flags().BoolVar(&raw, "json", false, "RESPONSE is JSON whatever the question asks for")
	waitFlag(c, &wait)
	return c
}

// fitting reads an answer that could be JSON as the question wants it: 7 is a number where
// the schema asks for one, and a text where it asks for a text.
func fitting(ctx context.Context, s service, q engine.AnswerRequest, given string) (json.RawMessage, error) {
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
	to := &reach{run: true}
	var file string
	version := int64(-1)
	c := cmd.services.onSession("edit SESSION --state FILE", "Replaces the state of a session at rest", 1, to,
		func(ctx context.Context, s service, args []string) error {
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
	c.Flags().Int64Var(&version, "version", -1, "version that the edit was made on; whatever is stored by default")
	return c
}

func (cmd *sessionCommands) sessionDeleteCommand() *cobra.Command {
	var cancel bool
	to := &reach{run: true}
	c := cmd.services.onSession("delete SESSION", "Deletes a session with all its history", 1, to,
		func(ctx context.Context, s service, args []string) error {
			if err := s.DeleteSession(ctx, args[0], cancel); err != nil {
				return err
			}
			cmd.say("session %s is deleted", args[0])
			return nil
		})
	c.Flags().BoolVar(&cancel, "cancel", false, "cancel it first, if it has not ended")
	return c
}

// shown prints a session that a call gave.
func (cmd *sessionCommands) shown(s *api.Session, err error) error {
	if err != nil {
		return err
	}
	if cmd.json() {
		return cmd.printJSON(s)
	}
	cmd.print("session   %s", s.ID)
	cmd.print("workflow  %s", s.Workflow)
	cmd.print("status    %s", cmd.statusText(s.Status))
	if s.Error != nil {
		cmd.print("error     %s %s: %s", s.Error.Step, s.Error.Kind, s.Error.Message)
	}
	for _, q := range s.Awaiting {
		cmd.print("asks      %s: %s%s", q.Step, short(q.Prompt, 200), questionNote(q))
		for _, o := range q.Options {
			cmd.print("            - %s", o.Text)
		}
		for _, line := range approves(q) {
			cmd.print("            %s", line)
		}
		if hint := wants(q); hint != "" {
			cmd.print("            (%s)", hint)
		}
	}
	for _, p := range unsaid(s) {
		cmd.print("problem   %s: %s", first(p.Path, p.Step), short(p.Message, 200))
	}
	for _, m := range s.Messages {
		cmd.print("%-9s %s", m.Role, m.Content)
	}
	return nil
}

func questionNote(q engine.Question) string {
	switch {
	case q.Gone:
		return "  (its step is gone: see session move)"
	case q.Answered:
		return "  (answered, not applied yet)"
	case q.Kind != engine.AskQuestion:
		return fmt.Sprintf("  (%s)", q.Kind)
	}
	return ""
}
