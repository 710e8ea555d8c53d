package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// waitFlag is how long a server may wait for a session to rest.
func waitFlag(c *cobra.Command, wait *time.Duration) {
	c.Flags().DurationVar(wait, "wait", 10*time.Second, "how long a server may wait until the session is idle, at most 1m")
}

// shown prints a session that a call gave.
func (cmd *sessionCommands) shown(s *api.Session, err error) error {
	if err != nil {
		return err
	}
	if cmd.json() {
		return cmd.printJSON(s)
	}
	cmd.print("session   %s", s.ID)
	cmd.print("workflow  %s", s.Workflow)
	cmd.print("status    %s", cmd.statusText(s.Status))
	if s.Error != nil {
		cmd.print("error     %s %s: %s", s.Error.Step, s.Error.Kind, s.Error.Message)
	}
	for _, q := range s.Awaiting {
		cmd.print("asks      %s: %s%s", q.Step, short(q.Prompt, 200), questionNote(q))
		for _, o := range q.Options {
			cmd.print("            - %s", o.Text)
		}
		for _, line := range approves(q) {
			cmd.print("            %s", line)
		}
		if hint := answerHint(q); hint != "" {
			cmd.print("            (%s)", hint)
		}
	}
	for _, p := range otherProblems(s) {
		cmd.print("problem   %s: %s", cmp.Or(p.Path, p.Step), short(p.Message, 200))
	}
	for _, m := range s.Messages {
		cmd.print("%-9s %s", m.Role, m.Content)
	}
	return nil
}

func questionNote(q engine.Question) string {
	switch {
	case q.Gone:
		return "  (its step is gone: see session move)"
	case q.Answered:
		return "  (answered, not applied yet)"
	case q.Kind != engine.AskQuestion:
		return fmt.Sprintf("  (%s)", q.Kind)
	}
	return ""
}

// otherProblems are the problems of a session other than its error, which is often one of them.
func otherProblems(s *api.Session) []engine.SessionProblem {
	var list []engine.SessionProblem
	for _, p := range s.Problems {
		if s.Error == nil || p.Step != s.Error.Step || !strings.Contains(p.Message, s.Error.Message) {
			list = append(list, p)
		}
	}
	return list
}
