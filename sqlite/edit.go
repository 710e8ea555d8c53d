package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// EditWorkflow applies an edit in one transaction and returns the workflow after it: an
// empty one with the id when nothing is left.
func (s workflows) EditWorkflow(ctx context.Context, edit store.Edit) (*graph.Workflow, error) {
	var after *graph.Workflow
	err := s.writer.write(ctx, "edit", func(t *tx) error {
		w := editTx{t}
		if err := w.edit(&edit); err != nil {
			return fmt.Errorf("workflow %s: %w", edit.Workflow, err)
		}
		var err error
		after, err = w.workflow(edit.Workflow)
		if errors.Is(err, store.ErrWorkflowNotFound) {
			after, err = &graph.Workflow{ID: edit.Workflow}, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

// An editTx applies the edit of a workflow.
type editTx struct{ *tx }

// workflow reads one workflow under the write lock.
func (t editTx) workflow(id string) (*graph.Workflow, error) {
	found, err := readWorkflows(t.each, []string{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, store.ErrWorkflowNotFound
	}
	return found[0], nil
}

func (t editTx) edit(e *store.Edit) error {
	if err := t.checkEdit(e); err != nil {
		return err
	}
	if e.Delete {
		return t.deleteWorkflow(e.Workflow)
	}
	if err := t.remove(e); err != nil {
		return err
	}
	if e.Put != nil {
		if err := t.putWorkflow(e.Workflow, e.Put); err != nil {
			return err
		}
	}
	for i := range e.PutSteps {
		if err := t.putStep(e.Workflow, &e.PutSteps[i]); err != nil {
			return fmt.Errorf("step %s: %w", e.PutSteps[i].ID, err)
		}
	}
	for i := range e.PutPaths {
		if err := t.putPath(e.Workflow, &e.PutPaths[i]); err != nil {
			return fmt.Errorf("path %s>%s: %w", e.PutPaths[i].Source, e.PutPaths[i].Target, err)
		}
	}
	return nil
}

// checkEdit compares the ETag, if the edit requires one.
func (t editTx) checkEdit(e *store.Edit) error {
	if e.Match == "" && !e.Delete {
		return nil
	}
	w, err := t.workflow(e.Workflow)
	if e.Match != "" && (errors.Is(err, store.ErrWorkflowNotFound) || err == nil && w.ETag() != e.Match) {
		return fmt.Errorf("%w: somebody else has edited it", store.ErrVersionMismatch)
	}
	return err
}

func (t editTx) deleteWorkflow(id string) error {
	for _, name := range [...]string{"workflow_delete_paths", "workflow_delete_steps", "workflow_delete"} {
		if err := t.deleteAll(name, id); err != nil {
			return err
		}
	}
	return nil
}

func (t editTx) remove(e *store.Edit) error {
	for i := range e.RemovePaths {
		ref, err := strconv.ParseInt(e.RemovePaths[i].Ref, 10, 64)
		if err != nil { // the Ref is not one of this store, so the path does not exist
			continue
		}
		if _, err := t.exec("path_delete", e.Workflow, ref); err != nil {
			return err
		}
	}
	for _, id := range e.RemoveSteps {
		if _, err := t.exec("step_delete_paths", e.Workflow, id); err != nil {
			return err
		}
		if _, err := t.exec("step_delete", e.Workflow, id); err != nil {
			return err
		}
	}
	return nil
}

func (t editTx) putWorkflow(id string, w *graph.Workflow) error {
	var settings, extra any
	if !w.Settings.IsZero() {
		b, err := json.Marshal(w.Settings)
		if err != nil {
			return fmt.Errorf("settings: %w", err)
		}
		settings = string(b)
	}
	if len(w.Extra) > 0 {
		text, err := propertyText(w.Extra)
		if err != nil {
			return err
		}
		extra = text
	}
	_, err := t.exec("workflow_put", id, w.Name, w.Description, settings, extra)
	return err
}

func (t editTx) putStep(workflow string, s *graph.Step) error {
	text, err := propertyText(s.Properties(), "id", "workflow")
	if err != nil {
		return err
	}
	_, err = t.exec("step_put", workflow, s.ID, text)
	return err
}

func (t editTx) putPath(workflow string, p *graph.Path) error {
	text, err := propertyText(p.Properties())
	if err != nil {
		return err
	}
	target := p.TargetWorkflow
	if target == workflow {
		target = ""
	}
	if err := t.stepExists(workflow, p.Source); err != nil {
		return err
	}
	if err := t.stepExists(orElse(target, workflow), p.Target); err != nil {
		return err
	}
	args := []any{workflow, string(p.Kind), p.Source, target, p.Target, text}
	if p.Ref == "" {
		_, err = t.exec("path_create", args...)
		return err
	}
	ref, err := strconv.ParseInt(p.Ref, 10, 64)
	if err != nil {
		return store.ErrPathNotFound
	}
	changed, err := t.exec("path_replace", append(args, ref)...)
	if err == nil && changed == 0 {
		err = store.ErrPathNotFound
	}
	return err
}

func (t editTx) stepExists(workflow, id string) error {
	var one int
	err := t.row("step_exists", func(row scanner) error { return row.Scan(&one) }, workflow, id)
	if noRow(err) {
		return fmt.Errorf("step %s of workflow %s: %w", id, workflow, store.ErrStepNotFound)
	}
	return err
}
