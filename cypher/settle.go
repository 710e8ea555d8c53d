package cypher

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// A read of a workflow beside the commit of an edit can see half of it: the new path without
// the step that it leads to, the new path without the removed one. A session that ran by it
// would end too early. Two equal reads in a row do not exclude it: while the server applies
// one commit, a reader saw the same half up to 22 times in a row.
//
// So a workflow that differs from the one known is read until two reads of a chain are equal.
// A lock would not do: an edit made in Neo4j Browser takes none that a reader could wait for
// without a risk of deadlock. A workflow that has not changed costs one read.

// chainedReads limits the reads of a workflow that changes all the time. After that it is read
// under the lock that edits made through a store take.
const chainedReads = 5

// workflows reads and edits definitions.
type workflows struct {
	*db
	known *knownWorkflows
}

// consistentWorkflows reads workflows until none of them can be half of an edit; one that does not exist is nil.
func (s workflows) consistentWorkflows(ctx context.Context, ids []string, entries map[string][]string) (map[string]*graph.Workflow, error) {
	c := chain{db: s.db}
	found, err := readWorkflows(ctx, &c, ids, entries)
	if err != nil {
		return nil, err
	}
	changed := s.known.differing(ids, found)
	for range chainedReads {
		if len(changed) == 0 {
			return found, nil
		}
		again, err := readWorkflows(ctx, &c, changed, entries)
		if err != nil {
			return nil, err
		}
		var still []string
		for _, id := range changed {
			if reflect.DeepEqual(found[id], again[id]) {
				s.known.keep(id, found[id])
			} else {
				still = append(still, id)
			}
			found[id] = again[id]
		}
		changed = still
	}
	if len(changed) == 0 {
		return found, nil
	}
	locked, err := s.lockedWorkflows(ctx, changed, entries)
	for _, id := range changed {
		found[id] = locked[id]
	}
	return found, err
}

// lockedWorkflows reads workflows while no edit of them can be made through a store. It leaves nothing behind.
func (s workflows) lockedWorkflows(ctx context.Context, ids []string, entries map[string][]string) (map[string]*graph.Workflow, error) {
	var found map[string]*workflowRows
	err := s.transact(ctx, "workflows", true, func(t transaction) error {
		made := map[string]bool{}
		for _, id := range ids {
			rows, err := t.query(ctx, queryEditLock, params{"workflow": id})
			if err != nil {
				return err
			}
			made[id] = rows[0].yes("made")
		}
		rows, err := t.query(ctx, queryDefinition, definitionParams(ids, entries))
		if err != nil {
			return err
		}
		found, _ = graphsFrom(rows)
		for id, g := range found {
			if made[id] { // the WORKFLOW node is the lock
				if g.node = nil; len(g.steps) == 0 {
					delete(found, id)
				}
			}
		}
		return errOnlyLooked
	})
	if !errors.Is(err, errOnlyLooked) {
		return nil, err
	}
	return workflowsOf(found), nil
}

// knownWorkflows are workflows as they were last read in full.
type knownWorkflows struct {
	mu   sync.Mutex
	byID map[string]*graph.Workflow
}

func newKnownWorkflows() *knownWorkflows {
	return &knownWorkflows{byID: map[string]*graph.Workflow{}}
}

// differing returns the ids of the workflows that differ from those known.
func (k *knownWorkflows) differing(ids []string, found map[string]*graph.Workflow) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []string
	for _, id := range ids {
		if !reflect.DeepEqual(k.byID[id], found[id]) {
			list = append(list, id)
		}
	}
	return list
}

// keep caches a workflow, of which the caller keeps no other reference; nil: it does not exist.
func (k *knownWorkflows) keep(id string, w *graph.Workflow) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w == nil {
		delete(k.byID, id)
		return
	}
	k.byID[id] = w
}
