package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/sqlite"
)

// engineFlags says how a command finds its engine.
type engineFlags struct {
	settingFlags
	server, token string
	create        bool // an absent ./.stepgraph is made
	seeds         bool // with create: our own workflows are loaded where absent, as dev does
	run           bool // an engine of this process has to move sessions on
	judges        bool // what steps may call counts: files are loaded or checked
	record        string
}

// register adds the flags. Those that say what steps may do are for commands that run steps
// or judge them.
func (r *engineFlags) register(c *cobra.Command) {
	r.settingFlags.registerStore(c.Flags())
	switch {
	case r.run:
		r.registerModel(c.Flags())
	case r.judges:
		r.registerAllowed(c.Flags())
	}
	c.Flags().StringVar(&r.server, "server", "", "address of a running engine ($STEPGRAPH_SERVER, else what dev wrote into ./.stepgraph)")
	c.Flags().StringVar(&r.token, "token", "", "token of that engine ($STEPGRAPH_TOKEN)")
}

// connect finds a running engine, else opens one. The caller closes it.
func (f *engineFinder) connect(ctx context.Context, r *engineFlags) (*client.Client, error) {
	set, err := f.settings(&r.settingFlags)
	if err != nil {
		return nil, err
	}
	switch address := cmp.Or(r.server, f.env("STEPGRAPH_SERVER"), f.config.Server); {
	case r.server != "" && r.set.store != "":
		return nil, usagef("--server and --store exclude one another")
	case address != "" && r.set.store == "":
		return f.dial(ctx, address, r)
	case r.set.store == "":
		if c := f.running(ctx, r); c != nil {
			return c, r.mayDial(c.Where())
		}
	}
	own, err := f.localService(ctx, r, set)
	var held *sqlite.HeldError
	if set.store != "" || !errors.As(err, &held) {
		return own, err
	}
	if c := f.waitForRunning(ctx, r); c != nil { // dev has begun since, or does not listen yet
		return c, r.mayDial(c.Where())
	}
	return nil, err
}

// startTime is how long a command waits for an engine that has its store and does not answer yet.
const startTime = 10 * time.Second

// waitForRunning is running for an engine that is still starting; nil if none answers in time.
func (f *engineFinder) waitForRunning(ctx context.Context, r *engineFlags) *client.Client {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		if c := f.running(ctx, r); c != nil {
			return c
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// dial returns a client of the named server; an error if it does not answer.
func (f *engineFinder) dial(ctx context.Context, address string, r *engineFlags) (*client.Client, error) {
	if err := r.mayDial(address); err != nil {
		return nil, err
	}
	c, err := client.New(address, "")
	if err != nil {
		return nil, usagef("%s", err)
	}
	if err := c.Alive(ctx); err != nil {
		return nil, fmt.Errorf("no engine answers at %s: %w", address, err)
	}
	// The token is read now: a server that was starting has written it meanwhile.
	return client.New(address, f.tokenFor(address, r))
}

// mayDial refuses flags that only count for an engine of this process.
func (r *engineFlags) mayDial(address string) error {
	for _, name := range []string{"model", "model-script", "allow-net", "allow-shell", "record"} {
		if f := r.on.Lookup(name); f != nil && f.Changed {
			return usagef("--%s: the engine at %s decides it; omit it, or give --store to run an engine in this process", name, address)
		}
	}
	return nil
}

// running returns a client of the engine that wrote its address into ./.stepgraph, or holds the
// file there; nil if none answers. An address that does not answer is left from a crash.
func (f *engineFinder) running(ctx context.Context, r *engineFlags) *client.Client {
	addresses := []string{}
	if text, err := os.ReadFile(f.local.addressFile()); err == nil {
		addresses = append(addresses, strings.TrimSpace(string(text)))
	}
	if held, err := sqlite.Holder(f.local.devFile()); err == nil && held != nil {
		addresses = append(addresses, held.Address)
	}
	for _, address := range addresses {
		c, err := client.New(address, f.tokenFor(address, r))
		if err == nil && c.Alive(ctx) == nil {
			return c
		}
	}
	return nil
}

// localService opens an engine of this process on the store that was named, else on the
// embedded store of this directory.
func (f *engineFinder) localService(ctx context.Context, r *engineFlags, set settings) (*client.Client, error) {
	dev := set.store == ""
	if dev {
		if !r.create && !f.local.hasDevStore() {
			return nil, notFoundf("no engine runs here and there is no %s: start one with stepgraph dev, or give --server or --store", f.local.devFile())
		}
		set.store = f.local.devStore()
	}
	own, err := f.host.openLocal(ctx, localOptions{settings: set, record: r.record})
	if err != nil {
		return nil, err
	}
	if dev && r.seeds {
		if err := loadSeeds(ctx, own); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}
	if r.run {
		own.run(ctx)
	}
	return own.client, nil
}

// with runs f on the service that r reaches.
func (f *engineFinder) with(ctx context.Context, r *engineFlags, run func(*client.Client) error) error {
	s, err := f.connect(ctx, r)
	if err != nil {
		return err
	}
	return errors.Join(withSuggestion(ctx, s, run(s)), s.Close())
}

// tokenFor is the token that a command sends to an address: the one that it was given, else,
// to the server of this folder and to no other, the one that dev has made there.
func (f *engineFinder) tokenFor(address string, r *engineFlags) string {
	if token := cmp.Or(r.token, f.env("STEPGRAPH_TOKEN"), f.config.Token); token != "" {
		return token
	}
	if !f.local.servesHere(address) {
		return ""
	}
	token, err := os.ReadFile(f.local.devTokenFile())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(token))
}

// engineCommand makes a command that asks one engine, such as one whose first word is a
// session's id.
func (f *engineFinder) engineCommand(use, short string, words int, to *engineFlags, do func(ctx context.Context, s *client.Client, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: want(cobra.ExactArgs(words)),
		RunE: func(c *cobra.Command, args []string) error {
			return f.with(c.Context(), to, func(s *client.Client) error { return do(c.Context(), s, args) })
		}}
	to.register(c)
	return c
}
