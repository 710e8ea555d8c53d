package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/inspect"
)

// What an operator asks an engine is package inspect. The answers have these names here too.
type (
	Affected      = inspect.Affected
	AffectedGroup = inspect.AffectedGroup
	AffectedQuery = inspect.AffectedQuery
	DiffQuery     = inspect.DiffQuery
	EngineInfo    = inspect.EngineInfo
	Explanation   = inspect.Explanation
	LogEntry      = inspect.LogEntry
	PropertyDiff  = inspect.PropertyDiff
	Standing      = inspect.Standing
	Traffic       = inspect.Traffic
	TrafficQuery  = inspect.TrafficQuery
	WhatIf        = inspect.WhatIf
	WhatIfQuery   = inspect.WhatIfQuery
)

// newInspector returns the Inspector for the sessions of this engine's store.
func newInspector(e *Engine) *inspect.Inspector {
	return inspect.New(inspect.Options{
		Store: e.store, Registry: e.registry, Definitions: e.definitions, Load: func() []Finding { return loadFindings(e.Load(), e.o.MaxLate) }, HeardWithin: aliveFor,
		Outputs: e.env.Outputs, SearchTime: func() time.Duration { return e.searchTime },
	})
}

// loadFindings reports how full the engine is. A full engine is not an error: work waits.
func loadFindings(l Load, mostLate time.Duration) []Finding {
	list := []Finding{{Level: "ok", Code: "limits", Message: fmt.Sprintf("at most %d sessions run at once, %d wait for a slot beside them, %d calls are made at once",
		l.Limits.Sessions, l.Limits.Waiting, l.Limits.Calls)}}
	if l.Late > 1 {
		list = append(list, Finding{Level: "warning", Code: "backlog", Mend: "start another engine on this store, or raise --max-sessions",
			Message: fmt.Sprintf("due sessions have waited for room for %.0f s; beyond %s starts are refused (429)", l.Late, mostLate)})
	}
	if r := l.Relay; r != nil && r.Connected {
		list = append(list, Finding{Level: "ok", Code: r.Kind, Message: fmt.Sprintf("connected to %s: %d notices sent, %d received", r.Address, r.Sent, r.Received)})
	} else if r != nil {
		list = append(list, Finding{Level: "warning", Code: r.Kind, Mend: "start it, or correct its address and credentials; it is tried again all the time",
			Message: fmt.Sprintf("not connected to %s (%s): events of sessions at other engines come up to a second late, without beginnings of steps and tokens", r.Address, r.Fault)})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Functions)) {
		if f := l.Functions[name]; f.Queued > 0 {
			list = append(list, Finding{Level: "warning", Code: "slots", Mend: fmt.Sprintf("--max-calls-of %s=N, if what it calls stands more", name),
				Message: fmt.Sprintf("%d calls of %s wait for one of its %d slots", f.Queued, name, f.Limit)})
		}
	}
	return list
}
