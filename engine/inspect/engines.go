package inspect

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// An EngineInfo is what an engine at work on the store last said of itself.
type EngineInfo struct {
	ID      string          `json:"id" doc:"of one run of an engine"`
	Name    string          `json:"name" doc:"host and process, as lease_owner names it"`
	Version string          `json:"version,omitempty"`
	State   string          `json:"state" enum:"running,draining,stopped,silent" doc:"silent: nothing was heard from it for half a minute"`
	HeardAt time.Time       `json:"heard_at" doc:"its last announcement, by the store's clock"`
	Holds   json.RawMessage `json:"holds,omitempty" doc:"{sessions, waiting, calls, queued} and its bounds {places, slots}, when it was heard last"`
	Lacks   []string        `json:"lacks,omitempty" doc:"functions that another running engine has and this one lacks"`
}

// States of an engine. A store keeps the first as "".
const (
	EngineRunning  = "running"
	EngineDraining = "draining"
	EngineStopped  = "stopped"
	EngineSilent   = "silent"
)

// shownEngines is how long an engine that is no longer heard is still shown.
const shownEngines = 10 * time.Minute

// Engines returns the engines that were at work on the store lately, by name.
func (i *Inspector) Engines(ctx context.Context) ([]EngineInfo, error) {
	list, err := i.o.Store.Engines(ctx, shownEngines)
	if err != nil {
		return nil, err
	}
	now, err := i.o.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]EngineInfo, len(list))
	for n := range list {
		a := &list[n]
		out[n] = EngineInfo{ID: a.ID, Name: a.Name, Version: a.Version, State: a.State, HeardAt: a.At, Holds: a.Holds}
		switch {
		case a.State == EngineStopped:
		case now.Sub(a.At) > i.o.HeardWithin:
			out[n].State = EngineSilent
		case a.State == "":
			out[n].State = EngineRunning
		}
	}
	for n := range list {
		for m := range list {
			if out[m].State != EngineRunning {
				continue
			}
			for _, name := range list[m].Functions {
				if !list[n].Has(name) && !slices.Contains(out[n].Lacks, name) {
					out[n].Lacks = append(out[n].Lacks, name)
				}
			}
		}
		slices.Sort(out[n].Lacks)
	}
	return out, nil
}
