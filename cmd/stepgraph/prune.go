package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
)

type pruneFlags struct {
	older    string
	statuses []string
	keep     []string
	query    retention.Query
	archive  string
	dry      bool
	rate     float64
}

func (cmd *operatingCommands) pruneCommand() *cobra.Command {
	to := &engineFlags{}
	var f pruneFlags
	c := cmd.engines.engineCommand("prune", "Removes sessions that ended long enough ago", 0, to,
		func(ctx context.Context, s *client.Client, _ []string) error { return cmd.prune(ctx, s, &f) })
	c.Long = "prune removes sessions that are complete, cancelled or in error, each with its child sessions. Sessions that are running,\n" +
		"that wait, or that are items of a running batch, are kept. It works page by page, concurrently with other work, and\n" +
		"one that was cut off is simply called again. Without --older-than and --keep the engine's own settings count.\n\n" +
		"With --archive each session is on disk, whole, before it is removed: stepgraph session show --archive DIR SESSION reads it."
	flags := c.Flags()
	flags.StringVar(&f.older, "older-than", "", "age since the session ended, such as 30d or 12h")
	flags.StringSliceVar(&f.statuses, "status", nil, "with --older-than: complete, error, cancelled; all three by default")
	flags.StringSliceVar(&f.keep, "keep", nil, "rules instead of --older-than: STATUS=AGE or WORKFLOW:STATUS=AGE, such as complete=30d,chat:error=90d")
	flags.StringVar(&f.query.Workflow, "workflow", "", "only sessions of this workflow")
	flags.StringToStringVar(&f.query.Labels, "label", nil, "only sessions with these labels, NAME=VALUE")
	flags.StringVar(&f.archive, "archive", "", "folder that takes the sessions before they are removed, as NDJSON files")
	flags.BoolVar(&f.dry, "dry-run", false, "only count")
	flags.Float64Var(&f.rate, "rate", 0, "sessions a second at most; 0 for as fast as the store's other work allows")
	return c
}

// rules reads what to keep; nil for what the engine was started with.
func (f *pruneFlags) rules() (retention.Keep, error) {
	if f.older != "" && len(f.keep) > 0 {
		return nil, usagef("--older-than and --keep exclude one another")
	}
	if f.older == "" && len(f.statuses) > 0 {
		return nil, usagef("--status counts with --older-than; in --keep it stands before the age: complete=30d")
	}
	rules := f.keep
	if f.older != "" {
		for _, status := range f.statuses {
			rules = append(rules, status+"="+f.older)
		}
		if len(f.statuses) == 0 {
			rules = []string{"ended=" + f.older}
		}
	}
	if len(rules) == 0 {
		return nil, nil
	}
	keep, err := retention.ParseKeep(rules)
	if err != nil {
		return nil, usagef("%s", err)
	}
	return keep, nil
}

func (cmd *operatingCommands) prune(ctx context.Context, s *client.Client, f *pruneFlags) (err error) {
	q := f.query
	if q.Keep, err = f.rules(); err != nil {
		return err
	}
	if q.Keep == nil {
		if q.Keep, err = cmd.host.keepRules(nil); err != nil {
			return err
		}
		if s.Local() && len(q.Keep) == 0 {
			return usagef("say what may go: --older-than 30d, or --keep complete=30d,cancelled=7d")
		}
		if len(q.Keep) == 0 {
			q.Keep = nil
		}
	}
	readTimings := retention.Pace{PerSecond: f.rate, Report: func(t retention.Total) {
		if !f.dry && t.Removed > 0 {
			cmd.printErr("removed %d", t.Removed)
		}
	}}
	var total retention.Total
	if f.dry {
		total, err = retention.Prune(ctx, s, q, nil, readTimings, true)
	} else {
		q.Owner = "prune " + rand.Text()
		total, err = retention.RunThrough(ctx, s, q, f.archive, readTimings)
		err = errors.Join(err, s.EndPrune(context.WithoutCancel(ctx), q.Owner))
	}
	if err != nil {
		return err
	}
	return cmd.printPruned(&total, f.dry)
}

func (cmd *operatingCommands) printPruned(t *retention.Total, dry bool) error {
	if cmd.json() {
		return cmd.printJSON(t)
	}
	if dry {
		cmd.print("%d sessions would be removed (%d looked at)", t.Found, t.Looked)
		of := make([]string, 0, len(t.Of))
		for name := range t.Of {
			of = append(of, name)
		}
		sort.Strings(of)
		for _, name := range of {
			cmd.print("  %8d  %s", t.Of[name], strings.Replace(name, ",", "  ", 1))
		}
	} else {
		cmd.print("%d sessions removed", t.Removed)
		if t.Archived > 0 {
			cmd.print("%d sessions archived", t.Archived)
		}
	}
	for _, reason := range []string{retention.SparedLive, retention.SparedBatch, retention.SparedChanged} {
		if n := t.Spared[reason]; n > 0 {
			cmd.print("%d families stay: %s", n, sparedTexts[reason])
		}
	}
	return nil
}

var sparedTexts = map[string]string{
	retention.SparedLive:    "a session of theirs goes on",
	retention.SparedBatch:   "a running batch has to do with them",
	retention.SparedChanged: "they were taken up again meanwhile",
}

// showArchived prints a session from the files of an archive.
func (cmd *sessionCommands) showArchived(dir, id string, state bool) error {
	lines, err := retention.Read(dir, id)
	if errors.Is(err, engine.ErrSessionNotFound) {
		return notFoundf("%s", err)
	}
	if err != nil {
		return err
	}
	d := retention.Assemble(lines)
	switch {
	case state:
		cmd.print("%s", d.Session.State)
	case cmd.json():
		return cmd.printJSON(d)
	default:
		cmd.print("session   %s", d.Session.ID)
		cmd.print("workflow  %s", d.Session.Workflow)
		cmd.print("status    %s", cmd.statusText(d.Session.Status))
		cmd.print("ended     %s", d.Session.UpdatedAt.Local().Format("2006-01-02 15:04:05"))
		cmd.print("archived  %d executions, %d messages, %d requests", len(d.Executions), len(d.Messages), len(d.Requests))
		for _, m := range d.Messages {
			cmd.print("%-9s %s", m.Role, short(m.Content, 500))
		}
		for i := range d.Executions {
			x := &d.Executions[i]
			cmd.print("%5d  %s", x.Seq, fmt.Sprintf("%s/%d  %s  %s", x.Step, x.Visit, x.Status, short(string(x.Output), 120)))
		}
	}
	return nil
}
