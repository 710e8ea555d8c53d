package state

import (
	"encoding/json"
	"iter"
	"maps"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An Ask is a question as it was shown. It is kept until it is answered or asked again.
type Ask struct {
	Visit    int               `json:"visit"`
	Ask      int               `json:"ask"`
	Kind     string            `json:"kind"`
	Prompt   string            `json:"prompt,omitempty"`
	Options  []function.Option `json:"options,omitempty"`
	Schema   json.RawMessage   `json:"schema,omitempty"`
	Since    int64             `json:"since"`
	Due      int64             `json:"due,omitempty"`
	OnDue    json.RawMessage   `json:"on_due,omitempty"`
	Feedback bool              `json:"feedback,omitempty"`
	Started  int64             `json:"started,omitempty"`
	Input    json.RawMessage   `json:"input,omitempty"` // of the visit, for its EXECUTION; what an approval approves
	// Function and Name are what an approval approves, as the step had them when it was asked.
	Function string          `json:"function,omitempty"`
	Name     string          `json:"name,omitempty"`
	Reads    []store.Lineage `json:"reads,omitempty"`
}

// HasEntry reports whether the question put an entry into its step's outputs. Approvals and
// waits for a signal do not: the newest output there is that of an earlier visit.
func (q *Ask) HasEntry() bool { return q.Kind != function.AskApproval && q.Kind != function.AskSignal }

// An AskRef names one question of a step.
type AskRef struct{ Visit, Ask int }

// asks are the open questions, by step.
type asks struct{ asked map[string]*Ask }

// Ask returns the open question of a step, or nil.
func (a *asks) Ask(step string) *Ask { return a.asked[step] }

// OpenAsk makes a question the open one of its step.
func (a *asks) OpenAsk(step string, q *Ask) { a.asked = put(a.asked, step, q) }

// CloseAsk closes the question of a step, if it has one.
func (a *asks) CloseAsk(step string) { delete(a.asked, step) }

// Asks iterates over the questions of all steps, in no particular order.
func (a *asks) Asks() iter.Seq2[string, *Ask] { return maps.All(a.asked) }

// Time is a time of the state; 0 is the zero time.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
