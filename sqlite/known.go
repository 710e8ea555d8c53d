package sqlite

import (
	"context"
	"slices"
	"sync"

	"github.com/stepgraph/stepgraph/engine"
)

// Workflows returns the workflows of the ids that exist, read from one commit. Entries
// are of no use here: no step is without a workflow in this store. Workflows that have not changed
// since they were last read are not read again, which their versions tell.
func (s *Store) Workflows(ctx context.Context, ids []string, _ map[string][]string) ([]*engine.Workflow, error) {
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
	var found []*engine.Workflow
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

// knownRoom is how many workflows are kept in memory.
const knownRoom = 200

// A known keeps workflows as they were last read.
type known struct {
	mu        sync.Mutex
	workflows map[string]knownWorkflow
}

type knownWorkflow struct {
	version  int64
	workflow *engine.Workflow
}

// find returns the workflows of sorted ids; all reports that each is known in its current version.
func (k *known) find(ids []string, current map[string]int64) (found []*engine.Workflow, all bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		w, ok := k.workflows[id]
		if !ok || w.version != current[id] {
			return nil, false
		}
	}
	for _, id := range ids {
		found = append(found, k.workflows[id].workflow)
	}
	return found, true
}

// keep remembers workflows that were read together with their versions.
func (k *known) keep(found []*engine.Workflow, current map[string]int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.workflows)+len(found) > knownRoom {
		k.workflows = nil
	}
	if k.workflows == nil {
		k.workflows = make(map[string]knownWorkflow, len(found))
	}
	for _, w := range found {
		if n := current[w.ID]; n > k.workflows[w.ID].version {
			k.workflows[w.ID] = knownWorkflow{n, w}
		}
	}
}
