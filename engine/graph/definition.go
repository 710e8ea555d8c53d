package graph

import (
	"iter"
	"maps"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A Definition is a workflow made ready to run: inputs and conditions parsed, paths in
// order, closing paths found, routes computed, all once. Compile makes it.
//
// It is never changed: an edit makes a new one. So any number of runners read the same Definition
// without a lock, and a session sees an edit only when its runner reads the workflow again, between
// two waves. Equal workflows have equal hashes.
type Definition struct {
	Workflow *Workflow
	Hash     string // of everything that can change what a session does (not x, y)

	steps  map[string]*CompiledStep
	ids    []string        // of steps, in their order
	back   map[string]bool // ids of NEXT paths that close a loop
	byPath map[string]*CompiledPath
	Absent bool      // the workflow does not exist
	ReadAt time.Time // when the read of it began
}

// A CompiledStep is a step with what running it needs.
type CompiledStep struct {
	*Step
	Hash           string
	Text           string // what DEFINITION keeps
	input          *references.Input
	Fault          error // why the step cannot run as it is written (its input, retry, timeout)
	Policy         function.RetryPolicy
	AttemptTimeout time.Duration
	limit          int             // context_limit of the input, 0 for none
	paths          []*Path         // all that begin here, in the order of the workflow
	Next           []*CompiledPath // in path order
	ToolPaths      []*Path
	Body           []string // steps a container holds, in the order of CONTAINS
	Holder         string   // the container this step is in
	Starts         []string // of body, those a round begins with
	Ends           []string // of body, those whose outputs are a round's result
	split          splitInput
	Consent        ApprovalOptions // how approval is asked for
	spot           spot            // see leads
	// required is what a step with `join: required` waits for.
	Required []Requirement
}

// A CompiledPath is a NEXT path with its condition parsed.
type CompiledPath struct {
	*Path
	Parsed conditions.Condition
	Closes bool
	Leaves bool // breaks out of the body that contains its source
	// fault closes the path for good: its target is gone or in another workflow.
	Fault string
}

// Keep is how many outputs of the step the state keeps.
func (c *CompiledStep) Keep() int {
	if c != nil && c.limit > 0 {
		return c.limit
	}
	return KeptOutputs
}

// variablesName is what references call the variables of the configuration by.
const VariablesName = "vars"

// variables are the one output of vars, where nothing else is called so.

// keptOutputs is how many outputs of a step the state keeps, newest last. The seed's rule.
const KeptOutputs = 5

// Step returns the compiled step of an id, or nil.
func (d *Definition) Step(id string) *CompiledStep { return d.steps[id] }

// All ranges over the steps, in no order.
func (d *Definition) All() iter.Seq2[string, *CompiledStep] { return maps.All(d.steps) }

// IDs are the ids of the steps, in their order. The list is not to be changed.
func (d *Definition) IDs() []string { return d.ids }

// Path returns the compiled NEXT path of an id, or nil.
func (d *Definition) Path(id string) *CompiledPath { return d.byPath[id] }

// Closes reports whether the NEXT path of an id closes a loop.
func (d *Definition) Closes(path string) bool { return d.back[path] }

// A splitInput is a step's input without the fields its function gets as they are
// written (Spec.Raw), made when the step first runs.
type splitInput struct {
	once  sync.Once
	input *references.Input
	raw   []jsontext.Field
	err   error
}

// A Requirement is what a step with `join: required` waits for: that one of some paths is
// taken. A path that names no group is a requirement of its own.
type Requirement struct {
	Group string // "" of a path that stands alone
	Paths []string
}

// A spot is where a depth-first walk over forward paths has met a step. It answers most
// questions of what leads where without a walk, and takes the same room in a workflow of
// ten steps and of a hundred thousand (GRAIL: Yildirim, Chaoji, Zaki, VLDB 2010).
type spot struct {
	entered int // count of steps entered before this one
	left    int // count of steps left before this one: what a step leads to is left first
	lowest  int // the least left of this step and of all it leads to
}

// Forward reports whether a path is a forward path: one that closes no loop.
func (p *CompiledPath) Forward() bool { return p.Fault == "" && !p.Closes }
