package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A LogEntry is one text a step has had, as the history knows it.
type LogEntry struct {
	Step      string          `json:"step"`
	Hash      string          `json:"hash"`
	FirstSeen time.Time       `json:"first_seen"`
	Current   bool            `json:"current"` // the step is like this now
	Text      json.RawMessage `json:"text"`
	// Changes is what differs from the text before; empty for the first one of a step.
	Changes []PropertyDiff `json:"changes,omitempty"`
}

// WorkflowLog returns what the steps of a workflow (step "" for all) have been, oldest
// first. Texts are known from the moment an engine first read them.
func (e *Engine) WorkflowLog(ctx context.Context, workflow, step string) ([]LogEntry, error) {
	texts, err := e.store.StepDefinitions(ctx, workflow, step)
	if err != nil {
		return nil, err
	}
	def, err := e.definitions.read(ctx, workflow, step)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 && def.Absent {
		return nil, e.workflowNotFound(ctx, workflow)
	}
	out := make([]LogEntry, 0, len(texts))
	before := map[string]*definitionText{} // by step
	for _, t := range texts {
		c := def.Step(t.Step)
		entry := LogEntry{Step: t.Step, Hash: t.Hash, FirstSeen: t.FirstSeen,
			Current: c != nil && c.Hash == t.Hash, Text: json.RawMessage(t.Text)}
		var now definitionText
		if json.Unmarshal([]byte(t.Text), &now) == nil {
			if last := before[t.Step]; last != nil {
				entry.Changes = diffDefinitions(last, &now)
			}
			before[t.Step] = &now
		}
		out = append(out, entry)
	}
	return out, nil
}

// A PropertyDiff is one property, or path, that differs between two texts of a step.
type PropertyDiff struct {
	Name string          `json:"name"` // a property, or "path ID"
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// definitionText is what a DEFINITION holds.
type definitionText struct {
	Workflow string                     `json:"workflow"`
	Step     map[string]json.RawMessage `json:"step"`
	Paths    []definitionPath           `json:"paths"`
}

type definitionPath struct {
	ID         string         `json:"id"`
	Kind       PathKind       `json:"kind"`
	Target     string         `json:"target"`
	Properties map[string]any `json:"properties"`
}

// DefinitionDiff compares two texts of a step by hash; to "" is the step as it is now.
func (e *Engine) DefinitionDiff(ctx context.Context, workflow, step, from, to string) ([]PropertyDiff, error) {
	a, err := e.definitionOf(ctx, workflow, step, from)
	if err != nil {
		return nil, err
	}
	b, err := e.definitionOf(ctx, workflow, step, to)
	if err != nil {
		return nil, err
	}
	return diffDefinitions(a, b), nil
}

// definitionOf reads the text of a hash (or a beginning of one), or the current one.
func (e *Engine) definitionOf(ctx context.Context, workflow, step, hash string) (*definitionText, error) {
	text := ""
	if hash == "" {
		def, err := e.definitions.read(ctx, workflow, step)
		if err != nil {
			return nil, err
		}
		if def.Step(step) == nil {
			return nil, stepNotFound(def.Workflow, step)
		}
		text = def.Step(step).Text
	} else {
		found, err := e.store.StepDefinitions(ctx, workflow, step)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if len(hash) >= 6 && len(hash) <= len(d.Hash) && d.Hash[:len(hash)] == hash {
				text = d.Text
			}
		}
		if text == "" {
			return nil, detail(ErrStepNotFound, "step %q of workflow %q has had no text with hash %q", step, workflow, hash)
		}
	}
	var d definitionText
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("definition %s: %w", hash, err)
	}
	return &d, nil
}

func diffDefinitions(a, b *definitionText) []PropertyDiff {
	flat := func(d *definitionText) map[string]json.RawMessage {
		m := map[string]json.RawMessage{}
		for k, v := range d.Step {
			m[k] = v
		}
		for _, p := range d.Paths {
			m["path "+p.ID], _ = jsontext.Marshal(map[string]any{"kind": p.Kind, "target": p.Target, "properties": p.Properties})
		}
		return m
	}
	from, to := flat(a), flat(b)
	names := map[string]bool{}
	for k := range from {
		names[k] = true
	}
	for k := range to {
		names[k] = true
	}
	out := []PropertyDiff{}
	for _, name := range sortedKeys(names) {
		if !equalJSON(orNull(from[name]), orNull(to[name])) {
			out = append(out, PropertyDiff{Name: name, From: from[name], To: to[name]})
		}
	}
	return out
}

func orNull(v json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return json.RawMessage("null")
	}
	return v
}

// RestoreStep makes a step what it was: its properties and its outgoing paths. Paths to
// steps that are gone are left out and reported; its place on the canvas stays.
func (e *Engine) RestoreStep(ctx context.Context, workflow, step, hash string) (*Workflow, []Problem, error) {
	old, err := e.definitionOf(ctx, workflow, step, hash)
	if err != nil {
		return nil, nil, err
	}
	w, err := e.workflow(ctx, workflow)
	if err != nil {
		return nil, nil, err
	}
	if w == nil {
		w = &Workflow{ID: workflow}
	}
	edit, problems, err := restoreEdit(w, old)
	if err != nil {
		return nil, nil, err
	}
	after, err := e.store.EditWorkflow(ctx, *edit)
	return after, problems, err
}

func restoreEdit(w *Workflow, old *definitionText) (*Edit, []Problem, error) {
	properties := map[string]any{}
	for k, v := range old.Step {
		var value any
		if err := json.Unmarshal(v, &value); err != nil {
			return nil, nil, err
		}
		properties[k] = value
	}
	step, _ := StepFromProperties(properties)
	step.Workflow = w.ID
	if now := w.Step(step.ID); now != nil {
		step.X, step.Y = now.X, now.Y
	}
	edit := &Edit{Workflow: w.ID, PutSteps: []Step{step}}
	if len(w.Steps) > 0 {
		edit.Match = w.ETag()
	}
	for _, p := range w.Paths {
		if p.Source == step.ID {
			edit.RemovePaths = append(edit.RemovePaths, p)
		}
	}
	var problems []Problem
	for _, was := range old.Paths {
		if was.Target != step.ID && w.Step(was.Target) == nil {
			problems = append(problems, Problem{Level: "warning", Step: step.ID, Path: was.ID, Code: "target_gone",
				Message: fmt.Sprintf("step %q is gone: the path to it was not restored", was.Target)})
			continue
		}
		p, _ := PathFromProperties(was.Kind, step.ID, was.Target, was.Properties)
		edit.PutPaths = append(edit.PutPaths, p)
	}
	sort.SliceStable(edit.PutPaths, func(i, j int) bool { return graph.PathLess(&edit.PutPaths[i], &edit.PutPaths[j]) })
	return edit, problems, nil
}
