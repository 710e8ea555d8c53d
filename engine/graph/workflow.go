package graph

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/function"
)

// DefaultWorkflow is the workflow of every STEP without a workflow property.
const DefaultWorkflow = "default"

// DefaultEntry is the step a session starts at when no entry point is named.
const DefaultEntry = "root"

// A Workflow is a graph of steps and the paths between them, as people wrote it:
// nothing in it has been checked or compiled. Steps and Paths have no order of their own.
type Workflow struct {
	ID          string         `json:"id"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Settings    Settings       `json:"settings,omitzero"`
	Extra       map[string]any `json:"extra,omitempty"` // properties of the WORKFLOW node that we do not know, kept
	Steps       []Step         `json:"steps"`
	Paths       []Path         `json:"paths"`
	// Problems are faults a store met while reading the graph (two steps of one id, a
	// property of a wrong type). Validate adds what it finds.
	Problems []function.Problem `json:"problems,omitempty"`
}

// A Step is one STEP node. All texts are as stored; Input is JSON text with references.
type Step struct {
	ID           string         `json:"id"`
	Workflow     string         `json:"workflow,omitempty"`
	Function     string         `json:"function,omitempty"`
	Input        string         `json:"input,omitempty"`
	Name         string         `json:"name,omitempty"`
	Description  string         `json:"description,omitempty"`
	Join         string         `json:"join,omitempty"`     // JoinAny (default), JoinAll or JoinRequired
	Retry        string         `json:"retry,omitempty"`    // JSON text, see RetryPolicy
	Timeout      string         `json:"timeout,omitempty"`  // "30s", or a number of seconds
	OnError      string         `json:"on_error,omitempty"` // OnErrorStopPath (default), OnErrorContinue, OnErrorFailSession
	Approval     bool           `json:"approval,omitempty"`
	OutputSchema string         `json:"output_schema,omitempty"` // JSON Schema text
	X            *float64       `json:"x,omitempty"`
	Y            *float64       `json:"y,omitempty"`
	Bypass       bool           `json:"bypass,omitempty"`
	Inactive     bool           `json:"inactive,omitempty"`
	Config       string         `json:"config,omitempty"` // JSON text, what an importer could not say otherwise
	Extra        map[string]any `json:"extra,omitempty"`  // properties we do not know, kept and never refused
}

// Values of Step.Join and Step.OnError.
const (
	JoinAny            = "any"
	JoinAll            = "all"      // runs with what came, once nothing more can come
	JoinRequired       = "required" // the same, where every required path was taken; else it does not run
	OnErrorStopPath    = "stop_path"
	OnErrorContinue    = "continue"
	OnErrorFailSession = "fail_session"
)

// A PathKind is the relationship type a path is stored as.
type PathKind string

// The three kinds of path.
const (
	Next     PathKind = "NEXT"     // control flow
	Tool     PathKind = "TOOL"     // what an agent step may call
	Contains PathKind = "CONTAINS" // body of a container step
)

// A Path is one relationship between two steps of a workflow.
type Path struct {
	// ID is the stored id, or a derived name if there is none: "source>target", then
	// "source>target#2" in path order (see NamePaths). Stored distinguishes the two.
	ID     string   `json:"id"`
	Stored bool     `json:"-"`
	Kind   PathKind `json:"kind"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	// TargetWorkflow is set when the target belongs to another workflow: such a path is
	// refused by validate and never taken.
	TargetWorkflow string `json:"target_workflow,omitempty"`
	// Condition is nil (open), a text, or a native list of texts ([]any).
	Condition any      `json:"condition,omitempty"`
	Operator  string   `json:"operator,omitempty"`
	Priority  *float64 `json:"priority,omitempty"` // lower first, none last
	Label     string   `json:"label,omitempty"`
	Back      bool     `json:"back,omitempty"`
	// Group names what this path counts for where its target has `join: required`: one taken
	// path of each group is enough. A path without one is required itself.
	Group       []string       `json:"group,omitempty"`
	Name        string         `json:"name,omitempty"`        // TOOL: the tool's name
	Description string         `json:"description,omitempty"` // TOOL: what the model is told
	Extra       map[string]any `json:"extra,omitempty"`
	// Ref is the store's own handle of the relationship it read (an element id, a row id).
	// Edits hand it back unchanged; it means nothing anywhere else.
	Ref string `json:"-"`
}

// Clone returns a copy whose properties, steps and paths may be changed, though not what a property
// that is a list or an object holds.
func (w *Workflow) Clone() *Workflow {
	c := *w
	c.Extra, c.Problems = maps.Clone(w.Extra), slices.Clone(w.Problems)
	c.Steps, c.Paths = slices.Clone(w.Steps), slices.Clone(w.Paths)
	for i := range c.Steps {
		c.Steps[i].Extra = maps.Clone(c.Steps[i].Extra)
	}
	for i := range c.Paths {
		c.Paths[i].Extra = maps.Clone(c.Paths[i].Extra)
	}
	return &c
}

// Step returns the step of an id, or nil.
func (w *Workflow) Step(id string) *Step {
	for i := range w.Steps {
		if w.Steps[i].ID == id {
			return &w.Steps[i]
		}
	}
	return nil
}

// Path returns the path of an id (stored or by name), or nil.
func (w *Workflow) Path(id string) *Path {
	for i := range w.Paths {
		if w.Paths[i].ID == id {
			return &w.Paths[i]
		}
	}
	return nil
}

// Normalize puts steps in id order and paths in path order and names the paths that
// have no stored id. Stores call it on what they read, so that every reader sees one
// order and one set of names whatever the database returned.
func (w *Workflow) Normalize() {
	sort.SliceStable(w.Steps, func(i, j int) bool { return w.Steps[i].ID < w.Steps[j].ID })
	sort.SliceStable(w.Paths, func(i, j int) bool { return PathLess(&w.Paths[i], &w.Paths[j]) })
	NamePaths(w.Paths)
}

// PathLess is path order: by source, then kind, then priority (none last), then target,
// then what else tells two parallel paths apart.
func PathLess(a, b *Path) bool {
	if a.Source != b.Source {
		return a.Source < b.Source
	}
	if a.Kind != b.Kind {
		return kindRank(a.Kind) < kindRank(b.Kind)
	}
	if (a.Priority == nil) != (b.Priority == nil) {
		return a.Priority != nil
	}
	if a.Priority != nil && *a.Priority != *b.Priority {
		return *a.Priority < *b.Priority
	}
	if a.Target != b.Target {
		return a.Target < b.Target
	}
	if a.Stored != b.Stored {
		return a.Stored
	}
	if a.Stored && a.ID != b.ID {
		return a.ID < b.ID
	}
	if ca, cb := ConditionText(a.Condition), ConditionText(b.Condition); ca != cb {
		return ca < cb
	}
	return a.Ref < b.Ref
}

func kindRank(k PathKind) int {
	switch k {
	case Next:
		return 0
	case Tool:
		return 1
	}
	return 2
}

// NamePaths names each path without a stored id "source>target", the second such one
// "source>target#2", in the order given. TOOL and CONTAINS paths carry their kind:
// "source>target:TOOL".
func NamePaths(paths []Path) {
	taken := make(map[string]bool, len(paths))
	for i := range paths {
		if paths[i].Stored {
			taken[paths[i].ID] = true
		}
	}
	seen := make(map[string]int, len(paths))
	for i := range paths {
		p := &paths[i]
		if p.Stored {
			continue
		}
		base := p.Source + ">" + p.Target
		if p.Kind != Next {
			base += ":" + string(p.Kind)
		}
		for {
			seen[base]++
			p.ID = base
			if n := seen[base]; n > 1 {
				p.ID = base + "#" + strconv.Itoa(n)
			}
			if !taken[p.ID] {
				break
			}
		}
		taken[p.ID] = true
	}
}

// ConditionText is a condition as one text, for ordering and hashing.
func ConditionText(c any) string {
	switch c := c.(type) {
	case nil:
		return ""
	case string:
		return c
	}
	b, _ := json.Marshal(c)
	return string(b)
}

// LimitsInForce are the limits of the settings, where these say nothing those that stand as properties on the
// WORKFLOW node (SET w.max_sessions_at_once = 2). The error is of a property that cannot be used; it limits nothing.
func (w *Workflow) LimitsInForce() (Limits, error) {
	l := w.Settings.Limits
	own := map[string]any{}
	for _, name := range LimitNames() {
		if v, there := w.Extra[name]; there {
			own[name] = v
		}
	}
	if len(own) == 0 {
		return l, nil
	}
	text, err := json.Marshal(own)
	if err != nil {
		return l, err
	}
	var of Settings
	if err := of.readLimits(text); err != nil {
		return l, err
	}
	merged := l
	if merged.MaxSessionsAtOnce == 0 {
		merged.MaxSessionsAtOnce = of.MaxSessionsAtOnce
	}
	if merged.Rate == "" {
		merged.Rate = of.Rate
	}
	if merged.Priority == 0 {
		merged.Priority = of.Priority
	}
	if merged.ConcurrencyKey == "" {
		merged.ConcurrencyKey = of.ConcurrencyKey
	}
	if err := merged.Check(); err != nil {
		return l, err
	}
	return merged, nil
}
