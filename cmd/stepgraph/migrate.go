package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *operatingCommands) migrateCommand() *cobra.Command {
	var flags settingFlags
	var adopt bool
	c := &cobra.Command{Use: "migrate", Short: "Brings the schema of a store up to date", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := cmd.settings(&flags)
			if err != nil {
				return err
			}
			store, err := cmd.host.openAllDatabases(c.Context(), cmp.Or(set.store, cmd.local.devStore()))
			if err != nil {
				return err
			}
			return errors.Join(cmd.migrate(c.Context(), store, adopt), store.Close())
		}}
	flags.register(c.Flags())
	c.Flags().BoolVar(&adopt, "adopt", false, "take over sessions made by LUNA or by hand, so that lists find them")
	return c
}

func (cmd *operatingCommands) migrate(ctx context.Context, store engine.Store, adopt bool) error {
	applied, err := store.Migrate(ctx)
	if err != nil {
		return fmt.Errorf("store %s: %w", store.Describe(), err)
	}
	adopted := 0
	if adopt {
		var found []engine.Finding
		if adopted, found, err = engine.New(store, engine.NewRegistry(), engine.Options{Log: cmd.log}).Adopt(ctx); err != nil {
			return fmt.Errorf("store %s: adopt sessions: %w", store.Describe(), err)
		}
		for _, f := range found {
			cmd.printErr("%s %s: %s", f.Level, f.Code, f.Message)
		}
	}
	if cmd.json() {
		if applied == nil {
			applied = []string{}
		}
		return cmd.printJSON(map[string]any{"store": store.Describe(), "applied": applied, "adopted": adopted})
	}
	for _, name := range applied {
		cmd.print("applied %s", name)
	}
	if len(applied) == 0 {
		cmd.print("%s is up to date", store.Describe())
	}
	if adopt {
		cmd.print("adopted %d sessions", adopted)
	}
	return nil
}
