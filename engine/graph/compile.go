package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

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
