package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/isolation"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

func (cmd *serveCommands) serveCommand() *cobra.Command {
	o := &serveOptions{}
	c := &cobra.Command{Use: "serve", Short: "Serves Studio, the API and the processor for production",
		Long: "serve serves the API and runs sessions on the store that --store names. It waits for the store:\n" +
			"until then /healthz reports that the process is alive and /readyz that it is not ready. The credentials of\n" +
			"Neo4j are $NEO4J_USERNAME and $NEO4J_PASSWORD, or $NEO4J_AUTH; its database is $NEO4J_DATABASE.",
		Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.serveStore(c.Context(), o) }}
	o.isolate = isolation.Required
	o.register(c, false)
	o.settingFlags.register(c.Flags())
	return c
}

func (cmd *serveCommands) serveStore(ctx context.Context, o *serveOptions) (err error) {
	set, err := cmd.settings(&o.settingFlags)
	if err != nil {
		return err
	}
	if set.store == "" {
		return usagef("--store is missing: neo4j://HOST:PORT, sqlite:FILE or memory ($STEPGRAPH_STORE), or databases in the configuration file")
	}
	if err := cmd.config.checkStore(set.store); err != nil {
		return err
	}
	s, err := cmd.serve(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.on.close(), s.audit.close()) }()
	cmd.host.warnOfIsolation(set)
	if err := cmd.listening(s, set); err != nil {
		return err
	}
	own, err := s.openWithRetry(ctx, localOptions{settings: set, serving: s.on.address()})
	if err != nil || own == nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop(), own.Close()) }()
	if err := s.up(ctx, own, set.store); err != nil {
		return err
	}
	cmd.log.Info("ready", "address", s.on.address(), "store", own.Where(), "model", own.catalog.Default())
	return s.wait(ctx, own)
}

// listening says where the server is; it need not be ready yet.
func (cmd *serveCommands) listening(s *serving, set settings) error {
	if cmd.json() {
		return cmd.printJSON(map[string]any{"address": s.on.address(), "store": cmd.config.describe(set.store)})
	}
	cmd.print("address    %s", s.on.address())
	cmd.print("store      %s", cmd.config.describe(set.store))
	return nil
}

// Pauses between two attempts to reach a store.
const (
	retryFirst = 500 * time.Millisecond
	retryMost  = 15 * time.Second
)

// openWithRetry opens the engine once its store answers. It returns nil when ctx ends
// first, and an error if retrying cannot help.
func (s *serving) openWithRetry(ctx context.Context, o localOptions) (*localEngine, error) {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		own, err := s.cmd.host.openLocal(ctx, o)
		if err == nil || ctx.Err() != nil || !mayRecover(err) {
			return own, unlessStopped(ctx, err)
		}
		s.cmd.log.Warn("store is not available yet", "error", err, "next_attempt_in", pause)
		if sleep.For(ctx, pause) != nil {
			return nil, nil
		}
	}
}

// mayRecover reports whether trying again may help.
func mayRecover(err error) bool { return errors.Is(err, engine.ErrUnavailable) }

// unlessStopped drops the error of a start that was called off.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
