package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/internal/build"
)

func (cmd *operatingCommands) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Tells which stepgraph this is", Args: want(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if cmd.json() {
				return cmd.printJSON(map[string]string{"version": build.Version(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			cmd.print("stepgraph %s (%s, %s/%s)", build.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		}}
}
