package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

func (a *app) sessionListCommand() *cobra.Command {
	to := &reach{}
	var f filterFlags
	var cursor string
	c := &cobra.Command{Use: "list", Short: "Lists sessions, newest first", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := f.query()
			if err != nil {
				return err
			}
			return a.with(c.Context(), to, func(s service) error { return a.listSessions(c.Context(), s, q, cursor) })
		}}
	to.register(c)
	flags := c.Flags()
	f.register(flags, true)
	flags.IntVar(&f.Limit, "limit", 50, "sessions a page, at most 500")
	flags.StringVar(&cursor, "cursor", "", "where the page begins, as the page before said")
	return c
}

func (a *app) listSessions(ctx context.Context, s service, q engine.SessionQuery, cursor string) error {
	page, err := s.Sessions(ctx, q, cursor)
	if err != nil {
		return err
	}
	if a.json() {
		return a.printJSON(page)
	}
	rows := make([][]any, len(page.Items))
	for i := range page.Items {
		one := &page.Items[i]
		rows[i] = []any{one.ID, one.Workflow, one.Status, one.UpdatedAt.Local().Format(time.DateTime), asks(one)}
	}
	if err := a.table("SESSION\tWORKFLOW\tSTATUS\tUPDATED\tWAITS FOR", rows); err != nil {
		return err
	}
	if page.Next != "" {
		a.say("more: --cursor %s", page.Next)
	}
	return nil
}

// asks says what a session waits for.
func asks(s *api.Session) string {
	var all []string
	for _, q := range s.Awaiting {
		all = append(all, q.Step+": "+short(q.Prompt, 50))
	}
	return strings.Join(all, "; ")
}
