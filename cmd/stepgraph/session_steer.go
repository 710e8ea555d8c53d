package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// steeringCommands are what operators do to one session.
func (cmd *sessionCommands) steeringCommands() []*cobra.Command {
	reason := func(c *cobra.Command, act *engine.Action) {
		c.Flags().StringVar(&act.Reason, "reason", "", "why, for the record")
	}
	step := func(c *cobra.Command, act *engine.Action) {
		c.Flags().StringVar(&act.Step, "step", "", "only this step")
	}
	return []*cobra.Command{
		cmd.steeringCommand("pause SESSION", "Lets running calls finish and starts nothing more", engine.RequestPause, reason),
		cmd.steeringCommand("resume SESSION", "Lifts a pause, or resumes an idle session with its current state and workflow", engine.RequestResume, reason),
		cmd.steeringCommand("cancel SESSION", "Ends a session", engine.RequestCancel, reason),
		cmd.steeringCommand("retry SESSION", "Runs failed steps again", engine.RequestRetry, func(c *cobra.Command, act *engine.Action) {
			step(c, act)
			c.Flags().BoolVar(&act.NewKey, "new-key", false, "ask for a fresh idempotency key")
		}),
		cmd.steeringCommand("advance SESSION --step STEP", "Evaluates a finished step's paths again", engine.RequestAdvance, step),
		cmd.steeringCommand("reask SESSION", "Shows the step's question of now to a session that waits", engine.RequestReask, step),
		cmd.moveCommand(),
		cmd.signalCommand(),
		cmd.rollbackCommand(),
	}
}

func (cmd *sessionCommands) steeringCommand(use, short, kind string, flags func(*cobra.Command, *engine.Action)) *cobra.Command {
	act := &engine.Action{Kind: kind}
	c := cmd.engines.engineCommand(use, short, 1, &engineFlags{run: true}, func(ctx context.Context, s *client.Client, args []string) error {
		act.Session = args[0]
		return cmd.acted(ctx, s, act)
	})
	flags(c, act)
	keyFlag(c, act)
	return c
}

// actWait is how long a command waits for its request to be applied, so that the session it
// shows is the one after it. A call under way may take longer.
const actWait = 5 * time.Second

// acted sends a request and shows the session as it is then, with a word where the request has
// not been applied yet.
func (cmd *sessionCommands) acted(ctx context.Context, s *client.Client, act *engine.Action) error {
	session, err := s.Act(ctx, *act, actWait)
	if err != nil {
		return err
	}
	if err := cmd.shown(session, nil); err != nil || cmd.json() {
		return err
	}
	if outcome := outcomeOf(ctx, s, act); strings.HasPrefix(outcome, "no ") || strings.HasPrefix(outcome, "0 of ") {
		cmd.printErr("%s: %s", act.Kind, outcome) // nothing has changed, and the session does not show that
	}
	if session.Status == engine.StatusActive || act.Kind == engine.RequestPause && session.Status == engine.StatusPending {
		cmd.print("%s is requested; the session is still running: stepgraph session show %s", act.Kind, session.ID)
	}
	return nil
}

// outcomeOf is what came of the newest request of a kind, "" where it is not known.
func outcomeOf(ctx context.Context, s *client.Client, act *engine.Action) (outcome string) {
	if act.Kind != engine.RequestRetry && act.Kind != engine.RequestAdvance {
		return ""
	}
	all, err := s.Requests(act.Session).Next(ctx)
	if err != nil {
		return ""
	}
	for _, q := range slices.Backward(all) {
		if q.Kind == act.Kind {
			return q.Outcome
		}
	}
	return ""
}

func keyFlag(c *cobra.Command, act *engine.Action) {
	c.Flags().StringVar(&act.Key, "key", "", "idempotency key: asking twice with one key counts once")
}

func (cmd *sessionCommands) moveCommand() *cobra.Command {
	act := &engine.Action{Kind: engine.RequestMove}
	c := cmd.engines.engineCommand("move SESSION STEP", "Moves a session on to a step, from one that is gone", 2, &engineFlags{run: true},
		func(ctx context.Context, s *client.Client, args []string) error {
			act.Session, act.To = args[0], args[1]
			return cmd.acted(ctx, s, act)
		})
	c.Flags().StringVar(&act.Step, "from", "", "step to close")
	keyFlag(c, act)
	return c
}

func (cmd *sessionCommands) rollbackCommand() *cobra.Command {
	act := &engine.Action{Kind: engine.RequestRollback}
	c := cmd.engines.engineCommand("rollback SESSION STEP", "Takes a session back to before a visit of a step", 2, &engineFlags{run: true},
		func(ctx context.Context, s *client.Client, args []string) error {
			act.Session, act.Step = args[0], args[1]
			return cmd.acted(ctx, s, act)
		})
	c.Flags().IntVar(&act.Visit, "visit", 0, "which visit; the newest by default")
	c.Flags().StringVar(&act.To, "compensate", "", "step that runs before, to undo outside what the session cannot")
	keyFlag(c, act)
	return c
}

func (cmd *sessionCommands) signalCommand() *cobra.Command {
	act := &engine.Action{Kind: engine.RequestSignal}
	var body string
	c := cmd.engines.engineCommand("signal SESSION NAME", "Sends a signal that a step may wait for", 2, &engineFlags{run: true},
		func(ctx context.Context, s *client.Client, args []string) error {
			act.Session, act.Name = args[0], args[1]
			if body != "" {
				if !json.Valid([]byte(body)) {
					return usagef("--body: %s is not valid JSON", short(body, 80))
				}
				act.Body = json.RawMessage(body)
			}
			return cmd.acted(ctx, s, act)
		})
	c.Flags().StringVar(&body, "body", "", "what it carries, JSON")
	keyFlag(c, act)
	return c
}
