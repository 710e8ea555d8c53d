// Package inspect answers an operator's questions about sessions and workflows: why a session does
// not continue, which sessions an edit would affect, what another condition would have decided,
// what is wrong with a store. It only reads.
//
// It uses the store, the state and the graph, and does not import the engine: data of an engine is
// passed in Options. An engine embeds an Inspector, so the methods of both are the same.
package inspect

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/references"
)

// An Inspector answers questions about the sessions and workflows of a store.
type Inspector struct{ o Options }

// Options are what an Inspector reads through.
type Options struct {
	Store       store.Store
	Registry    *function.Registry
	Definitions Definitions
	// Outputs reads the outputs of a session that this engine does not run.
	Outputs func(ctx context.Context, s *state.State, def *graph.Definition) references.Outputs
	// Load says how full the engine is; nil for none.
	Load func() []store.Finding
	// HeardWithin is how long an engine may be silent before it counts as gone.
	HeardWithin time.Duration
	// SearchTime is how long a search looks before it says what it has found.
	SearchTime func() time.Duration
}

// Definitions reads the definitions of workflows.
type Definitions interface {
	// Read returns a definition whose read began after the call. entry is a step to look for
	// besides root.
	Read(ctx context.Context, workflow, entry string) (*graph.Definition, error)
	// Recent returns a definition not older than age.
	Recent(ctx context.Context, workflow string, age time.Duration) (*graph.Definition, error)
}

// New returns an Inspector.
func New(o Options) *Inspector { return &Inspector{o} }

// definitionAge is how old the definition may be by which a session is explained.
const definitionAge = time.Second

// openStatuses are the statuses of sessions that may still go on.
var openStatuses = []string{store.StatusActive, store.StatusAwaitingInput, store.StatusPending, store.StatusPaused, store.StatusError}

// pageSize is how many records are read together.
const pageSize = 200

// EachSession visits the sessions of a query with their states, newest first, at most limit, until
// visit returns false.
func EachSession(ctx context.Context, s store.Sessions, q store.SessionQuery, limit int, visit func(*store.SessionRecord) bool) error {
	q.WithState = true
	for left := limit; left > 0; {
		q.Limit = min(left, pageSize)
		page, err := s.ListSessions(ctx, q)
		if err != nil {
			return err
		}
		for i := range page {
			if !visit(&page[i]) {
				return nil
			}
		}
		left -= len(page)
		if len(page) < q.Limit {
			return nil
		}
		q.After = page[len(page)-1].Cursor(q.OldestWaiting)
	}
	return nil
}

func (i *Inspector) eachSession(ctx context.Context, q store.SessionQuery, limit int, visit func(*store.SessionRecord) bool) error {
	return EachSession(ctx, i.o.Store, q, limit, visit)
}

// workflow returns a workflow as it is stored.
func (i *Inspector) workflow(ctx context.Context, id string) (*graph.Workflow, error) {
	found, err := i.o.Store.Workflows(ctx, []string{id}, nil)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, store.WorkflowNotFound(ctx, i.o.Store, id)
	}
	return found[0].Clone(), nil // the store may keep its own
}

func workflowOf(rec *store.SessionRecord) string { return cmp.Or(rec.Workflow, graph.DefaultWorkflow) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
