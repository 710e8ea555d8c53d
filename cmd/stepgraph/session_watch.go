package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *sessionCommands) sessionHistoryCommand() *cobra.Command {
	to := &engineFlags{}
	var step string
	c := cmd.engines.engineCommand("history SESSION", "Lists what ran, in order", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			list, err := s.Executions(args[0], step).Next(ctx)
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(map[string]any{"items": list})
			}
			for i := range list {
				cmd.print("%s", executionLine(&list[i]))
			}
			return nil
		})
	c.Flags().StringVar(&step, "step", "", "only this step")
	return c
}

func (cmd *sessionCommands) sessionWatchCommand() *cobra.Command {
	to := &engineFlags{run: true}
	var last string
	c := cmd.engines.engineCommand("watch SESSION", "Follows a session until it ends", 1, to,
		func(ctx context.Context, s *client.Client, args []string) error {
			events, err := s.Subscribe(ctx, args[0], last)
			if err != nil {
				return err
			}
			for ev := range events {
				if err := cmd.printEvent(ev); err != nil {
					return err
				}
			}
			return nil
		})
	c.Flags().StringVar(&last, "last-event-id", "", "go on behind this event")
	return c
}

// printEvent prints an event as a line; as JSON {event, id, data}.
func (cmd *sessionCommands) printEvent(ev client.Event) error {
	if cmd.json() {
		return cmd.printJSON(ev)
	}
	var data struct {
		ID, Status, Step, Role, Content string
		Visit                           int
		Caller                          string
		Retry                           *engine.RetryEvent
	}
	if err := json.Unmarshal(ev.Data, &data); err != nil {
		return fmt.Errorf("event %s: %w", ev.Type, err)
	}
	switch engine.EventType(ev.Type) {
	case engine.EventStep:
		line := fmt.Sprintf("step %s, visit %d: %s", data.Step, data.Visit, data.Status)
		if data.Caller != "" {
			line += ", called by " + data.Caller
		}
		if data.Retry != nil {
			line += fmt.Sprintf(", attempt %d at %s: %s", data.Retry.Attempt, data.Retry.At.Format(time.RFC3339), data.Retry.Message)
		}
		cmd.print("%s", line)
	case engine.EventMessage:
		cmd.print("%s: %s", data.Role, data.Content)
	case engine.EventSnapshot, engine.EventSession, engine.EventEnd:
		cmd.print("%s: %s", ev.Type, data.Status)
	}
	return nil
}
