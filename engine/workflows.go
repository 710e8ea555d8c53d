package engine

import (
	"context"
	"fmt"
	"reflect"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/inspect"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Definitions reads and edits the workflows of a store.
type Definitions struct {
	store     Store
	registry  *Registry
	inspector *inspect.Inspector
}

// A Difference is what loading a workflow changed.
type Difference struct {
	Workflow string  `json:"workflow"`
	New      bool    `json:"new,omitempty"` // no workflow of this id was stored before
	Steps    Changes `json:"steps"`
	Paths    Changes `json:"paths"`
	// Problems are what Validate finds in the new version of the workflow.
	Problems []Problem `json:"problems,omitempty"`
	ETag     string    `json:"-"`
}

// Changes are ids that were added, changed and removed.
type Changes struct {
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
	// Fields are the properties that differ in each changed one. Only a dry run has them: the
	// answer of a write would hold every edited text twice.
	Fields map[string][]inspect.PropertyDiff `json:"fields,omitempty" doc:"in a dry run, of each changed one the properties that differ"`
}

// Empty reports whether there is no difference.
func (d *Difference) Empty() bool {
	return len(d.Steps.Added)+len(d.Steps.Changed)+len(d.Steps.Removed)+len(d.Paths.Added)+len(d.Paths.Changed)+len(d.Paths.Removed) == 0
}

// Workflow returns a workflow as it is stored, with its problems.
func (d *Definitions) Workflow(ctx context.Context, id string) (*Workflow, error) {
	w, err := d.workflow(ctx, id)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, store.WorkflowNotFound(ctx, d.store, id)
	}
	return w, nil
}

func (d *Definitions) workflow(ctx context.Context, id string) (*Workflow, error) {
	found, err := d.store.Workflows(ctx, []string{id}, nil)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].Clone(), nil // the store may keep its own
}

// Workflows lists all workflows by id.
func (d *Definitions) Workflows(ctx context.Context) ([]WorkflowInfo, error) {
	return d.store.WorkflowIDs(ctx)
}

// DeleteWorkflow removes a workflow with all its steps; its sessions stay.
func (d *Definitions) DeleteWorkflow(ctx context.Context, id, match string) error {
	if _, err := d.Workflow(ctx, id); err != nil {
		return err
	}
	_, err := d.store.EditWorkflow(ctx, store.Edit{Workflow: id, Match: match, Delete: true})
	return err
}

// PutStep adds or replaces one step.
func (d *Definitions) PutStep(ctx context.Context, workflow string, s Step, match string) (*Workflow, error) {
	if err := checkStepID(s.ID); err != nil {
		return nil, err
	}
	return d.store.EditWorkflow(ctx, store.Edit{Workflow: workflow, Match: match, PutSteps: []Step{s}})
}

// RemoveStep removes a step with its paths.
func (d *Definitions) RemoveStep(ctx context.Context, workflow, step, match string) (*Workflow, error) {
	w, err := d.Workflow(ctx, workflow)
	if err != nil {
		return nil, err
	}
	if w.Step(step) == nil {
		return nil, store.StepNotFound(w, step)
	}
	return d.store.EditWorkflow(ctx, store.Edit{Workflow: workflow, Match: match, RemoveSteps: []string{step}})
}

// PutPath adds a path (if its id is "" or does not exist) or replaces the path with its id. A
// replaced path without a stored id gets one.
func (d *Definitions) PutPath(ctx context.Context, workflow string, p Path, match string) (*Workflow, error) {
	w, err := d.Workflow(ctx, workflow)
	if err != nil {
		return nil, err
	}
	for _, end := range []string{p.Source, p.Target} {
		if w.Step(end) == nil {
			return nil, store.StepNotFound(w, end)
		}
	}
	if p.Kind == "" {
		p.Kind = Next
	}
	if old := w.Path(p.ID); old != nil && p.ID != "" {
		p.Ref, p.Stored = old.Ref, true
	} else {
		p.Stored = p.ID != ""
	}
	if match == "" {
		match = w.ETag()
	}
	return d.store.EditWorkflow(ctx, store.Edit{Workflow: workflow, Match: match, PutPaths: []Path{p}})
}

// RemovePath removes one path by id or name.
func (d *Definitions) RemovePath(ctx context.Context, workflow, path, match string) (*Workflow, error) {
	w, err := d.Workflow(ctx, workflow)
	if err != nil {
		return nil, err
	}
	p := w.Path(path)
	if p == nil {
		ids := make([]string, len(w.Paths))
		for i := range w.Paths {
			ids[i] = w.Paths[i].ID
		}
		return nil, &DetailError{Err: ErrPathNotFound, Detail: fmt.Sprintf("%q in workflow %q", path, workflow), Exists: ids}
	}
	if match == "" {
		match = w.ETag()
	}
	return d.store.EditWorkflow(ctx, store.Edit{Workflow: workflow, Match: match, RemovePaths: []Path{*p}})
}

// Bounds of one definition. Every engine that runs a session of the workflow reads and compiles
// the whole definition: one of 150,000 steps, a file of 4 MB, took 6 s each time.
const (
	maxWorkflowSteps = 20_000
	maxWorkflowPaths = 100_000
)

// checkWorkflow refuses what cannot be stored: too many steps or paths, steps without or with
// the same id.
func checkWorkflow(w *Workflow) error {
	if err := checkWorkflowID(w.ID); err != nil {
		return err
	}
	if len(w.Steps) > maxWorkflowSteps || len(w.Paths) > maxWorkflowPaths {
		return store.Detailf(ErrTooLarge, "workflow %q has %d steps and %d paths, at most %d and %d are taken", graph.CutText(w.ID, 40), len(w.Steps), len(w.Paths), maxWorkflowSteps, maxWorkflowPaths)
	}
	seen := map[string]bool{}
	for i := range w.Steps {
		id := w.Steps[i].ID
		if err := checkStepID(id); err != nil {
			return err
		}
		if seen[id] {
			return store.Detailf(ErrBadRequest, "two steps are called %q", id)
		}
		seen[id] = true
	}
	for i := range w.Paths {
		p := &w.Paths[i]
		for _, end := range []string{p.Source, p.Target} {
			if end == p.Target && p.TargetWorkflow != "" && p.TargetWorkflow != w.ID {
				continue // the store looks for the target there; the path stays closed
			}
			if !seen[end] {
				return store.Detailf(ErrBadRequest, "path %s>%s: there is no step %q", p.Source, p.Target, end)
			}
		}
	}
	return nil
}

func checkWorkflowID(id string) error {
	if id == "" || len(id) > maxID {
		return store.Detailf(ErrBadRequest, "workflow id %q: want 1 to %d bytes", graph.CutText(id, 40), maxID)
	}
	return nil
}

func checkStepID(id string) error {
	if id == "" || len(id) > maxID {
		return store.Detailf(ErrBadRequest, "step id %q: want 1 to %d bytes", graph.CutText(id, 40), maxID)
	}
	return nil
}

// compare returns the smallest edit that turns old into w. Paths without a stored id are matched
// by name: their ends and their position in path order.
func compare(old, w *Workflow) (*store.Edit, *Difference) {
	wanted := *w
	wanted.Steps = append([]Step(nil), w.Steps...)
	wanted.Paths = append([]Path(nil), w.Paths...)
	for i := range wanted.Paths {
		if !wanted.Paths[i].Stored {
			wanted.Paths[i].ID = ""
		}
	}
	wanted.Normalize()
	edit := &store.Edit{Workflow: w.ID}
	diff := &Difference{Workflow: w.ID, Steps: emptyChanges(), Paths: emptyChanges()}
	compareSteps(old, &wanted, edit, diff)
	comparePaths(old, &wanted, edit, diff)
	if old.Name != w.Name || old.Description != w.Description || !sameJSON(old.Settings, w.Settings) || !sameJSON(old.Extra, w.Extra) {
		edit.Put = &Workflow{ID: w.ID, Name: w.Name, Description: w.Description, Settings: w.Settings, Extra: w.Extra}
	}
	return edit, diff
}

// addFields lists what differs in the steps and paths that an edit changes.
func (d *Difference) addFields(old *Workflow, edit *store.Edit) error {
	d.Steps.Fields, d.Paths.Fields = map[string][]inspect.PropertyDiff{}, map[string][]inspect.PropertyDiff{}
	var err error
	for i := range edit.PutSteps {
		s := &edit.PutSteps[i]
		if before := old.Step(s.ID); before != nil && err == nil {
			d.Steps.Fields[s.ID], err = inspect.DiffProperties(before.Editable(), s.Editable())
		}
	}
	for i := range edit.PutPaths {
		p := &edit.PutPaths[i]
		if before := old.Path(p.ID); p.Ref != "" && before != nil && err == nil {
			d.Paths.Fields[p.ID], err = inspect.DiffProperties(before.Properties(), p.Properties())
		}
	}
	return err
}

func emptyChanges() Changes {
	return Changes{Added: []string{}, Changed: []string{}, Removed: []string{}}
}

func compareSteps(old, wanted *Workflow, edit *store.Edit, diff *Difference) {
	for i := range wanted.Steps {
		s := &wanted.Steps[i]
		before := old.Step(s.ID)
		switch {
		case before == nil:
			diff.Steps.Added = append(diff.Steps.Added, s.ID)
		case sameJSON(before.Editable(), s.Editable()):
			continue
		default:
			diff.Steps.Changed = append(diff.Steps.Changed, s.ID)
		}
		edit.PutSteps = append(edit.PutSteps, *s)
	}
	for i := range old.Steps {
		if wanted.Step(old.Steps[i].ID) == nil {
			diff.Steps.Removed = append(diff.Steps.Removed, old.Steps[i].ID)
			edit.RemoveSteps = append(edit.RemoveSteps, old.Steps[i].ID)
		}
	}
}

func comparePaths(old, wanted *Workflow, edit *store.Edit, diff *Difference) {
	kept := map[string]bool{}
	for i := range wanted.Paths {
		p := wanted.Paths[i]
		before := old.Path(p.ID)
		if before != nil && (before.Kind != p.Kind || before.Source != p.Source || before.Target != p.Target || before.Stored != p.Stored) {
			before = nil
		}
		switch {
		case before == nil:
			diff.Paths.Added = append(diff.Paths.Added, p.ID)
		case sameJSON(before.Properties(), p.Properties()):
			kept[before.Ref] = true
			continue
		default:
			kept[before.Ref] = true
			p.Ref = before.Ref
			diff.Paths.Changed = append(diff.Paths.Changed, p.ID)
		}
		edit.PutPaths = append(edit.PutPaths, p)
	}
	gone := map[string]bool{}
	for _, id := range edit.RemoveSteps {
		gone[id] = true
	}
	for i := range old.Paths {
		p := old.Paths[i]
		if kept[p.Ref] {
			continue
		}
		diff.Paths.Removed = append(diff.Paths.Removed, p.ID)
		if !gone[p.Source] && !gone[p.Target] { // otherwise it is removed together with its step
			edit.RemovePaths = append(edit.RemovePaths, p)
		}
	}
}

// sameJSON compares two values by their JSON, so that 1 and 1.0 from different number types are
// equal.
func sameJSON(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	ja, errA := jsontext.Marshal(a)
	jb, errB := jsontext.Marshal(b)
	return errA == nil && errB == nil && string(ja) == string(jb)
}
