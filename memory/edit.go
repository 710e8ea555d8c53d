package memory

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// EditWorkflow checks an edit as a whole before it changes anything.
func (s workflows) EditWorkflow(ctx context.Context, edit store.Edit) (*graph.Workflow, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if err := s.edit(edit); err != nil {
		return nil, fmt.Errorf("edit workflow %s: %w", edit.Workflow, err)
	}
	return s.workflow(edit.Workflow), nil
}

func (s workflows) edit(edit store.Edit) error {
	w := s.workflows[edit.Workflow]
	if edit.Match != "" && (w == nil || s.workflow(edit.Workflow).ETag() != edit.Match) {
		return store.ErrVersionMismatch
	}
	if edit.Delete {
		if w == nil {
			return store.ErrWorkflowNotFound
		}
		delete(s.workflows, edit.Workflow)
		s.dropPaths(func(n *step) bool { return n.workflow == edit.Workflow })
		return nil
	}
	var properties map[string]any
	if edit.Put != nil {
		var err error
		if properties, err = writeProperties(edit.Put); err != nil {
			return err
		}
	}
	if err := s.checkPaths(edit); err != nil {
		return err
	}
	s.apply(edit, properties)
	return nil
}

// checkPaths checks that every path to be put has both of its ends after the edit and, if the
// path has a Ref, still exists.
func (s workflows) checkPaths(edit store.Edit) error {
	there := make(map[string]bool)
	if w := s.workflows[edit.Workflow]; w != nil {
		for _, n := range w.steps {
			there[n.id()] = true
		}
	}
	for _, id := range edit.RemoveSteps {
		delete(there, id)
	}
	for i := range edit.PutSteps {
		there[edit.PutSteps[i].ID] = true
	}
	survives := s.remainingPaths(edit)
	for i := range edit.PutPaths {
		p := &edit.PutPaths[i]
		if !there[p.Source] {
			return fmt.Errorf("path %s: source %q: %w", p.ID, p.Source, store.ErrStepNotFound)
		}
		if other := p.TargetWorkflow; other != "" && other != edit.Workflow {
			if s.step(other, p.Target) == nil {
				return fmt.Errorf("path %s: target %q of workflow %s: %w", p.ID, p.Target, other, store.ErrStepNotFound)
			}
		} else if !there[p.Target] {
			return fmt.Errorf("path %s: target %q: %w", p.ID, p.Target, store.ErrStepNotFound)
		}
		if p.Ref != "" && !survives(p.Ref) {
			return fmt.Errorf("path %s: %w", p.ID, store.ErrPathNotFound)
		}
	}
	return nil
}

// remainingPaths returns a function that reports whether the path of a Ref belongs to the workflow and
// is not removed by this edit.
func (s workflows) remainingPaths(edit store.Edit) func(ref string) bool {
	w := s.workflows[edit.Workflow]
	if w == nil {
		return func(string) bool { return false }
	}
	removed := make(map[string]bool, len(edit.RemovePaths))
	for i := range edit.RemovePaths {
		removed[edit.RemovePaths[i].Ref] = true
	}
	steps := make(map[string]bool, len(edit.RemoveSteps))
	for _, id := range edit.RemoveSteps {
		steps[id] = true
	}
	gone := func(n *step) bool { return n.workflow == edit.Workflow && steps[n.id()] }
	return func(ref string) bool {
		p := w.paths[ref]
		return p != nil && !removed[ref] && !gone(p.from) && !gone(p.to)
	}
}

// apply makes the changes of a checked edit.
func (s workflows) apply(edit store.Edit, properties map[string]any) {
	w := s.workflows[edit.Workflow]
	if w == nil {
		w = newWorkflow()
		s.workflows[edit.Workflow] = w
	}
	for i := range edit.RemovePaths {
		delete(w.paths, edit.RemovePaths[i].Ref)
	}
	if gone := w.remove(edit.RemoveSteps); len(gone) > 0 {
		s.dropPaths(func(n *step) bool { return gone[n] })
	}
	if edit.Put != nil {
		w.properties = properties
	}
	for i := range edit.PutSteps {
		s.putStep(w, edit.Workflow, &edit.PutSteps[i])
	}
	for i := range edit.PutPaths {
		s.putPath(edit.Workflow, &edit.PutPaths[i])
	}
	if w.properties == nil && len(w.steps) == 0 {
		delete(s.workflows, edit.Workflow)
	}
}

func (s workflows) putStep(w *workflow, id string, put *graph.Step) {
	properties := cloneProperties(put.Properties())
	properties["workflow"] = id
	if n := s.step(id, put.ID); n != nil {
		n.properties = properties
		return
	}
	w.add(&step{workflow: id, properties: properties})
}

func (s workflows) putPath(id string, put *graph.Path) {
	target := id
	if put.TargetWorkflow != "" {
		target = put.TargetWorkflow
	}
	ref := put.Ref
	if ref == "" {
		s.refs++
		ref = strconv.Itoa(s.refs)
	}
	s.workflows[id].paths[ref] = &path{kind: put.Kind, from: s.step(id, put.Source), to: s.step(target, put.Target),
		properties: cloneProperties(put.Properties())}
}

// step finds a STEP, or nil.
func (s workflows) step(workflow, id string) *step {
	if w := s.workflows[workflow]; w != nil {
		return w.first[id]
	}
	return nil
}

// dropPaths removes the paths from and to steps that are gone, those of other workflows too.
func (s workflows) dropPaths(gone func(*step) bool) {
	for _, w := range s.workflows {
		maps.DeleteFunc(w.paths, func(_ string, p *path) bool { return gone(p.from) || gone(p.to) })
	}
}
