package main

import (
	"cmp"
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
	var store, url string
	var o bench.Options
	var fill bench.Filling
	var seconds float64
	c := &cobra.Command{Use: "bench [WORKLOAD...]", Short: "Measures an engine on a store, a line of JSON for each workload",
		Long: "bench plays workloads (" + strings.Join(bench.Names(), ", ") + ") and deletes what it made.\n" +
			"lists, which has to be named, asks every list, count and look at many sessions over HTTP, and prints a line\n" +
			"for each and one with the memory of the server; it needs a filled store.\n" +
			"--paused and --finished put that many sessions into the store first, to measure with a full store.\n" +
			"Without --store it uses a file of its own.",
		RunE: func(c *cobra.Command, args []string) error {
			o.Time = time.Duration(seconds * float64(time.Second))
			o.Log = cmd.log
			if url != "" {
				if !slices.Equal(args, []string{bench.ListsName}) {
					return usagef("--url is for the workload %s alone", bench.ListsName)
				}
				return cmd.benchLists(c.Context(), url, nil)
			}
			return cmd.bench(c.Context(), store, args, fill, o)
		}}
	f := c.Flags()
	f.StringVar(&store, "store", "", "memory, sqlite:FILE, neo4j://HOST:PORT or bolt://HOST:PORT ($STEPGRAPH_STORE)")
	f.StringVar(&url, "url", "", "for lists: a server that runs, instead of one of this process on the store")
	f.IntVar(&o.Sessions, "sessions", 50, "sessions in flight at once; for resume and pause, answered at once")
	f.Float64Var(&seconds, "seconds", 5, "how long each workload runs, except turns and resume")
	f.IntVar(&o.Turns, "turns", 200, "turns of the conversation of turns")
	f.IntVar(&fill.Paused, "paused", 0, "paused sessions to put into the store before the workloads; they stay there")
	f.IntVar(&fill.Finished, "finished", 0, "ended sessions to put into the store before the workloads; they stay there")
	return c
}

func (cmd *operatingCommands) bench(ctx context.Context, address string, names []string, fill bench.Filling, o bench.Options) (err error) {
	for _, name := range names {
		if name != bench.ListsName && !slices.Contains(bench.Names(), name) {
			return usagef("no workload %q; there are %s, %s", name, strings.Join(bench.Names(), ", "), bench.ListsName)
		}
	}
	if len(names) == 0 {
		names = bench.Names()
	}
	address = cmp.Or(address, cmd.env("STEPGRAPH_STORE"), cmd.config.Store)
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
		if name == bench.ListsName {
			if err := cmd.benchLists(ctx, "", store); err != nil {
				return fmt.Errorf("workload %s: %w", name, err)
			}
			continue
		}
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
