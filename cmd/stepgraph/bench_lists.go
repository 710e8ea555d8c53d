package main

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/bench"
	"github.com/stepgraph/stepgraph/engine"
)

// benchLists asks the questions of bench.Lists over HTTP: those of a server that runs, at url, or of
// an engine of this process on the store, which runs meanwhile.
func (cmd *operatingCommands) benchLists(ctx context.Context, url string, store engine.Store) error {
	if url != "" {
		return cmd.askLists(ctx, url, "")
	}
	if _, err := store.Migrate(ctx); err != nil {
		return err
	}
	e := engine.New(store, engine.NewRegistry(), engine.Options{Log: cmd.log})
	on, err := listen("127.0.0.1:0", api.New(e, api.Options{Log: cmd.log}), nil)
	if err != nil {
		return err
	}
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(life) }()
	err = cmd.askLists(ctx, on.address(), store.Describe())
	err = errors.Join(err, on.close())
	stop()
	if ran := <-ended; ran != nil && !errors.Is(ran, context.Canceled) {
		err = errors.Join(err, ran)
	}
	return err
}

func (cmd *operatingCommands) askLists(ctx context.Context, url, store string) error {
	server, err := bench.Lists(ctx, url, func(a *bench.Asked) error { return cmd.printJSON(a) })
	if err != nil {
		return err
	}
	server.Store = store
	return cmd.printJSON(server)
}
