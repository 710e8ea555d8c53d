package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// workflows are read and edited.
type workflows struct {
	*db
	known *known // as they were last read
}

// Workflows returns the workflows of the ids that exist, read from one commit. Entries
// are of no use here: no step is without a workflow in this store. Workflows that have not changed
// since they were last read are not read again, which their versions tell.
func (s workflows) Workflows(ctx context.Context, ids []string, _ map[string][]string) ([]*graph.Workflow, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	current, err := readVersions(func(name string, scan func(scanner) error, args ...any) error {
		return s.reader.each(ctx, name, scan, args...)
	}, ids)
	if err == nil { // a file of an older version has no such table
		if found, all := s.known.find(ids, current); all {
			return found, nil
		}
	}
	versioned, statements := err == nil, []string{"workflow_read", "step_read", "path_read"}
	if versioned {
		statements = append(statements, "workflow_versions")
	}
	var found []*graph.Workflow
	err = s.reader.snapshot(ctx, statements, func(t *snapshot) (err error) {
		if versioned {
			if current, err = readVersions(t.each, ids); err != nil {
				return err
			}
		}
		found, err = readWorkflows(t.each, ids)
		return err
	})
	if err != nil {
		return nil, fault("read workflows", err)
	}
	if versioned {
		s.known.keep(found, current)
	}
	return found, nil
}

// readVersions reads the versions of the workflows that exist or have existed.
func readVersions(each eachFunc, ids []string) (map[string]int64, error) {
	current := make(map[string]int64, len(ids))
	err := each("workflow_versions", func(row scanner) error {
		var id string
		var n int64
		err := row.Scan(&id, &n)
		current[id] = n
		return err
	}, list(ids))
	return current, err
}

// WorkflowIDs lists all workflows by id with their number of steps.
func (s workflows) WorkflowIDs(ctx context.Context) ([]store.WorkflowInfo, error) {
	var found []store.WorkflowInfo
	err := s.reader.each(ctx, "workflow_list", func(row scanner) error {
		var w store.WorkflowInfo
		err := row.Scan(&w.ID, &w.Name, &w.Description, &w.Steps)
		found = append(found, w)
		return err
	})
	if err != nil {
		return nil, fault("list workflows", err)
	}
	return found, nil
}

// eachFunc runs a query by name, in a snapshot or under the write lock.
type eachFunc func(name string, scan func(scanner) error, args ...any) error

// readWorkflows puts workflows together from their three tables, normalized.
func readWorkflows(each eachFunc, ids []string) ([]*graph.Workflow, error) {
	b := &builder{there: make(map[string]*graph.Workflow)}
	wanted := list(ids)
	if err := each("workflow_read", b.workflowRow, wanted); err != nil {
		return nil, err
	}
	if err := each("step_read", b.stepRow, wanted); err != nil {
		return nil, err
	}
	if err := each("path_read", b.pathRow, wanted); err != nil {
		return nil, err
	}
	for _, w := range b.found {
		w.Normalize()
	}
	return b.found, nil
}

// A builder collects the rows of several workflows.
type builder struct {
	there map[string]*graph.Workflow
	found []*graph.Workflow
}

func (b *builder) workflow(id string) *graph.Workflow {
	w := b.there[id]
	if w == nil {
		w = &graph.Workflow{ID: id}
		b.there[id] = w
		b.found = append(b.found, w)
	}
	return w
}

func (b *builder) workflowRow(row scanner) error {
	var id, name, description string
	var settings, extra []byte
	if err := row.Scan(&id, &name, &description, &settings, &extra); err != nil {
		return err
	}
	w := b.workflow(id)
	w.Name, w.Description = name, description
	var err error
	if len(extra) > 0 {
		if w.Extra, err = properties(extra); err != nil {
			return err
		}
	}
	if len(settings) == 0 {
		return nil
	}
	if err := json.Unmarshal(settings, &w.Settings); err != nil {
		if w.Extra == nil {
			w.Extra = make(map[string]any)
		}
		w.Settings, w.Extra["settings"] = graph.Settings{}, string(settings)
		w.Problems = append(w.Problems, function.Problem{Level: "error", Code: "property_type", Message: "settings: " + err.Error()})
	}
	return nil
}

func (b *builder) stepRow(row scanner) error {
	var workflow, id string
	var text []byte
	if err := row.Scan(&workflow, &id, &text); err != nil {
		return err
	}
	p, err := properties(text)
	if err != nil {
		return err
	}
	p["workflow"], p["id"] = workflow, id
	step, problems := graph.StepFromProperties(p)
	w := b.workflow(workflow)
	w.Steps = append(w.Steps, step)
	w.Problems = append(w.Problems, problems...)
	return nil
}

func (b *builder) pathRow(row scanner) error {
	var workflow, kind, source, targetWorkflow, target string
	var ref int64
	var text []byte
	if err := row.Scan(&workflow, &ref, &kind, &source, &targetWorkflow, &target, &text); err != nil {
		return err
	}
	p, err := properties(text)
	if err != nil {
		return err
	}
	path, problems := graph.PathFromProperties(graph.PathKind(kind), source, target, p)
	path.TargetWorkflow, path.Ref = targetWorkflow, strconv.FormatInt(ref, 10)
	w := b.workflow(workflow)
	w.Paths = append(w.Paths, path)
	w.Problems = append(w.Problems, problems...)
	return nil
}
