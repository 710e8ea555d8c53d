package memory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// The data are all that a Store keeps, under one mutex.
type data struct {
	clock func() time.Time

	mu       sync.Mutex
	sessions map[string]*session
	due      map[string]*session // those that have a due_at
	pending  map[string]*session // those whose status is pending
	starts   map[string]*session // by the key they were started with

	workflows   map[string]*workflow
	refs        int // the last Ref given
	definitions map[string]graph.StoredDefinition

	engines   []store.Announcement
	audit     []store.AuditEntry // by At, then ID
	batches   map[string]*batch
	batchKeys map[string]string // ids of batches by their idempotency key
	duties    map[string]duty   // by name
	turns     map[string]*turn  // of sessions of limited workflows
	lanes     map[string]*lane
}

// A duty is work that only one engine does at a time.
type duty struct {
	owner string
	until time.Time
}

// A turn is a session's place in a limited workflow: waiting for it or holding it.
type turn struct {
	lane    string
	waiting bool
	place   int64
	since   time.Time
	fresh   bool
	status  string // of the session when it began to wait
}

// A lane counts the sessions of one workflow, or of one concurrency key in it, against a limit.
type lane struct {
	workflow, key string
	checkAt       time.Time // when a worker has to check it
	next          time.Time // when its rate lets the next session start
}

func newData(clock func() time.Time) *data {
	return &data{
		clock:       clock,
		sessions:    make(map[string]*session),
		due:         make(map[string]*session),
		pending:     make(map[string]*session),
		starts:      make(map[string]*session),
		workflows:   make(map[string]*workflow),
		definitions: make(map[string]graph.StoredDefinition),
		batches:     make(map[string]*batch),
		batchKeys:   make(map[string]string),
		duties:      make(map[string]duty),
		turns:       make(map[string]*turn),
		lanes:       make(map[string]*lane),
	}
}

// begin starts a transaction: it takes the mutex unless ctx has ended. The caller
// unlocks when there was no error.
func (d *data) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	return nil
}

func (d *data) now() time.Time { return utc(d.clock()) }

// Now is the clock of the options.
func (d *data) Now(ctx context.Context) (time.Time, error) { return d.now(), ctx.Err() }

// put enters a session into the indexes, or moves it there after a change.
func (d *data) put(x *session) {
	id := x.record.ID
	d.sessions[id] = x
	if x.record.DueAt.IsZero() {
		delete(d.due, id)
	} else {
		d.due[id] = x
	}
	if x.record.Status == store.StatusPending {
		d.pending[id] = x
	} else {
		delete(d.pending, id)
	}
}

// newSession enters a session whose id and key are free.
func (d *data) newSession(n store.NewSession) *session {
	now := d.now()
	x := &session{
		record: store.SessionRecord{
			ID: n.ID, Workflow: n.Workflow, Status: n.Status, Root: n.Root,
			State: slices.Clone(n.State), Counters: slices.Clone(n.Counters), Labels: maps.Clone(n.Labels),
			CreatedAt: now, UpdatedAt: now, DueAt: now,
		},
		parent: n.Parent, key: n.ConcurrencyKey, start: n.Key, bodyHash: n.BodyHash,
		children: make(map[string]bool),
		byKey:    make(map[string]int), byTarget: make(map[string]int),
		blobs: make(map[string][]byte), results: make(map[round][]byte),
	}
	if x.record.Root == "" {
		x.record.Root = n.ID
	}
	if n.Claim != nil {
		x.lease(*n.Claim, now)
	}
	if n.Key != "" {
		d.starts[n.Key] = x
	}
	if parent := d.sessions[n.Parent]; parent != nil {
		parent.children[n.ID] = true
	}
	d.put(x)
	return x
}

// remove takes a session out of all indexes.
func (d *data) remove(id string) {
	x := d.sessions[id]
	if x == nil {
		return
	}
	delete(d.sessions, id)
	delete(d.due, id)
	delete(d.pending, id)
	if x.start != "" {
		delete(d.starts, x.start)
	}
	if parent := d.sessions[x.parent]; parent != nil {
		delete(parent.children, id)
	}
}
