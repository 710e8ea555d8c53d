package cypher

import (
	"context"
	"sort"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Workflows returns the workflows of the ids that exist, each as it stands between two commits.
func (s workflows) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*graph.Workflow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ids = distinct(ids)
	found, err := s.consistentWorkflows(ctx, ids, entries)
	var list []*graph.Workflow
	for _, id := range ids {
		if w := found[id]; w != nil {
			list = append(list, w)
		}
	}
	return list, err
}

// adoptAll files all steps without workflow: those that paths lead to, then the rest, which goes
// to default.
func (s workflows) adoptAll(ctx context.Context) error {
	err := readAdopting(ctx, s.log, func() (strays []any, err error) {
		rows, err := s.read(ctx, queryStepsStrays, nil)
		for _, r := range rows {
			strays = append(strays, strayFrom(r.text("ref"), r.text("workflow")))
		}
		return strays, err
	}, func(strays []any) error {
		_, err := s.write(ctx, queryStepsAdopt, params{"steps": strays})
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.write(ctx, queryStepsAdoptAll, nil)
	return err
}

// WorkflowIDs lists all workflows by id, and files steps without workflow.
func (s workflows) WorkflowIDs(ctx context.Context) ([]store.WorkflowInfo, error) {
	if err := s.adoptAll(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read(ctx, queryWorkflowIDs, nil)
	if err != nil {
		return nil, err
	}
	byID := map[string]*store.WorkflowInfo{}
	for _, r := range rows {
		id := r.text("id")
		if byID[id] == nil {
			byID[id] = &store.WorkflowInfo{ID: id}
		}
		info := byID[id]
		info.Steps += int(r.number("steps"))
		if name := r.text("name"); name != "" {
			info.Name = name
		}
		if text := r.text("description"); text != "" {
			info.Description = text
		}
	}
	list := make([]store.WorkflowInfo, 0, len(byID))
	for _, info := range byID {
		list = append(list, *info)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list, nil
}
