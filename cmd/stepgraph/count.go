package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *sessionCommands) countCommand() *cobra.Command {
	to := &engineFlags{}
	var f filterFlags
	var by string
	c := cmd.engines.engineCommand("count", "Counts sessions by status, workflow, or the step where they wait", 0, to, func(ctx context.Context, s *client.Client, _ []string) error {
		q, err := f.query()
		if err != nil {
			return err
		}
		counted, err := s.CountSessions(ctx, q, by)
		if err != nil {
			return err
		}
		if cmd.json() {
			return cmd.printJSON(counted)
		}
		rows := [][]any{}
		for _, name := range slices.Sorted(maps.Keys(counted.Counts)) {
			rows = append(rows, []any{counted.Counts[name], name})
		}
		return cmd.table("SESSIONS\tOF", append(rows, []any{counted.Total, "all"}))
	})
	f.register(c.Flags(), true)
	c.Flags().StringVar(&by, "by", "status", "status, workflow, workflow,status or step (open questions by workflow/step)")
	return c
}

func (cmd *sessionCommands) awaitingCommand() *cobra.Command {
	to := &engineFlags{}
	var f filterFlags
	var p pageFlags
	c := cmd.engines.engineCommand("awaiting", "Lists everything that waits for a person, oldest first", 0, to, func(ctx context.Context, s *client.Client, _ []string) error {
		q, err := f.query()
		if err != nil {
			return err
		}
		list, err := readPages(p, func(cursor string, limit int) (*api.Page[engine.Question], error) {
			q.Limit = limit
			return s.Awaiting(ctx, q, cursor)
		})
		if err != nil {
			return err
		}
		if cmd.json() {
			return cmd.printJSON(list)
		}
		rows := make([][]any, len(list.Items))
		for i, w := range list.Items {
			rows[i] = []any{w.Since.Local().Format(time.DateTime), w.Session, w.Step, w.Kind, long(cmp.Or(w.Prompt, unprompted(w)) + questionNote(w))}
		}
		if err := cmd.table("SINCE\tSESSION\tSTEP\tKIND\tASKS", rows); err != nil {
			return err
		}
		return cmd.more(list.Next, len(list.Items), func() (int64, error) { return openQuestions(ctx, s, q) })
	})
	f.register(c.Flags(), true)
	p.register(c.Flags(), "sessions")
	return c
}

// unprompted says who waits at a question without a prompt, such as a caller: the workflow, the
// labels of the session and the newest line of its chat.
func unprompted(q engine.Question) string {
	who := []string{q.Workflow}
	for _, name := range slices.Sorted(maps.Keys(q.Labels)) {
		who = append(who, name+"="+q.Labels[name])
	}
	return strings.TrimSpace("(" + strings.Join(who, " ") + ") " + q.Last)
}

// openQuestions counts the questions of a filter's sessions.
func openQuestions(ctx context.Context, s *client.Client, q engine.SessionQuery) (total int64, err error) {
	q.Limit = 0
	counts, err := s.CountSessions(ctx, q, "step")
	if err != nil {
		return 0, err
	}
	for _, n := range counts.Counts {
		total += n
	}
	return total, nil
}
