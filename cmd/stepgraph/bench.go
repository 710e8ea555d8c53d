package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/bench"
)

func (cmd *operatingCommands) benchCommand() *cobra.Command {
	var store string
	var o bench.Options
	var fill bench.Filling
	var seconds float64
	c := &cobra.Command{Use: "bench [WORKLOAD...]", Short: "Measures an engine on a store, a line of JSON for each workload",
		Long: "bench plays workloads (" + strings.Join(bench.Names(), ", ") + ") and deletes what it made.\n" +
			"--paused and --finished put that many sessions into the store first, to measure with a full store.\n" +
			"Without --store it uses a file of its own.",
		RunE: func(c *cobra.Command, args []string) error {
			o.Time = time.Duration(seconds * float64(time.Second))
			o.Log = cmd.log
			return cmd.bench(c.Context(), store, args, fill, o)
		}}
	f := c.Flags()
	f.StringVar(&store, "store", "", "memory, sqlite:FILE, neo4j://HOST:PORT or bolt://HOST:PORT ($STEPGRAPH_STORE)")
	f.IntVar(&o.Sessions, "sessions", 50, "sessions in flight at once; for resume and pause, answered at once")
	f.Float64Var(&seconds, "seconds", 5, "how long each workload runs, except turns and resume")
	f.IntVar(&o.Turns, "turns", 200, "turns of the conversation of turns")
	f.IntVar(&fill.Paused, "paused", 0, "paused sessions to put into the store before the workloads; they stay there")
	f.IntVar(&fill.Finished, "finished", 0, "ended sessions to put into the store before the workloads; they stay there")
	return c
}

func (cmd *operatingCommands) bench(ctx context.Context, address string, names []string, fill bench.Filling, o bench.Options) (err error) {
	for _, name := range names {
		if !slices.Contains(bench.Names(), name) {
			return usagef("no workload %q; there are %s", name, strings.Join(bench.Names(), ", "))
		}
	}
	if len(names) == 0 {
		names = bench.Names()
	}
	address = first(address, cmd.env("STEPGRAPH_STORE"), cmd.config.Store)
	if address == "" {
		folder, err := os.MkdirTemp("", "stepgraph-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		address = storeSQLite + ":" + filepath.Join(folder, "bench.db")
	}
	store, err := cmd.host.openStore(ctx, address, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if fill != (bench.Filling{}) {
		if err := bench.Fill(ctx, store, fill); err != nil {
			return err
		}
	}
	for _, name := range names {
		result, err := bench.Run(ctx, store, name, o)
		if err != nil {
			return fmt.Errorf("workload %s: %w", name, err)
		}
		if err := cmd.printJSON(result); err != nil {
			return err
		}
	}
	return nil
}
