package state

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"sort"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A LiveStep is a step that is active, pending or awaiting input, or that may be retried.
type LiveStep struct {
	Visit    int             `json:"visit"`
	Order    int64           `json:"order"`
	Took     []TakenPath     `json:"took,omitempty"`
	Counted  bool            `json:"counted,omitempty"`  // against max_steps
	Tries    int             `json:"tries,omitempty"`    // attempts that have failed since the policy began to count
	RetryAt  int64           `json:"retry_at,omitempty"` // ms; not started before
	Missing  []string        `json:"missing,omitempty"`  // references without value, of a pending step
	Why      []string        `json:"why,omitempty"`      // for each missing reference, the reason
	Kind     string          `json:"kind,omitempty"`     // of the error it is in
	Salt     int             `json:"salt,omitempty"`     // set by a `retry` with new_key
	Approved json.RawMessage `json:"approved,omitempty"` // input a person approved
	Tool     *ToolVisit      `json:"tool,omitempty"`     // the visit is a call of an agent's tool
	Wait     *Wait           `json:"wait,omitempty"`     // for a time or a signal
	Then     string          `json:"then,omitempty"`     // activated after it, instead of what its paths lead to
	Lacks    string          `json:"lacks,omitempty"`    // the function it waits for an engine to have
	LackedBy string          `json:"lacked_by,omitempty"`
	Queued   bool            `json:"-"` // its call starts after the next checkpoint
}

// A TakenPath is a path that led to an activation, and the number of the EXECUTION after which
// it was taken (0 for the start, or if history is off).
type TakenPath struct {
	Seq  int64  `json:"seq,omitempty"`
	Path string `json:"path"`
	Jump bool   `json:"jump,omitempty"` // a back path, or an operator's move: it needs no other path
}

// A Wait is what a step waits for, a time or a signal, kept in its live entry.
type Wait struct {
	Due     int64           `json:"due,omitempty"` // ms; 0 for never
	Signal  string          `json:"signal,omitempty"`
	Entry   json.RawMessage `json:"entry,omitempty"`
	Started int64           `json:"started"`
	Input   json.RawMessage `json:"input,omitempty"`
	Reads   []store.Lineage `json:"reads,omitempty"`
}

// liveSteps are the steps that have not ended.
type liveSteps struct {
	live  map[string]*LiveStep
	order int64 // of the newest activation
}

// Live returns what the engine keeps of a step that has not ended, or nil.
func (l *liveSteps) Live(step string) *LiveStep { return l.live[step] }

// MakeLive returns the engine's entry of a step and creates it if absent (a step that a person
// set to active).
func (all *liveSteps) MakeLive(step string) *LiveStep {
	l := all.live[step]
	if l == nil {
		all.order++
		l = &LiveStep{Order: all.order}
		all.live = put(all.live, step, l)
	}
	return l
}

// EndLive takes a step out of those that have not ended.
func (l *liveSteps) EndLive(step string) { delete(l.live, step) }

// LiveSteps iterates over the steps that have not ended, in no particular order.
func (l *liveSteps) LiveSteps() iter.Seq2[string, *LiveStep] { return maps.All(l.live) }

// LiveIDs are the steps that have not ended, by id, in order.
func (l *liveSteps) LiveIDs() []string { return sortedKeys(l.live) }

// SortByActivation puts steps that have not ended into the order in which they were activated.
func (l *liveSteps) SortByActivation(steps []string) {
	live := l.live
	sort.Slice(steps, func(i, j int) bool { return live[steps[i]].Order < live[steps[j]].Order })
}

// LackText says what a step that was left to another engine waits for.
func (l *LiveStep) LackText() string {
	return fmt.Sprintf("engine %s does not have function %s; waits for an engine that has it", l.LackedBy, l.Lacks)
}

// PendingText says which values a pending step waits for, and why each is missing.
func (l *LiveStep) PendingText() string {
	text := "waits for values"
	for i, why := range l.Why {
		if i < len(l.Missing) {
			text += fmt.Sprintf("; %s: %s", l.Missing[i], why)
		}
	}
	return text
}

// A ToolVisit says, in a step's live entry, that the visit is a call of an agent's tool.
type ToolVisit struct {
	Agent string          `json:"agent"`
	Call  string          `json:"call"`
	Args  json.RawMessage `json:"args,omitempty"`
}

// ToolBelongs reports whether the visit of a live step is the call of this agent.
func (l *LiveStep) ToolBelongs(agent, call string) bool {
	return l.Tool != nil && l.Tool.Agent == agent && l.Tool.Call == call
}
