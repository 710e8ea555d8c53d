package batch

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A Job is one item of a batch, to be done.
type Job struct {
	Batch   *store.Batch
	Options *store.BatchOptions
	Item    *store.BatchItem
}

// Key is the item's idempotency key: batch/n.
func (j *Job) Key() string { return fmt.Sprintf("%s/%d", j.Batch.ID, j.Item.N) }

// Step is the step acted on.
func (j *Job) Step() string { return cmp.Or(j.Item.Step, j.Options.Step) }

// Response is the answer, or the body of a signal.
func (j *Job) Response() json.RawMessage {
	if len(j.Item.Response) > 0 {
		return j.Item.Response
	}
	return j.Options.Response
}
