package main

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *sessionCommands) sessionExplainCommand() *cobra.Command {
	c := cmd.engines.engineCommand("explain SESSION", "Explains why a session does not continue: each step, path, clause and missing value, and how to fix it", 1, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			x, err := s.Explain(ctx, args[0])
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(x)
			}
			if _, err = io.WriteString(printableWriter{cmd.out}, x.String()); err != nil {
				return err
			}
			if len(x.Ends) > 0 {
				cmd.printErr("to try another condition on it: stepgraph eval condition TEXT --session %s", args[0])
			}
			return nil
		})
	c.Aliases = []string{"why"}
	return c
}

func (cmd *sessionCommands) sessionRequestsCommand() *cobra.Command {
	return cmd.engines.engineCommand("requests SESSION", "Lists what came from outside: answers, signals and what operators did", 1, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			list, err := s.Requests(args[0]).Next(ctx)
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(map[string]any{"items": list})
			}
			rows := make([][]any, len(list))
			for i, q := range list {
				rows[i] = []any{q.N, q.At.Local().Format(time.DateTime), q.Kind, q.Step, q.By, long(q.Outcome)}
			}
			return cmd.table("N\tAT\tWHAT\tSTEP\tBY\tOUTCOME", rows)
		})
}

func (cmd *sessionCommands) sessionForkCommand() *cobra.Command {
	to := &engineFlags{run: true}
	var q engine.ForkRequest
	var file string
	var wait time.Duration
	c := cmd.engines.engineCommand("fork SESSION --step STEP", "Starts a session as another one was when a visit began; that visit is made again", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			if q.Step == "" {
				return usagef("--step is missing: the step whose visit is made again; stepgraph session history %s lists them", args[0])
			}
			if file != "" {
				state, err := cmd.readFile(file)
				if err != nil {
					return err
				}
				if !json.Valid(state) {
					return usagef("--state %s: is not valid JSON", file)
				}
				q.State = state
			}
			q.Session = args[0]
			return cmd.shown(s.Fork(ctx, q, wait))
		})
	f := c.Flags()
	f.StringVar(&q.Step, "step", "", "step whose visit is made again")
	f.IntVar(&q.Visit, "visit", 0, "which visit of it; the newest by default")
	f.StringVar(&file, "state", "", "file with a state to begin with instead of the one the history gives, JSON; - is stdin")
	f.StringSliceVar(&q.Until, "until", nil, "steps at which the new session ends: their paths are not followed")
	f.StringVar(&q.ID, "id", "", "id of the new session; a fresh one by default")
	f.StringVar(&q.Key, "key", "", "idempotency key: forking twice with one key gives one session")
	waitFlag(c, &wait)
	return c
}
