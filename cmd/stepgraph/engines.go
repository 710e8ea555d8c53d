package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

func (cmd *operatingCommands) enginesCommand() *cobra.Command {
	return cmd.engines.engineCommand("engines", "Lists the engines on the store with their load, version and missing functions", 0, &engineFlags{},
		func(ctx context.Context, s *client.Client, _ []string) error {
			list, err := s.Engines(ctx)
			if err != nil {
				return err
			}
			if cmd.json() {
				return cmd.printJSON(map[string]any{"items": list})
			}
			rows := make([][]any, len(list))
			for i, e := range list {
				var holds struct{ Sessions, Waiting, Calls, Queued, Places, Slots int }
				_ = json.Unmarshal(e.Holds, &holds) // what an engine of another version says is shown as 0
				rows[i] = []any{e.Name, e.State, e.Version, holds.Sessions, holds.Waiting, holds.Calls, holds.Queued, e.HeardAt.Format(time.RFC3339), strings.Join(e.Lacks, " ")}
			}
			return cmd.table("ENGINE\tSTATE\tVERSION\tSESSIONS\tWAITING\tCALLS\tQUEUED\tHEARD AT\tLACKS", rows)
		})
}
