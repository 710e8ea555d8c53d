package cypher

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// EditWorkflow applies an edit in one transaction. Edits of one workflow made through the
// store take turns; an edit made in Neo4j Browser at the same time does not wait for them.
func (s workflows) EditWorkflow(ctx context.Context, edit store.Edit) (*graph.Workflow, error) {
	var after *graph.Workflow
	err := s.together(ctx, "edit workflow "+edit.Workflow, false, func(t transaction) error {
		e := editor{Edit: edit, transaction: t, log: s.log}
		var err error
		after, err = e.apply(ctx)
		return err
	})
	return after, err
}

// An editor applies one edit.
type editor struct {
	store.Edit
	transaction
	log  *slog.Logger
	made bool            // the lock created the WORKFLOW node
	raw  map[string]any  // properties of each step before the edit, in the driver's types
	was  *graph.Workflow // before the edit; nil when there was none
}

func (e *editor) apply(ctx context.Context) (*graph.Workflow, error) {
	rows, err := e.query(ctx, queryEditLock, params{"workflow": e.Workflow})
	if err != nil {
		return nil, err
	}
	e.made = rows[0].yes("made")
	if e.was, err = e.read(ctx); err != nil {
		return nil, err
	}
	if e.made && e.was != nil && len(e.was.Steps) == 0 && len(e.was.Problems) == 0 {
		e.was = nil // only the node that the lock created exists
	}
	if e.Match != "" && (e.was == nil || e.was.ETag() != e.Match) {
		return nil, store.ErrVersionMismatch
	}
	if e.Delete {
		return e.delete(ctx)
	}
	for _, part := range []func(context.Context) error{e.removePaths, e.removeSteps, e.put, e.putSteps, e.putPaths} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	if e.made && e.Put == nil {
		if _, err := e.query(ctx, queryEditDelete, params{"workflow": e.Workflow, "steps": false}); err != nil {
			return nil, err
		}
	}
	after, err := e.read(ctx)
	if after == nil {
		after = &graph.Workflow{ID: e.Workflow}
	}
	return after, err
}

// read reads the workflow as this transaction sees it; nil when there is none.
func (e *editor) read(ctx context.Context) (*graph.Workflow, error) {
	var found map[string]*workflowRows
	err := readAdopting(ctx, e.log, func() (strays []any, err error) {
		rows, err := e.query(ctx, queryDefinition, definitionParams([]string{e.Workflow}, nil))
		if err != nil {
			return nil, err
		}
		found, strays = graphsFrom(rows)
		return strays, nil
	}, func(strays []any) error {
		_, err := e.query(ctx, queryStepsAdopt, params{"steps": strays})
		return err
	})
	g := found[e.Workflow]
	if err != nil || g == nil {
		return nil, err
	}
	e.raw = map[string]any{}
	for _, step := range g.steps {
		e.raw[step.properties.text("id")] = step.properties
	}
	return g.workflow(), nil
}

func (e *editor) delete(ctx context.Context) (*graph.Workflow, error) {
	if e.was == nil {
		return nil, fmt.Errorf("%w: %s", store.ErrWorkflowNotFound, e.Workflow)
	}
	_, err := e.query(ctx, queryEditDelete, params{"workflow": e.Workflow, "steps": true})
	return &graph.Workflow{ID: e.Workflow}, err
}

func (e *editor) removePaths(ctx context.Context) error {
	refs := []any{}
	for _, p := range e.RemovePaths {
		if e.known(p.Ref) != nil {
			refs = append(refs, p.Ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	_, err := e.query(ctx, queryEditRemovePaths, params{"refs": refs})
	return err
}

// known returns the path of a handle: handles of other workflows, or of paths that are
// gone and whose handle the server may give away again, are not taken.
func (e *editor) known(ref string) *graph.Path {
	if e.was == nil || ref == "" {
		return nil
	}
	i := slices.IndexFunc(e.was.Paths, func(p graph.Path) bool { return p.Ref == ref })
	if i < 0 {
		return nil
	}
	return &e.was.Paths[i]
}

func (e *editor) removeSteps(ctx context.Context) error {
	if len(e.RemoveSteps) == 0 {
		return nil
	}
	_, err := e.query(ctx, queryEditRemoveSteps, params{"workflow": e.Workflow, "steps": e.RemoveSteps})
	return err
}

func (e *editor) put(ctx context.Context) error {
	if e.Put == nil {
		return nil
	}
	p := storableProperties(e.Put.Extra)
	p["id"] = e.Workflow
	p["name"] = optional(e.Put.Name)
	p["description"] = optional(e.Put.Description)
	if !e.Put.Settings.IsZero() {
		text, err := json.Marshal(e.Put.Settings)
		if err != nil {
			return fmt.Errorf("%w: settings: %w", store.ErrBadRequest, err)
		}
		p["settings"] = string(text)
	}
	_, err := e.query(ctx, queryEditPut, params{"workflow": e.Workflow, "properties": p})
	return err
}

func (e *editor) putSteps(ctx context.Context) error {
	if len(e.PutSteps) == 0 {
		return nil
	}
	rows := make([]any, len(e.PutSteps))
	for i := range e.PutSteps {
		step := &e.PutSteps[i]
		p := e.typed(step.ID, storableProperties(step.Properties()))
		p["workflow"] = e.Workflow
		rows[i] = params{"id": step.ID, "properties": p}
	}
	_, err := e.query(ctx, queryEditPutSteps, params{"workflow": e.Workflow, "rows": rows})
	return err
}

// typed gives a property that was read as text, and comes back unchanged, its own type
// again: a date that a person wrote stays a date.
func (e *editor) typed(step string, p map[string]any) map[string]any {
	before, _ := e.raw[step].(properties)
	for name, v := range p {
		old := before[name]
		text, isText := v.(string)
		if _, wasText := old.(string); old != nil && isText && !wasText && plainValue(old) == any(text) {
			p[name] = old
		}
	}
	return p
}

func (e *editor) putPaths(ctx context.Context) error {
	var changed, created, moved []any
	for i := range e.PutPaths {
		p := &e.PutPaths[i]
		old := e.known(p.Ref)
		if p.Ref != "" && old == nil {
			return fmt.Errorf("%w: %s", store.ErrPathNotFound, p.ID)
		}
		if old != nil && old.Kind == p.Kind && old.Source == p.Source && old.Target == p.Target && old.TargetWorkflow == p.TargetWorkflow {
			changed = append(changed, params{"ref": p.Ref, "properties": storableProperties(p.Properties())})
			continue
		}
		if old != nil {
			moved = append(moved, p.Ref)
		}
		created = append(created, e.newPath(p))
	}
	if err := e.changePaths(ctx, changed, moved); err != nil {
		return err
	}
	return e.createPaths(ctx, created)
}

func (e *editor) newPath(p *graph.Path) params {
	workflow := p.TargetWorkflow
	if workflow == "" {
		workflow = e.Workflow
	}
	return params{"kind": string(p.Kind), "source": p.Source, "target": p.Target,
		"target_workflow": workflow, "properties": storableProperties(p.Properties())}
}

// changePaths writes the properties of paths that stay and removes those that move: a
// relationship cannot change its ends.
func (e *editor) changePaths(ctx context.Context, changed, moved []any) error {
	if len(changed) > 0 {
		rows, err := e.query(ctx, queryEditPutPaths, params{"rows": changed})
		if err != nil {
			return err
		}
		if len(rows) < len(changed) {
			return fmt.Errorf("%w: it was removed with its step", store.ErrPathNotFound)
		}
	}
	if len(moved) > 0 {
		if _, err := e.query(ctx, queryEditRemovePaths, params{"refs": moved}); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) createPaths(ctx context.Context, created []any) error {
	if len(created) == 0 {
		return nil
	}
	rows, err := e.query(ctx, queryEditCreatePaths, params{"workflow": e.Workflow, "rows": created})
	if err != nil || len(rows) == len(created) {
		return err
	}
	done := map[int64]bool{}
	for _, r := range rows {
		done[r.number("i")] = true
	}
	for i, v := range created {
		if p := v.(params); !done[int64(i)] {
			return fmt.Errorf("%w: path %s>%s has no such source or target", store.ErrStepNotFound, p["source"], p["target"])
		}
	}
	return nil
}
