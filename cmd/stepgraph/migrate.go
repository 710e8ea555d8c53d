package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
)

func (a *app) migrateCommand() *cobra.Command {
	var flags settingFlags
	var adopt bool
	c := &cobra.Command{Use: "migrate", Short: "Brings the schema of a store up to date", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := a.settings(&flags)
			if err != nil {
				return err
			}
			store, err := a.openStore(c.Context(), first(set.store, a.devStore()), "")
			if err != nil {
				return err
			}
			return errors.Join(a.migrate(c.Context(), store, adopt), store.Close())
		}}
	flags.register(c.Flags())
	c.Flags().BoolVar(&adopt, "adopt", false, "take over sessions made by LUNA or by hand, so that lists find them")
	return c
}

func (a *app) migrate(ctx context.Context, store engine.Store, adopt bool) error {
	applied, err := store.Migrate(ctx)
	if err != nil {
		return fmt.Errorf("store %s: %w", store.Describe(), err)
	}
	adopted := 0
	if adopt {
		var found []engine.Finding
		if adopted, found, err = engine.New(store, engine.NewRegistry(), engine.Options{Log: a.log}).Adopt(ctx); err != nil {
			return fmt.Errorf("store %s: adopt sessions: %w", store.Describe(), err)
		}
		for _, f := range found {
			a.say("%s %s: %s", f.Level, f.Code, f.Message)
		}
	}
	if a.json() {
		if applied == nil {
			applied = []string{}
		}
		return a.printJSON(map[string]any{"store": store.Describe(), "applied": applied, "adopted": adopted})
	}
	for _, name := range applied {
		a.print("applied %s", name)
	}
	if len(applied) == 0 {
		a.print("%s is up to date", store.Describe())
	}
	if adopt {
		a.print("adopted %d sessions", adopted)
	}
	return nil
}
