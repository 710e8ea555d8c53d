package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

// onBatch makes a command whose word is a batch's id.
func (cmd *batchCommands) onBatch(use, short string, to *engineFlags, do func(ctx context.Context, s *client.Client, id string) error) *cobra.Command {
	return cmd.engines.engineCommand(use, short, 1, to, func(ctx context.Context, s *client.Client, args []string) error { return do(ctx, s, args[0]) })
}

func (cmd *batchCommands) batchListCommand() *cobra.Command {
	to := &engineFlags{}
	var p pageFlags
	c := cmd.engines.engineCommand("list", "Lists batches, newest first", 0, to, func(ctx context.Context, s *client.Client, _ []string) error {
		list, err := readPages(p, func(cursor string, limit int) (*api.Page[api.Batch], error) { return s.Batches(ctx, limit, cursor) })
		if err != nil {
			return err
		}
		if cmd.json() {
			return cmd.printJSON(list)
		}
		rows := make([][]any, len(list.Items))
		for i, b := range list.Items {
			rows[i] = []any{b.ID, b.Action, status(b.Status), b.Total, b.Done, b.Failed, b.CreatedAt.Local().Format(time.DateTime), long(b.Message)}
		}
		if err := cmd.table("BATCH\tACTION\tSTATUS\tITEMS\tDONE\tFAILED\tSTARTED\tMESSAGE", rows); err != nil {
			return err
		}
		if list.Next != "" {
			cmd.printErr("there are more; --all lists all")
		}
		return nil
	})
	p.register(c.Flags(), "batches")
	return c
}

func (cmd *batchCommands) batchFollowCommand() *cobra.Command {
	var f followFlags
	c := cmd.onBatch("follow BATCH", "Follows a batch to its end: progress on stderr, results on stdout", &engineFlags{run: true}, func(ctx context.Context, s *client.Client, id string) error {
		b, err := s.Batch(ctx, id)
		if err != nil {
			return err
		}
		return cmd.followBatch(ctx, s, b, &f)
	})
	c.Flags().BoolVar(&f.failed, "failed", false, "only results that failed")
	return c
}

func (cmd *batchCommands) batchShowCommand() *cobra.Command {
	return cmd.onBatch("show BATCH", "Shows how far a batch has come", &engineFlags{}, func(ctx context.Context, s *client.Client, id string) error {
		b, err := s.Batch(ctx, id)
		if err != nil {
			return err
		}
		return cmd.printBatch(b)
	})
}

func (cmd *batchCommands) batchResultsCommand() *cobra.Command {
	var failed, follow bool
	c := cmd.onBatch("results BATCH", "Prints what became of each item, as NDJSON that can be the next batch's file", &engineFlags{},
		func(ctx context.Context, s *client.Client, id string) error {
			return cmd.copyResults(ctx, s, cmd.data(), id, failed, follow)
		})
	c.Flags().BoolVar(&failed, "failed", false, "only those that failed")
	c.Flags().BoolVar(&follow, "follow", false, "follow until the batch is complete or stopped")
	return c
}

func (cmd *batchCommands) batchStopCommand() *cobra.Command {
	var reason string
	c := cmd.onBatch("stop BATCH", "Stops a batch; completed items are not undone", &engineFlags{}, func(ctx context.Context, s *client.Client, id string) error {
		b, err := s.StopBatch(ctx, id, reason)
		if err != nil {
			return err
		}
		return cmd.printBatch(b)
	})
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	return c
}

func (cmd *batchCommands) batchContinueCommand() *cobra.Command {
	var f followFlags
	c := cmd.onBatch("continue BATCH", "Continues a stopped batch and follows it", &engineFlags{run: true}, func(ctx context.Context, s *client.Client, id string) error {
		b, err := s.ContinueBatch(ctx, id)
		if err != nil {
			return err
		}
		return cmd.followBatch(ctx, s, b, &f)
	})
	f.register(c.Flags())
	return c
}

func (cmd *batchCommands) batchRemoveCommand() *cobra.Command {
	return cmd.onBatch("remove BATCH", "Removes a batch and its results; completed items are not undone", &engineFlags{}, func(ctx context.Context, s *client.Client, id string) error {
		if err := s.DeleteBatch(ctx, id); err != nil {
			return err
		}
		cmd.printErr("batch %s is removed", id)
		return nil
	})
}
