// Package batch applies one action to thousands of sessions. A batch and all its items are stored
// before it is acknowledged. A second pass binds each item to one question, so that an answer of
// the batch is never given to a question that only follows from that answer. Then an engine works
// on the items under a lease of the batch; after a restart it continues with the next open item.
package batch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Operations start, steer and work on the batches of a store.
type Operations struct {
	opt  Options
	wake chan struct{} // a batch may be due; capacity 1
}

// Options are what Operations work with.
type Options struct {
	Store     store.Store
	Actions   Actions
	Log       *slog.Logger
	NewID     func() string
	Lease     func() store.Lease // a fresh one of this engine
	LeaseFor  time.Duration
	PollEvery time.Duration
}

// Actions is what an engine does for an item.
type Actions interface {
	// Do acts on the item's session, under the job's key.
	Do(ctx context.Context, job *Job) error
	// Forecast says, as JSON, what the session would do; nothing is written.
	Forecast(ctx context.Context, job *Job) (json.RawMessage, error)
}

// New returns Operations. Nothing is worked on before Run.
func New(o Options) *Operations {
	return &Operations{opt: o, wake: make(chan struct{}, 1)}
}

// errStopped ends what a worker writes when its engine stops.
var errStopped = errors.New("engine stopped")

// Keys of structured logs.
const (
	logBatch = "batch"
	logError = "error"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// withinTotal cuts a page of items, which are in order, behind the total.
func withinTotal(items []store.BatchItem, total int64) []store.BatchItem {
	for i := range items {
		if items[i].N > total {
			return items[:i]
		}
	}
	return items
}

// pageSize is how many items are pinned or worked on together.
const pageSize = 200

// wakeUp makes Run look for due batches now.
func (o *Operations) wakeUp() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
