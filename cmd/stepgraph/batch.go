package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *batchCommands) batchCommand() *cobra.Command {
	commands := []*cobra.Command{
		cmd.batchListCommand(), cmd.batchShowCommand(), cmd.batchFollowCommand(), cmd.batchResultsCommand(),
		cmd.batchStopCommand(), cmd.batchContinueCommand(), cmd.batchRemoveCommand(),
	}
	for i := range batchActions {
		commands = append(commands, cmd.batchActionCommand(&batchActions[i]))
	}
	c := group("batch", "Does one action to many sessions, and follows it", commands...)
	c.Long = "A batch is one action on many sessions: those of a filter, or those of a file. Its items are written first,\n" +
		"so it survives the end of the engine that works on it, and none is done twice."
	return c
}

// A batchAction is a command that starts batches.
type batchAction struct {
	kind, short string
	step        bool // --step is the step acted on, not a filter
	flags       func(c *cobra.Command, b *batchStart)
}

// batchActions is the whole list.
var batchActions = []batchAction{
	{kind: engine.RequestAnswer, short: "Answers the open questions of many sessions", flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().StringVar(&b.response, "response", "", "the answer, for lines of the file that carry none; what is JSON counts as such, else it is a text")
	}},
	{kind: engine.RequestResume, short: "Lifts the pause of many sessions, or wakes them"},
	{kind: engine.RequestPause, short: "Pauses many sessions"},
	{kind: engine.RequestCancel, short: "Ends many sessions"},
	{kind: engine.RequestRetry, short: "Runs the failed steps of many sessions again", step: true, flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().StringVar(&b.body.Step, "step", "", "only this step")
		c.Flags().BoolVar(&b.body.NewKey, "new-key", false, "ask for fresh idempotency keys")
	}},
	{kind: engine.RequestAdvance, short: "Evaluates a finished step's paths again in many sessions", step: true, flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().StringVar(&b.body.Step, "step", "", "the finished step")
	}},
	{kind: engine.RequestMove, short: "Moves many sessions on to a step", flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().StringVar(&b.body.Step, "from", "", "step to close")
		c.Flags().StringVar(&b.body.To, "to", "", "step to activate")
	}},
	{kind: engine.RequestRollback, short: "Takes many sessions back to before a visit of a step", step: true, flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().StringVar(&b.body.Step, "step", "", "the step before whose visit they go back")
		c.Flags().IntVar(&b.body.Visit, "visit", 0, "which visit; the newest of each session by default")
		c.Flags().StringVar(&b.body.To, "compensate", "", "step that runs before, to undo outside what the sessions cannot")
	}},
	{kind: engine.RequestReask, short: "Shows the step's question of now to many sessions that wait"},
	{kind: engine.RequestSignal, short: "Sends many sessions a signal", flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().StringVar(&b.body.Name, "name", "", "what the sessions wait for")
		c.Flags().StringVar(&b.response, "body", "", "what it carries; what is JSON counts as such, else it is a text")
	}},
	{kind: engine.ActionDelete, short: "Deletes many sessions with all their history", flags: func(c *cobra.Command, b *batchStart) {
		c.Flags().BoolVar(&b.body.Cancel, "cancel", false, "end what has not ended first")
	}},
}

// A batchStart is what one of these commands was given.
type batchStart struct {
	body     api.BatchBody
	filter   filterFlags
	response string
	file     string
	key      string
	all      bool
	follow   followFlags
}

func (cmd *batchCommands) batchActionCommand(action *batchAction) *cobra.Command {
	to := &engineFlags{run: true}
	b := &batchStart{body: api.BatchBody{Action: action.kind}}
	c := &cobra.Command{Use: action.kind + " [filter | --file FILE]", Short: action.short, Args: want(cobra.NoArgs),
		Long: action.short + ".\n\nWhich ones: those that fit all of --status, --workflow, --awaiting, --step, --q, --label, --root, --created-after,\n" +
			"--created-before and --waiting-before when the batch is started, or those of --file: a line of JSON each,\n" +
			`{"session", "step", "response"}, as the results of an earlier batch are. Exits with 1 when an item failed.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.check(); err != nil {
				return err
			}
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error { return cmd.startBatch(c.Context(), s, b) })
		}}
	to.register(c)
	b.filter.register(c.Flags(), !action.step)
	b.follow.register(c.Flags())
	f := c.Flags()
	f.StringVar(&b.file, "file", "", "file with the sessions, NDJSON; - is stdin")
	f.BoolVar(&b.all, "all", false, "every session there is")
	f.BoolVar(&b.body.DryRun, "dry-run", false, "do nothing; the results say what each session would do with the graph of now")
	f.IntVar(&b.body.First, "first", 0, "only so many items")
	f.IntVar(&b.body.Stop, "stop-after-failures", 0, "stop when so many items have failed")
	f.Float64Var(&b.body.Rate, "rate", 0, "at most so many items a second")
	f.StringVar(&b.body.Reason, "reason", "", "why, for the record")
	f.StringVar(&b.key, "key", "", "idempotency key: starting twice with one key gives one batch")
	if action.flags != nil {
		action.flags(c, b)
	}
	return c
}

// check checks that sessions are selected, and completes the body.
func (b *batchStart) check() error {
	if b.response != "" {
		b.body.Answer = value(b.response)
	}
	if b.file != "" {
		if b.filter.given() && (b.body.Action != engine.RequestAnswer && b.body.Action != engine.RequestReask || !b.onlyStep()) || b.all {
			return usagef("--file names the sessions: leave the filter out")
		}
		b.body.Step = cmp.Or(b.body.Step, b.filter.Step)
		return nil
	}
	if !b.filter.given() && !b.all {
		return usagef("which sessions? give a filter such as --workflow, or --file, or --all")
	}
	q, err := b.filter.query()
	if err != nil {
		return err
	}
	b.body.Filter = &api.BatchFilter{Status: q.Status, Workflow: q.Workflow, Awaiting: q.Awaiting, Step: q.Step, Q: q.Text, Labels: q.Labels, Root: q.Root,
		CreatedAfter: q.CreatedAfter, CreatedBefore: q.CreatedBefore, WaitingBefore: q.WaitingBefore}
	switch b.body.Action {
	case engine.RequestAnswer, engine.RequestReask: // of a session that asks twice, the question meant
		b.body.Step = q.Step
	}
	return nil
}

// onlyStep reports whether --step is all of the filter that was given.
func (b *batchStart) onlyStep() bool {
	for _, name := range filterNames {
		if f := b.filter.on.Lookup(name); name != "step" && f != nil && f.Changed {
			return false
		}
	}
	return true
}

// value is JSON as it is, and any other text as a text.
func value(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(strings.TrimSpace(s))
	}
	return text(s)
}

func (cmd *batchCommands) startBatch(ctx context.Context, s *client.Client, b *batchStart) error {
	var lines io.Reader
	switch b.file {
	case "":
	case "-":
		lines = cmd.in
	default:
		file, err := os.Open(b.file)
		if err != nil {
			return err
		}
		defer file.Close()
		lines = file
	}
	started, err := s.StartBatch(ctx, &b.body, lines, b.key)
	if err != nil {
		return err
	}
	return cmd.followBatch(ctx, s, started, &b.follow)
}
