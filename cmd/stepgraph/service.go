package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/api/mcp"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A service is an engine as commands see it: one that serves over HTTP, or one of this
// process. wait is how long a server may wait for the session to rest; an engine of this
// process waits until it does, as no other engine would move it.
type service interface {
	batches
	operating
	Start(ctx context.Context, q engine.StartRequest, wait time.Duration) (*api.Session, error)
	Answer(ctx context.Context, q engine.AnswerRequest, wait time.Duration) (*api.Session, error)
	Act(ctx context.Context, a engine.Action, wait time.Duration) (*api.Session, error)
	Wait(ctx context.Context, id string) (*api.Session, error)
	Session(ctx context.Context, id string) (*api.Session, error)
	Sessions(ctx context.Context, q engine.SessionQuery, after string) (*api.Page[api.Session], error)
	DeleteSession(ctx context.Context, id string, cancel bool) error
	State(ctx context.Context, id string) ([]byte, int64, error)
	EditState(ctx context.Context, id string, version int64, text []byte) (*api.Session, error)
	Executions(id, step string) *client.Trail[api.Execution]
	Messages(id string) *client.Trail[api.Message]
	Subscribe(ctx context.Context, session, lastEventID string) (<-chan client.Event, error)
	Workflows(ctx context.Context) ([]engine.WorkflowInfo, error)
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Problems(ctx context.Context, id string) ([]engine.Problem, error)
	Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error)
	Functions(ctx context.Context) ([]api.Function, error)
	Call(ctx context.Context, c mcp.Call) (json.RawMessage, error)
	Document(ctx context.Context) ([]byte, error)
	Where() string
	Close() error
}

var (
	_ service = (*ownEngine)(nil)
	_ service = (*client.Client)(nil)
)

// reach says how a command finds its engine.
type reach struct {
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
func (r *reach) register(c *cobra.Command) {
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

// service finds a running engine, else opens one. The caller closes it.
func (f *services) service(ctx context.Context, r *reach) (service, error) {
	set, err := f.settings(&r.settingFlags)
	if err != nil {
		return nil, err
	}
	switch address := first(r.server, f.env("STEPGRAPH_SERVER"), f.config.Server); {
	case r.server != "" && r.set.store != "":
		return nil, usagef("--server and --store exclude one another")
	case address != "" && r.set.store == "":
		return f.dial(ctx, address, r)
	case r.set.store == "":
		if c := f.running(ctx, r); c != nil {
			return c, r.mayDial(c.Where())
		}
	}
	own, err := f.ownService(ctx, r, set)
	var held *sqlite.HeldError
	if set.store != "" || !errors.As(err, &held) {
		return own, err
	}
	if c := f.soonRunning(ctx, r); c != nil { // dev has begun since, or does not listen yet
		return c, r.mayDial(c.Where())
	}
	return nil, err
}

// startTime is how long a command waits for an engine that has its store and does not answer yet.
const startTime = 10 * time.Second

// soonRunning is running for an engine that is about to listen; nil where none answers in time.
func (f *services) soonRunning(ctx context.Context, r *reach) service {
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

// dial speaks to a server that somebody named; that it does not answer is an error.
func (f *services) dial(ctx context.Context, address string, r *reach) (service, error) {
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
	return client.New(address, f.local.tokenFor(address, r))
}

// mayDial refuses flags that only count for an engine of this process.
func (r *reach) mayDial(address string) error {
	for _, name := range []string{"model", "model-script", "allow-net", "allow-shell", "record"} {
		if f := r.on.Lookup(name); f != nil && f.Changed {
			return usagef("--%s: the engine that runs at %s decides it; leave it out, or give --store for an engine of your own", name, address)
		}
	}
	return nil
}

// running looks for the engine that wrote its address into ./.stepgraph, or holds the
// file there. An address that does not answer is left from a crash.
func (f *services) running(ctx context.Context, r *reach) service {
	addresses := []string{}
	if text, err := os.ReadFile(f.local.addressFile()); err == nil {
		addresses = append(addresses, strings.TrimSpace(string(text)))
	}
	if held, err := sqlite.Holder(f.local.devFile()); err == nil && held != nil {
		addresses = append(addresses, held.Address)
	}
	for _, address := range addresses {
		c, err := client.New(address, f.local.tokenFor(address, r))
		if err == nil && c.Alive(ctx) == nil {
			return c
		}
	}
	return nil
}

func (l *local) addressFile() string { return filepath.Join(l.dir, "address") }

// ownService opens an engine of this process on the store that was named, else on the
// embedded store of this directory.
func (f *services) ownService(ctx context.Context, r *reach, set settings) (service, error) {
	dev := set.store == ""
	if dev {
		if !r.create && !f.local.hasDevStore() {
			return nil, notFoundf("no engine runs here and there is no %s: start one with stepgraph dev, or give --server or --store", f.local.devFile())
		}
		set.store = f.local.devStore()
	}
	own, err := f.host.openOwn(ctx, ownOptions{settings: set, record: r.record})
	if err != nil {
		return nil, err
	}
	if dev && r.seeds {
		if err := f.loadSeeds(ctx, own); err != nil {
			return nil, errors.Join(err, own.Close())
		}
	}
	if r.run {
		own.run(ctx)
	}
	return own, nil
}

// with runs f on the service that r reaches.
func (f *services) with(ctx context.Context, r *reach, run func(service) error) error {
	s, err := f.service(ctx, r)
	if err != nil {
		return err
	}
	return errors.Join(nearby(ctx, s, run(s)), s.Close())
}
