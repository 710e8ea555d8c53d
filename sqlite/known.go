package sqlite

import (
	"sync"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// knownRoom is how many workflows are kept in memory.
const knownRoom = 200

// A known keeps workflows as they were last read.
type known struct {
	mu        sync.Mutex
	workflows map[string]knownWorkflow
}

type knownWorkflow struct {
	version  int64
	workflow *graph.Workflow
}

// find returns the workflows of sorted ids; all reports that each is known in its current version.
func (k *known) find(ids []string, current map[string]int64) (found []*graph.Workflow, all bool) {
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
func (k *known) keep(found []*graph.Workflow, current map[string]int64) {
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
