package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A Definition is a workflow made ready to run: inputs and conditions parsed, paths in
// order, closing paths found, routes computed, all once. It is never changed; an edit
// makes a new one. Equal workflows have equal hashes.
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
	Leaves bool // breaks out of the body its source stands in
	// fault closes the path for good: its target is gone or in another workflow.
	Fault string
}

// Compile prepares a workflow for execution. It does not fail: an error in a step or path is
// stored as the fault of that step or path, reported when it is used, and listed by Validate.
func Compile(w *Workflow) *Definition {
	d := &Definition{Workflow: w, steps: make(map[string]*CompiledStep, len(w.Steps)), byPath: make(map[string]*CompiledPath, len(w.Paths))}
	for i := range w.Steps {
		step := &w.Steps[i]
		if d.steps[step.ID] == nil { // of two steps of one id the first in order counts
			d.steps[step.ID] = compileStep(step)
		}
	}
	d.ids = slices.Sorted(maps.Keys(d.steps))
	for i := range w.Paths {
		d.addPath(&w.Paths[i])
	}
	d.findBodies()
	d.back = d.findBackPaths()
	for _, s := range d.steps {
		for _, p := range s.Next {
			p.Closes = d.back[p.ID]
		}
	}
	d.findRequirements()
	d.findEnds()
	d.findRoutes()
	d.hashAll()
	return d
}

func (d *Definition) addPath(p *Path) {
	source := d.steps[p.Source]
	if source == nil {
		return
	}
	source.paths = append(source.paths, p)
	switch p.Kind {
	case Tool:
		source.ToolPaths = append(source.ToolPaths, p)
	case Contains:
		if target := d.steps[p.Target]; target != nil && target.Holder == "" {
			target.Holder = p.Source
			source.Body = append(source.Body, p.Target)
		}
	default:
		c := &CompiledPath{Path: p, Parsed: conditions.Parse(p.Condition, p.Operator)}
		switch {
		case p.TargetWorkflow != "" && p.TargetWorkflow != d.Workflow.ID:
			c.Fault = fmt.Sprintf("leads into workflow %q", p.TargetWorkflow)
		case d.steps[p.Target] == nil:
			c.Fault = fmt.Sprintf("leads to step %q, which is not there", p.Target)
		}
		source.Next = append(source.Next, c)
		d.byPath[p.ID] = c
	}
}

func compileStep(step *Step) *CompiledStep {
	c := &CompiledStep{Step: step}
	text := step.Input
	if jsontext.Blank(text) {
		text = "{}"
	}
	input, err := references.ParseInput([]byte(text))
	if err != nil {
		c.Fault = fmt.Errorf("input: %w", err)
	} else {
		c.input = input
		c.limit = contextLimit([]byte(text))
	}
	if c.Policy, err = function.ParseRetry(step.Retry); err != nil && c.Fault == nil {
		c.Fault = err
	}
	if c.AttemptTimeout, err = function.ParseDuration(step.Timeout); err != nil && c.Fault == nil {
		c.Fault = fmt.Errorf("timeout: %w", err)
	}
	if c.Consent, err = readApprovalOptions(step.Extra["approval_options"]); err != nil && c.Fault == nil {
		c.Fault = fmt.Errorf("approval_options: %w", err)
	}
	return c
}

// contextLimit reads LUNA's context_limit, how many outputs the step keeps.
func contextLimit(input []byte) int {
	var in struct {
		Limit json.Number `json:"context_limit"`
	}
	if json.Unmarshal(input, &in) != nil {
		return 0
	}
	n, err := in.Limit.Int64()
	if err != nil || n < 1 {
		return 0
	}
	return int(min(n, KeptOutputs))
}

// keep is how many outputs of the step the state keeps.
func (c *CompiledStep) Keep() int {
	if c != nil && c.limit > 0 {
		return c.limit
	}
	return KeptOutputs
}

// hashAll gives each step the hash of its properties and outgoing paths, and the
// definition the hash of all. Places on the canvas are not part: they change nothing.
func (d *Definition) hashAll() {
	all := sha256.New()
	HashJSON(all, d.Workflow.Settings)
	for i := range d.Workflow.Steps {
		c := d.steps[d.Workflow.Steps[i].ID]
		if c.Hash == "" {
			c.Text = d.definitionText(c)
			sum := sha256.Sum256([]byte(c.Text))
			c.Hash = hex.EncodeToString(sum[:16])
		}
		all.Write([]byte(c.Hash))
	}
	for id := range d.Workflow.Paths {
		if d.back[d.Workflow.Paths[id].ID] {
			all.Write([]byte(d.Workflow.Paths[id].ID))
		}
	}
	d.Hash = hex.EncodeToString(all.Sum(nil)[:16])
}

func (d *Definition) definitionText(c *CompiledStep) string {
	properties := c.Properties()
	for _, canvas := range []string{"x", "y", "workflow"} {
		delete(properties, canvas)
	}
	paths := []map[string]any{}
	for _, p := range c.paths {
		one := map[string]any{"id": p.ID, "kind": p.Kind, "target": p.Target, "properties": p.Properties()}
		paths = append(paths, one)
	}
	text, err := jsontext.Marshal(map[string]any{"workflow": d.Workflow.ID, "step": properties, "paths": paths})
	if err != nil {
		return fmt.Sprintf("%q", err.Error())
	}
	return string(text)
}

// Step returns a step's definition text and hash, "" when there is none.
func (d *Definition) StepDefinition(id string) StoredDefinition {
	c := d.steps[id]
	if c == nil {
		return StoredDefinition{}
	}
	return StoredDefinition{Hash: c.Hash, Workflow: d.Workflow.ID, Step: id, Text: c.Text}
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
