package main

import (
	"context"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *operatingCommands) auditCommand() *cobra.Command {
	to := &reach{}
	var q engine.AuditQuery
	var since, until string
	var p pageFlags
	c := &cobra.Command{Use: "audit", Short: "Lists who did what, newest first; it needs a token with the scope admin", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if q.Since, err = auditTime(since); err != nil {
				return usagef("--since: %s", err)
			}
			if q.Until, err = auditTime(until); err != nil {
				return usagef("--until: %s", err)
			}
			return cmd.services.with(c.Context(), to, func(s service) error { return cmd.listAudit(c.Context(), s, q, p) })
		}}
	to.register(c)
	f := c.Flags()
	f.StringVar(&q.Who, "who", "", "only what this token did; also operator and anonymous")
	f.StringVar(&q.Action, "action", "", "only this action, such as cancelSession")
	f.StringVar(&q.Session, "session", "", "only what was done to this session")
	f.StringVar(&q.Workflow, "workflow", "", "only what was done to this workflow and its sessions")
	f.BoolVar(&q.Refused, "refused", false, "only what was refused")
	f.StringVar(&since, "since", "", "not older than this: 24h, or a time such as 2026-11-22T10:00:00Z")
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

func (cmd *operatingCommands) listAudit(ctx context.Context, s service, q engine.AuditQuery, p pageFlags) error {
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
		cmd.say("there are more; --all lists all of them")
	}
	return nil
}

// keptAudit is how long entries are kept unless told otherwise.
const keptAudit = 90 * 24 * time.Hour

// auditKeep reads how long entries are kept; 0 is for no trail in the store.
func (h *host) auditKeep(o *serveOptions) (time.Duration, error) {
	text := first(o.auditKeep, h.env("STEPGRAPH_AUDIT_KEEP"), h.config.AuditKeep)
	switch text {
	case "":
		return keptAudit, nil
	case "off":
		return 0, nil
	}
	keep, err := engine.ParseDuration(text)
	if err == nil && keep < time.Minute {
		return 0, usagef("--audit-keep is %s, want at least a minute, or off", text)
	}
	if err != nil {
		return 0, usagef("--audit-keep: %s", err)
	}
	return keep, nil
}

// Bounds of forgetting: a transaction removes so many entries, and there is a pause between
// two, so that a trail of years does not hold up what sessions write.
const (
	forgetAtOnce = 1000
	forgetPause  = 100 * time.Millisecond
	forgetEvery  = time.Hour
)

// forgetAudit removes old entries for as long as ctx lasts.
func (h *host) forgetAudit(ctx context.Context, store engine.Audit, keep time.Duration) {
	for {
		pause := forgetEvery
		n, err := store.ForgetAudit(ctx, time.Now().Add(-keep), forgetAtOnce)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			h.log.Warn("old audit entries cannot be removed", "error", err)
		case n == forgetAtOnce:
			pause = forgetPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// localCaller is who uses a store without a server: the user of the machine.
func localCaller() string {
	if u, err := user.Current(); err == nil {
		return "local:" + u.Username
	}
	return "local"
}

// recordPut writes the entry of a workflow that this process stored without the API, which
// bounds the size of bodies.
func (o *ownEngine) recordPut(ctx context.Context, d *engine.Difference) error {
	return o.engine.Store().RecordAudit(ctx, []engine.AuditEntry{{ID: uuid.Must(uuid.NewV7()).String(), At: time.Now().UTC().Truncate(time.Microsecond),
		Who: localCaller(), Action: "putWorkflow", Workflow: d.Workflow, Count: 1, Status: 200}})
}
