package main

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) countCommand() *cobra.Command {
	to := &reach{}
	var f filterFlags
	var by string
	c := a.onSession("count", "Counts sessions by status, workflow, or the step where they wait", 0, to, func(ctx context.Context, s service, _ []string) error {
		q, err := f.query()
		if err != nil {
			return err
		}
		counted, err := s.CountSessions(ctx, q, by)
		if err != nil {
			return err
		}
		if a.json() {
			return a.printJSON(counted)
		}
		rows := [][]any{}
		for _, name := range slices.Sorted(maps.Keys(counted.Counts)) {
			rows = append(rows, []any{counted.Counts[name], name})
		}
		return a.table("SESSIONS\tOF", append(rows, []any{counted.Total, "all"}))
	})
	f.register(c.Flags(), true)
	c.Flags().StringVar(&by, "by", "status", "status, workflow, workflow,status or step (open questions by workflow/step)")
	return c
}

func (a *app) awaitingCommand() *cobra.Command {
	to := &reach{}
	var f filterFlags
	var cursor string
	c := a.onSession("awaiting", "Lists everything that waits for a person, oldest first", 0, to, func(ctx context.Context, s service, _ []string) error {
		q, err := f.query()
		if err != nil {
			return err
		}
		page, err := s.Awaiting(ctx, q, cursor)
		if err != nil {
			return err
		}
		if a.json() {
			return a.printJSON(page)
		}
		rows := make([][]any, len(page.Items))
		for i, w := range page.Items {
			rows[i] = []any{w.Since.Local().Format(time.DateTime), w.Session, w.Step, w.Kind, short(w.Prompt, 60) + questionNote(w)}
		}
		if err := a.table("SINCE\tSESSION\tSTEP\tKIND\tASKS", rows); err != nil {
			return err
		}
		if page.Next != "" {
			a.say("more: --cursor %s", page.Next)
		}
		return nil
	})
	f.register(c.Flags(), true)
	c.Flags().IntVar(&f.Limit, "limit", 50, "sessions a page, at most 500")
	c.Flags().StringVar(&cursor, "cursor", "", "where the page begins, as the page before said")
	return c
}
