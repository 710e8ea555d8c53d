package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/engine"
)

// A finding is what one check of doctor came to.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var flags settingFlags
	c := &cobra.Command{Use: "doctor", Short: "Checks store, clock and configuration, and says what to do", Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := a.settings(&flags)
			if err != nil {
				return err
			}
			return a.printFindings(a.examine(c.Context(), set))
		}}
	flags.register(c.Flags())
	return c
}

func (a *app) examine(ctx context.Context, set settings) []finding {
	found := []finding{a.checkConfiguration(set)}
	if set.store == "" {
		if s := a.running(ctx, &reach{}); s != nil {
			defer s.Close()
			return append(found, finding{Check: "engine", OK: true, Detail: "an engine runs at " + s.Where() + " and holds the store"})
		}
		if !a.hasDevStore() {
			return append(found, finding{Check: "store", Detail: "there is no " + a.devFile(), Do: "run stepgraph dev, or give --store"})
		}
	}
	store, err := a.openStore(ctx, first(set.store, a.devStore()), "")
	if err != nil {
		return append(found, finding{Check: "store", Detail: err.Error(), Do: "see the address and what the message names"})
	}
	defer store.Close(context.WithoutCancel(ctx))
	found = append(found, checkStore(ctx, store))
	if !found[len(found)-1].OK {
		return found
	}
	return append(found, checkClock(ctx, store), checkSessions(ctx, store))
}

// checkConfiguration makes the registry and the models, as a server would.
func (a *app) checkConfiguration(set settings) finding {
	f := finding{Check: "configuration"}
	registry, catalog, err := a.registry(set, nil)
	if err != nil {
		f.Detail, f.Do = err.Error(), "correct the flag, variable or file that it names"
		return f
	}
	f.OK, f.Detail = true, fmt.Sprintf("%d functions, model %s", len(registry.Specs()), catalog.Default())
	return f
}

func checkStore(ctx context.Context, store engine.Store) finding {
	f := finding{Check: "store"}
	if err := store.Ping(ctx); err != nil {
		f.Detail, f.Do = err.Error(), "start the database, or correct --store"
		return f
	}
	f.OK, f.Detail = true, store.Describe()+" answers"
	return f
}

// maxSkew is how far clocks may differ: leases are counted on both.
const maxSkew = 2 * time.Second

func checkClock(ctx context.Context, store engine.Store) finding {
	f := finding{Check: "clock"}
	before := time.Now()
	now, err := store.Now(ctx)
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	skew := now.Sub(before.Add(time.Since(before) / 2))
	f.OK, f.Detail = skew.Abs() <= maxSkew, fmt.Sprintf("the store's clock differs by %s", skew.Round(time.Millisecond))
	if !f.OK {
		f.Do = "synchronise the clocks of this machine and of the database"
	}
	return f
}

// checkSessions looks for sessions that somebody has to look at.
func checkSessions(ctx context.Context, store engine.Store) finding {
	f := finding{Check: "sessions"}
	counts, err := store.CountSessions(ctx, engine.SessionQuery{}, "status")
	if err != nil {
		f.Detail, f.Do = err.Error(), "run stepgraph migrate"
		return f
	}
	var total int64
	for _, n := range counts {
		total += n
	}
	f.OK = true
	f.Detail = fmt.Sprintf("%d, of them %d active, %d waiting for input, %d pending, %d in error", total,
		counts[engine.StatusActive], counts[engine.StatusAwaitingInput], counts[engine.StatusPending], counts[engine.StatusError])
	if n := counts[engine.StatusError]; n > 0 {
		f.Do = "look at them: stepgraph session list --status error"
	}
	return f
}

func (a *app) printFindings(found []finding) error {
	failed := false
	for _, f := range found {
		failed = failed || !f.OK
	}
	if a.json() {
		if err := a.printJSON(map[string]any{"checks": found}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			a.print("%s %s: %s", map[bool]string{true: "ok  ", false: "FAIL"}[f.OK], f.Check, f.Detail)
			if f.Do != "" {
				a.print("     %s", f.Do)
			}
		}
	}
	if failed {
		return ended(exitFailed)
	}
	return nil
}
