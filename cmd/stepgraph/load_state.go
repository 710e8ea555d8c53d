package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// startSaved starts a session for each file that carries a state, once all workflows are
// there: one may run another. The sessions continue as soon as an engine runs.
func (cmd *loadCommands) startSaved(ctx context.Context, s *client.Client, sources []source, workflow string) error {
	started := 0
	for _, from := range sources {
		if from.start == nil {
			continue
		}
		q := *from.start
		q.Workflow = cmp.Or(workflow, q.Workflow)
		session, err := s.Start(ctx, q, 0)
		if err != nil {
			return fmt.Errorf("start a session of workflow %s from the state in %s: %w", q.Workflow, from.file, err)
		}
		started++
		if err := cmd.printStarted(q, session.ID, from.file); err != nil {
			return err
		}
	}
	if started == 0 {
		cmd.printErr("no file carries a state: no session was started")
	}
	return nil
}

func (cmd *loadCommands) printStarted(q engine.StartRequest, session, file string) error {
	if cmd.json() {
		return cmd.printJSON(map[string]string{"workflow": q.Workflow, "session": session})
	}
	cmd.print("%s: session %s goes on from the state in %s", q.Workflow, session, file)
	return nil
}
