package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *sessionCommands) sessionListCommand() *cobra.Command {
	to := &engineFlags{}
	var f filterFlags
	var p pageFlags
	c := &cobra.Command{Use: "list", Short: "Lists sessions, newest first", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := f.query()
			if err != nil {
				return err
			}
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error { return cmd.listSessions(c.Context(), s, q, p) })
		}}
	to.register(c)
	f.register(c.Flags(), true)
	p.register(c.Flags(), "sessions")
	return c
}

func (cmd *sessionCommands) listSessions(ctx context.Context, s *client.Client, q engine.SessionQuery, p pageFlags) error {
	list, err := readPages(p, func(cursor string, limit int) (*api.Page[api.Session], error) {
		q.Limit = limit
		return s.Sessions(ctx, q, cursor)
	})
	if err != nil {
		return err
	}
	if len(list.Items) == 0 && q.Workflow != "" {
		if _, err := s.Workflow(ctx, q.Workflow); errors.Is(err, engine.ErrWorkflowNotFound) && cmd.neverRan(ctx, s, q.Workflow) {
			return err
		}
	}
	if cmd.json() {
		return cmd.printJSON(list)
	}
	rows := make([][]any, len(list.Items))
	for i := range list.Items {
		one := &list.Items[i]
		rows[i] = []any{one.ID, one.Workflow, status(one.Status), one.UpdatedAt.Local().Format(time.DateTime), long(asks(one))}
	}
	if err := cmd.table("SESSION\tWORKFLOW\tSTATUS\tUPDATED\tWAITS FOR", rows); err != nil {
		return err
	}
	return cmd.more(list.Next, len(list.Items), func() (int64, error) {
		q.Limit = 0
		counts, err := s.CountSessions(ctx, q, "status")
		if err != nil {
			return 0, err
		}
		return counts.Total, nil
	})
}

// neverRan reports whether a workflow has no session at all: one that was removed may have some.
func (cmd *sessionCommands) neverRan(ctx context.Context, s *client.Client, workflow string) bool {
	page, err := s.Sessions(ctx, engine.SessionQuery{Workflow: workflow, Limit: 1}, "")
	return err == nil && len(page.Items) == 0
}

// asks says what a session waits for.
func asks(s *api.Session) string {
	var all []string
	for _, q := range s.Awaiting {
		all = append(all, q.Step+": "+q.Prompt)
	}
	return strings.Join(all, "; ")
}
