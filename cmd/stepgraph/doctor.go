package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *operatingCommands) doctorCommand() *cobra.Command {
	to := engineFlags{judges: true}
	c := &cobra.Command{Use: "doctor", Short: "Checks configuration, store, workflows and sessions, and says what to do",
		Long: "doctor changes nothing, so it may look while an engine runs. It exits with 1 when it found an error.",
		Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := cmd.settings(&to.settingFlags)
			if err != nil {
				return err
			}
			return cmd.printFindings(cmd.examine(c.Context(), &to, set))
		}}
	to.register(c)
	return c
}

func (cmd *operatingCommands) examine(ctx context.Context, to *engineFlags, set settings) []engine.Finding {
	registry, catalog, err := cmd.host.registryForChecks(set)
	if err != nil {
		return []engine.Finding{{Level: findingError, Code: "configuration", Message: err.Error(), Mend: "correct the flag, variable or file that it names"}}
	}
	found := []engine.Finding{{Level: findingOK, Code: "configuration",
		Message: fmt.Sprintf("%d functions, model %s", len(registry.Specs()), catalog.Default())}}
	if set.store == "" {
		if more, asked := cmd.askDoctor(ctx, to); asked { // the server says what isolation it has
			return append(found, more...)
		}
	}
	found = append(found, cmd.host.isolationFinding(set))
	if set.store == "" {
		if !cmd.local.hasDevStore() {
			return append(found, engine.Finding{Level: findingError, Code: "store", Message: "there is no " + cmd.local.devFile(), Mend: "stepgraph dev makes one; --store names another"})
		}
		set.store = cmd.local.devStore()
	}
	store, err := cmd.host.openShared(ctx, set.store)
	if err != nil {
		return append(found, engine.Finding{Level: findingError, Code: "store", Message: err.Error()})
	}
	more, err := engine.New(store, registry, engine.Options{Log: cmd.log}).Doctor(ctx)
	found = append(found, more...)
	if err := errors.Join(err, store.Close()); err != nil {
		finding := engine.Finding{Level: findingError, Code: "store", Message: err.Error()}
		if errors.Is(err, engine.ErrSchema) {
			finding.Mend = "stepgraph migrate makes what is missing in a store"
		}
		found = append(found, finding)
	}
	return found
}

// askDoctor asks the engine that runs, if there is one.
func (cmd *operatingCommands) askDoctor(ctx context.Context, to *engineFlags) (found []engine.Finding, asked bool) {
	fault := func(err error) ([]engine.Finding, bool) {
		return append(found, engine.Finding{Level: findingError, Code: "server", Message: err.Error(), Mend: "start it, or look at its store: stepgraph doctor --store"}), true
	}
	var s *client.Client
	if address := cmp.Or(to.server, cmd.env("STEPGRAPH_SERVER"), cmd.config.Server); address != "" {
		c, err := client.New(address, cmd.engines.tokenFor(address, to))
		if err == nil {
			err = c.Alive(ctx)
		}
		if err != nil {
			return fault(fmt.Errorf("no engine answers at %s: %w", address, err))
		}
		s = c
	} else if s = cmd.engines.running(ctx, to); s == nil {
		return nil, false
	}
	more, err := s.Doctor(ctx)
	if err = errors.Join(err, s.Close()); err != nil {
		return fault(err)
	}
	return append([]engine.Finding{{Level: findingOK, Code: "server", Message: s.Where() + " answers"}}, more...), true
}

func (cmd *operatingCommands) printFindings(found []engine.Finding) error {
	failed := false
	for _, f := range found {
		failed = failed || f.Level == findingError
	}
	if cmd.json() {
		if err := cmd.printJSON(map[string]any{"findings": found}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			cmd.print("%-8s %s: %s", f.Level, f.Code, f.Message)
			if f.Mend != "" {
				cmd.print("         %s", f.Mend)
			}
		}
	}
	if failed {
		return ended(exitFailed)
	}
	return nil
}
