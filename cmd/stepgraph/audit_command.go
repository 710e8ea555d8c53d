package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *operatingCommands) auditCommand() *cobra.Command {
	to := &engineFlags{}
	var q engine.AuditQuery
	var since, until string
	var p pageFlags
	c := &cobra.Command{Use: "audit", Short: "Lists the audit trail, newest first; needs a token with the scope admin", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if q.Since, err = auditTime(since); err != nil {
				return usagef("--since: %s", err)
			}
			if q.Until, err = auditTime(until); err != nil {
				return usagef("--until: %s", err)
			}
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error { return cmd.listAudit(c.Context(), s, q, p) })
		}}
	to.register(c)
	f := c.Flags()
	f.StringVar(&q.Who, "who", "", "only entries of this token; also operator and anonymous")
	f.StringVar(&q.Action, "action", "", "only this action, such as cancelSession")
	f.StringVar(&q.Session, "session", "", "only entries of this session")
	f.StringVar(&q.Workflow, "workflow", "", "only entries of this workflow and its sessions")
	f.BoolVar(&q.Refused, "refused", false, "only refused requests")
	f.StringVar(&since, "since", "", "at most this old: 24h, or a time such as 2026-11-22T10:00:00Z")
	f.StringVar(&until, "until", "", "older than this")
	p.register(f, "entries")
	return c
}

// auditTime reads --since and --until; the zero time for "".
func auditTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return moment(text, time.Now())
}

func (cmd *operatingCommands) listAudit(ctx context.Context, s *client.Client, q engine.AuditQuery, p pageFlags) error {
	list, err := readPages(p, func(cursor string, limit int) (*api.Page[api.AuditEntry], error) {
		q.Limit = limit
		return s.Audit(ctx, q, cursor)
	})
	if err != nil {
		return err
	}
	if cmd.json() {
		return cmd.printJSON(list)
	}
	rows := make([][]any, len(list.Items))
	for i, e := range list.Items {
		outcome := strconv.Itoa(e.Status)
		if e.Count > 1 {
			outcome += " (" + strconv.FormatInt(e.Count, 10) + " times)"
		}
		on := strings.Join(strings.Fields(e.Workflow+" "+e.Session+" "+e.Subject), " ")
		rows[i] = []any{e.At.Local().Format(time.DateTime), e.Who, e.From, e.Action, long(on), outcome}
	}
	if err := cmd.table("AT\tWHO\tFROM\tACTION\tON\tSTATUS", rows); err != nil {
		return err
	}
	if list.Next != "" {
		cmd.printErr("there are more; --all lists all")
	}
	return nil
}
