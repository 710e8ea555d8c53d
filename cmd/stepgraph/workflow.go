package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *workflowCommands) workflowCommand() *cobra.Command {
	return group("workflow", "Says whom an edit touches, makes edits and takes them back",
		cmd.workflowStatsCommand(), cmd.workflowAffectedCommand(), cmd.workflowWhatIfCommand(),
		cmd.workflowLogCommand(), cmd.workflowDiffCommand(), cmd.workflowRestoreCommand(),
		cmd.setCommand(&stepPart), cmd.removeCommand(&stepPart), cmd.setCommand(&pathPart), cmd.removeCommand(&pathPart),
		cmd.workflowDeleteCommand())
}

func (cmd *workflowCommands) workflowLogCommand() *cobra.Command {
	var step string
	c := cmd.engines.engineCommand("log WORKFLOW", "Lists what the steps of a workflow have been and what changed, oldest first", 1, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			log, err := s.WorkflowLog(ctx, args[0], step)
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(map[string]any{"items": log})
			}
			rows := make([][]any, len(log))
			for i, e := range log {
				rows[i] = []any{e.FirstSeen.Local().Format(time.DateTime), e.Step, e.Hash[:min(12, len(e.Hash))], map[bool]string{true: "now"}[e.Current], long(changesOf(&e))}
			}
			return cmd.table("FIRST SEEN\tSTEP\tHASH\t\tCHANGED", rows)
		})
	c.Flags().StringVar(&step, "step", "", "only this step")
	return c
}

// changesOf is what an entry of the log changed, in one line.
func changesOf(e *engine.LogEntry) string {
	if len(e.Changes) == 0 {
		return "new"
	}
	all := make([]string, len(e.Changes))
	for i, d := range e.Changes {
		switch from, to := plain(d.From), plain(d.To); {
		case len(d.From) == 0:
			all[i] = "+ " + d.Name + " " + short(to, 40)
		case len(d.To) == 0:
			all[i] = "- " + d.Name
		default:
			from, to = differing(from, to)
			all[i] = d.Name + ": " + from + " → " + to
		}
	}
	return strings.Join(all, "; ")
}

// around is how many characters are shown on both sides of a difference.
const around = 12

// differing is where two texts differ, with a little of what stands around it.
func differing(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	front := 0
	for front < min(len(x), len(y)) && x[front] == y[front] {
		front++
	}
	back := 0
	for back < min(len(x), len(y))-front && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	front, back = max(front-around, 0), max(back-around, 0)
	part := func(t []rune) string {
		s := string(t[front : len(t)-back])
		if front > 0 {
			s = "…" + s
		}
		if back > 0 {
			s += "…"
		}
		return s
	}
	return part(x), part(y)
}

func (cmd *workflowCommands) workflowDiffCommand() *cobra.Command {
	var to string
	c := cmd.engines.engineCommand("diff WORKFLOW STEP HASH", "Compares what a step was with what it is", 3, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			changes, err := s.DefinitionDiff(ctx, args[0], args[1], args[2], to)
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(map[string]any{"items": changes})
			}
			for _, d := range changes {
				cmd.print("%s", d.Name)
				if len(d.From) > 0 {
					cmd.print("- %s", plain(d.From))
				}
				if len(d.To) > 0 {
					cmd.print("+ %s", plain(d.To))
				}
			}
			return nil
		})
	c.Flags().StringVar(&to, "to", "", "hash of another text to compare with, instead of what the step is now")
	return c
}

func (cmd *workflowCommands) workflowRestoreCommand() *cobra.Command {
	return cmd.engines.engineCommand("restore WORKFLOW STEP HASH", "Makes a step what it was, its outgoing paths too; a removed one comes back", 3, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			restored, err := s.RestoreStep(ctx, args[0], args[1], args[2])
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(restored)
			}
			cmd.print("step %s of %s is restored", args[1], args[0])
			for _, p := range restored.Problems {
				cmd.print("%s", locatedProblem{args[0], p})
			}
			cmd.touches(&restored.Affected)
			return nil
		})
}

func (cmd *workflowCommands) workflowStatsCommand() *cobra.Command {
	return cmd.engines.engineCommand("stats WORKFLOW", "Counts the sessions of a workflow by status and by the step where they wait", 1, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			stats, err := s.Stats(ctx, args[0])
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(stats)
			}
			rows := [][]any{{stats.Sessions, "sessions"}}
			for _, status := range slices.Sorted(maps.Keys(stats.Status)) {
				rows = append(rows, []any{stats.Status[status], status})
			}
			for _, step := range slices.Sorted(maps.Keys(stats.Waiting)) {
				rows = append(rows, []any{stats.Waiting[step], "questions open at " + step})
			}
			for _, q := range stats.Queues {
				of := ""
				if q.Key != "" {
					of = " with the key " + q.Key
				}
				rows = append(rows, []any{q.Waiting, "wait for their turn" + of}, []any{q.Running, "have their turn" + of})
			}
			return cmd.table("COUNT\tOF", rows)
		})
}

func (cmd *workflowCommands) workflowAffectedCommand() *cobra.Command {
	var step, path string
	var limit int
	c := cmd.engines.engineCommand("affected WORKFLOW --step STEP|--path PATH", "Says which sessions an edit of a step or path would touch", 1, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			if (step == "") == (path == "") {
				return usagef("give --step or --path, one of the two")
			}
			x, err := s.Affected(ctx, args[0], step, path, limit)
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(x)
			}
			cmd.print("of %d sessions of %s that have not ended:", x.Scanned, args[0])
			for _, g := range []struct {
				where string
				group *engine.AffectedGroup
			}{{"at", &x.At}, {"can reach", &x.Before}, {"past", &x.Behind}} {
				cmd.print("%6d %s %s%s", g.group.Count, g.where, x.Step, named(g.group.Sessions, g.group.Count))
			}
			if x.More {
				cmd.print("there are others; --limit looks at more")
			}
			return nil
		})
	c.Flags().StringVar(&step, "step", "", "the step")
	c.Flags().StringVar(&path, "path", "", "the path, by id or as SOURCE>TARGET")
	c.Flags().IntVar(&limit, "limit", 10_000, "sessions looked at, newest first")
	return c
}

// named lists ids, and says when there are more.
func named(ids []string, count int) string {
	if len(ids) == 0 {
		return ""
	}
	text := ": " + strings.Join(ids, " ")
	if count > len(ids) {
		text += fmt.Sprintf(" and %d more", count-len(ids))
	}
	return text
}

func (cmd *workflowCommands) workflowWhatIfCommand() *cobra.Command {
	var operator string
	var limit int
	c := cmd.engines.engineCommand("whatif WORKFLOW PATH CONDITION", "Says how many of the last sessions would go elsewhere if a path had another condition", 3, &engineFlags{},
		func(ctx context.Context, s *client.Client, args []string) error {
			x, err := s.WhatIf(ctx, args[0], args[1], args[2], operator, limit)
			if err != nil {
				return err
			}
			cmd.sayAlwaysTrue(args[2])
			if cmd.json() {
				return cmd.printJSON(x)
			}
			cmd.print("of %d sessions that have finished the source of %s:", x.Scanned, args[1])
			cmd.print("%6d take the path now", x.OpenNow)
			cmd.print("%6d would take it then", x.OpenThen)
			cmd.print("%6d would go elsewhere%s", x.Changed, named(x.Sessions, x.Changed))
			return nil
		})
	c.Flags().StringVar(&operator, "operator", "", "operator of the path: AND (the default) or OR")
	c.Flags().IntVar(&limit, "limit", 100, "sessions to judge it on, newest first")
	return c
}
