package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
)

// onBatch makes a command whose word is a batch's id.
func (a *app) onBatch(use, short string, to *reach, do func(ctx context.Context, s service, id string) error) *cobra.Command {
	return a.onSession(use, short, 1, to, func(ctx context.Context, s service, args []string) error { return do(ctx, s, args[0]) })
}

func (a *app) batchListCommand() *cobra.Command {
	to := &reach{}
	var p pageFlags
	c := a.onSession("list", "Lists batches, newest first", 0, to, func(ctx context.Context, s service, _ []string) error {
		list, err := readPages(p, func(cursor string) (*api.Page[api.Batch], error) { return s.Batches(ctx, p.size(), cursor) })
		if err != nil {
			return err
		}
		if a.json() {
			return a.printJSON(list)
		}
		rows := make([][]any, len(list.Items))
		for i, b := range list.Items {
			rows[i] = []any{b.ID, b.Action, status(b.Status), b.Total, b.Done, b.Failed, b.CreatedAt.Local().Format(time.DateTime), long(b.Message)}
		}
		if err := a.table("BATCH\tACTION\tSTATUS\tITEMS\tDONE\tFAILED\tSTARTED\tMESSAGE", rows); err != nil {
			return err
		}
		if list.Next != "" {
			a.say("there are more; --all lists all of them")
		}
		return nil
	})
	p.register(c.Flags(), "batches")
	return c
}

func (a *app) batchFollowCommand() *cobra.Command {
	var f followFlags
	c := a.onBatch("follow BATCH", "Follows a batch to its end: progress on stderr, results on stdout", &reach{run: true}, func(ctx context.Context, s service, id string) error {
		b, err := s.Batch(ctx, id)
		if err != nil {
			return err
		}
		return a.followBatch(ctx, s, b, &f)
	})
	c.Flags().BoolVar(&f.failed, "failed", false, "of the results, only those that failed")
	return c
}

func (a *app) batchShowCommand() *cobra.Command {
	return a.onBatch("show BATCH", "Shows how far a batch has come", &reach{}, func(ctx context.Context, s service, id string) error {
		b, err := s.Batch(ctx, id)
		if err != nil {
			return err
		}
		return a.printBatch(b)
	})
}

func (a *app) printBatch(b *api.Batch) error {
	if a.json() {
		return a.printJSON(b)
	}
	a.print("batch %s", summary(b))
	a.print("action %s, started %s", b.Action, b.CreatedAt.Local().Format(time.DateTime))
	return nil
}

func (a *app) batchResultsCommand() *cobra.Command {
	var failed, follow bool
	c := a.onBatch("results BATCH", "Prints what became of each item, as NDJSON that can be the next batch's file", &reach{},
		func(ctx context.Context, s service, id string) error {
			return a.copyResults(ctx, s, a.data(), id, failed, follow)
		})
	c.Flags().BoolVar(&failed, "failed", false, "only those that failed")
	c.Flags().BoolVar(&follow, "follow", false, "go on until the batch is complete or stopped")
	return c
}

func (a *app) batchStopCommand() *cobra.Command {
	var reason string
	c := a.onBatch("stop BATCH", "Stops a batch; what is done stays done", &reach{}, func(ctx context.Context, s service, id string) error {
		b, err := s.StopBatch(ctx, id, reason)
		if err != nil {
			return err
		}
		return a.printBatch(b)
	})
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	return c
}

func (a *app) batchContinueCommand() *cobra.Command {
	var f followFlags
	c := a.onBatch("continue BATCH", "Lets a stopped batch go on where it was, and follows it", &reach{run: true}, func(ctx context.Context, s service, id string) error {
		b, err := s.ContinueBatch(ctx, id)
		if err != nil {
			return err
		}
		return a.followBatch(ctx, s, b, &f)
	})
	f.register(c.Flags())
	return c
}

func (a *app) batchRemoveCommand() *cobra.Command {
	return a.onBatch("remove BATCH", "Removes a batch and its results; what it did stays done", &reach{}, func(ctx context.Context, s service, id string) error {
		if err := s.DeleteBatch(ctx, id); err != nil {
			return err
		}
		a.say("batch %s is removed", id)
		return nil
	})
}
