package store

import (
	"context"
	"encoding/json"
	"time"
)

// Phases of a batch.
const (
	BatchCollecting = "collecting" // its items are being written; it was not acknowledged yet
	BatchPinning    = "pinning"    // each item is being bound to one question
	BatchRunning    = "running"
	BatchComplete   = "complete"
	BatchStopped    = "stopped" // by a person, or after too many failures
)

// Outcomes of an item.
const (
	ItemOpen   = "open"
	ItemDone   = "done"
	ItemFailed = "failed"
)

// ActionDelete is the action of a batch that is not a request to a session.
const ActionDelete = "delete"

// A Batch applies one action to many sessions. It is durable before it is acknowledged and
// continues after a restart.
type Batch struct {
	ID        string
	Action    string // RequestAnswer, RequestResume, …, ActionDelete
	Options   []byte // JSON text of BatchOptions
	Phase     string
	Total     int64
	Done      int64
	Failed    int64
	Forgiven  int64  // of Failed, those before the last ContinueBatch: they do not stop it again
	Reached   int64  // items up to this number are pinned (BatchPinning) or worked on
	Message   string // why it stopped
	Key       string // idempotency key of the call that made it
	BodyHash  string
	By        string
	CreatedAt time.Time
	UpdatedAt time.Time

	Lease      string
	LeaseOwner string
	LeaseUntil time.Time
	DueAt      time.Time // sparse: only while something is to be done

	Replayed bool // an earlier call with this key had started it; not stored
}

// A BatchItem is one session of a batch. Step, Visit and Ask are what the item was
// pinned to.
type BatchItem struct {
	Batch    string          `json:"-"`
	N        int64           `json:"n"` // 1, 2, …
	Session  string          `json:"session"`
	Step     string          `json:"step,omitempty"`
	Visit    int             `json:"visit,omitempty"`
	Ask      int             `json:"ask,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Outcome  string          `json:"outcome"` // ItemOpen, ItemDone, ItemFailed
	Error    string          `json:"error,omitempty"`
	Would    json.RawMessage `json:"would,omitempty"` // of a dry run: what the session would do
}

// Batches keeps batches and their items.
type Batches interface {
	// CreateBatch writes a batch in phase collecting, without items. With the key of one
	// that exists it returns that one and exists, or ErrKeyReused when BodyHash differs.
	// The same holds for the id of one that exists with the same key.
	CreateBatch(ctx context.Context, b Batch) (made Batch, exists bool, err error)
	// AddBatchItems writes items of a batch in phase collecting; items with an existing number
	// are replaced. Either all items are written or none. ErrBatchNotFound, and
	// ErrVersionMismatch when the batch is not in phase collecting.
	AddBatchItems(ctx context.Context, batch string, items []BatchItem) error
	// Batch returns one batch, or ErrBatchNotFound.
	Batch(ctx context.Context, id string) (*Batch, error)
	// ListBatches returns batches newest first (created_at, id descending) after the
	// cursor; limit 0 means 50.
	ListBatches(ctx context.Context, after Cursor, limit int) ([]Batch, error)
	// BatchItems returns items in the order of n, and no items for a batch that does not exist.
	BatchItems(ctx context.Context, batch string, q ItemQuery) ([]BatchItem, error)
	// ClaimBatch leases one due batch (oldest due_at first) that is not leased, nil when there
	// is none. due_at becomes the end of the lease.
	ClaimBatch(ctx context.Context, lease Lease) (*Batch, error)
	// SaveBatch writes a batch's phase, counts, message and the pins and outcomes of the given
	// items in one transaction, if its lease token is b.Lease (a batch in phase collecting has
	// no lease: then the phase must be collecting). With release the lease ends and due_at
	// becomes b.DueAt (zero: removed); otherwise the lease is extended by extend. ok is false
	// when the guard did not match: then nothing was written. An item whose stored outcome is no
	// longer open does not change; an item that does not exist is ignored.
	SaveBatch(ctx context.Context, b Batch, items []BatchItem, extend time.Duration, release bool) (ok bool, err error)
	// StopBatch makes a batch stopped, unless it is complete or stopped, with the message.
	// It ends the lease and nothing is due any more: the worker, whose saves are refused
	// from then on, lets go. ContinueBatch makes a stopped batch what it was (running,
	// pinning, collecting), without message, due at once unless collecting, and forgives
	// its failures; any other it returns as it is. Both: ErrBatchNotFound.
	StopBatch(ctx context.Context, id, message string) (*Batch, error)
	ContinueBatch(ctx context.Context, id string) (*Batch, error)
	// DeleteBatch removes a batch that is not leased, with its items, in bounded steps: done is
	// false until everything is removed. From the first step on, the batch is stopped
	// permanently and its key is free. ErrBatchNotFound, ErrSessionBusy while leased.
	DeleteBatch(ctx context.Context, id string) (done bool, err error)
}

// An ItemQuery is a page of a batch's items: numbers above After.
type ItemQuery struct {
	After   int64
	Limit   int    // 0 means 50
	Outcome string // "" for all
}

// A BatchRequest asks for one action on many sessions: those of a filter, or those named.
type BatchRequest struct {
	Action  string // answer, resume, pause, cancel, retry, advance, move, reask, rollback, signal, delete
	Filter  *SessionQuery
	Items   []BatchItem // Session, Step and Response count
	Options BatchOptions
	Key     string
	By      string
}

// BatchOptions are how a batch works.
type BatchOptions struct {
	Response json.RawMessage `json:"response,omitempty"` // answer: of items that carry none
	Step     string          `json:"step,omitempty"`     // the step acted on; of items that name none
	To       string          `json:"to,omitempty"`       // move
	Name     string          `json:"name,omitempty"`     // signal
	Visit    int             `json:"visit,omitempty"`    // rollback: which visit; 0 for the newest
	Reason   string          `json:"reason,omitempty"`
	NewKey   bool            `json:"new_key,omitempty"` // retry
	Cancel   bool            `json:"cancel,omitempty"`  // delete: end what still runs
	DryRun   bool            `json:"dry_run,omitempty"`
	// Rate bounds the items a second; 0 is as fast as they go.
	Rate float64 `json:"rate,omitempty"`
	// First takes only so many items; 0 is all.
	First int `json:"first,omitempty"`
	// StopAfterFailures ends the batch after so many failed items; 0 is never.
	StopAfterFailures int `json:"stop_after_failures,omitempty"`
}
