package store

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// A Store keeps workflows, sessions and their history. Every method may be called by many
// goroutines at once, and by several engines on one database. Times given and returned
// are UTC; "now" is always the store's own clock, read after locks were taken.
//
// Errors: ErrUnavailable when the database cannot be reached or asks to try again (a
// deadlock), ErrUnknownOutcome when a write was sent and its answer lost, both wrapped;
// anything else is final for the same arguments. Package storetest holds every store to
// this contract.
type Store interface {
	Workflows
	Sessions
	Leases
	Turns
	Inbox
	History
	Batches
	Engines
	Audit
	Retention
	Schema
	// Close ends all use of the store. It takes no context, as it is called when the program's
	// own has ended, and comes back within a few seconds whatever the database does.
	Close() error
}

// Schema prepares the database.
type Schema interface {
	// Migrate creates or updates constraints and indexes (or tables). Several engines may call
	// it at once; it writes nothing if everything is current. It returns the names of the
	// migrations it applied, and a *SchemaError for a database that is newer than this version
	// and not for it.
	Migrate(ctx context.Context) ([]string, error)
	// Ping returns nil if the database answers and has the migrations that this version needs. With
	// a *SchemaError, writes are refused until a later Ping or Migrate finds the schema right.
	Ping(ctx context.Context) error
	// Now is the database's clock.
	Now(ctx context.Context) (time.Time, error)
	// Describe names the store for people: "sqlite:.stepgraph/stepgraph.db".
	Describe() string
}

// Workflows reads and edits definitions.
type Workflows interface {
	// Workflows returns those of the workflows that exist, normalized (a workflow exists when it
	// has a WORKFLOW node or a STEP). Each is read between two commits, never in the middle
	// of an edit, no matter who makes it. One read serves all ids. entries, by workflow id, are step
	// ids to look up additionally (on Neo4j, the steps of `default` without a workflow property:
	// `root` and the requested entry). A store may return one that it returned before, so callers
	// must not change what it returns.
	Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*graph.Workflow, error)
	// WorkflowIDs lists all workflows by id with their number of steps. It may scan, and
	// adopts steps that have no workflow property into default.
	WorkflowIDs(ctx context.Context) ([]WorkflowInfo, error)
	// EditWorkflow applies an edit in one transaction and returns the workflow after it.
	// ErrVersionMismatch when edit.Match is set and is not the workflow's ETag.
	EditWorkflow(ctx context.Context, edit Edit) (*graph.Workflow, error)
	// SaveDefinitions keeps texts by hash; those already there stay as they are.
	SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error
	// Definitions returns the texts of the hashes that exist, in no order.
	Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error)
	// StepDefinitions returns what a step has been, oldest first; step "" means every
	// step of the workflow.
	StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error)
}

// WorkflowInfo is one line of a list of workflows.
type WorkflowInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Steps       int    `json:"steps"`
}

// An Edit changes one workflow. Puts replace all properties of a step or path (those in
// Extra too); a put path is the one its Ref names, else a new one. Removing a step
// removes its paths with it.
type Edit struct {
	Workflow    string
	Match       string          // ETag the workflow must have; "" for any
	Put         *graph.Workflow // if set: name, description, settings, extra of the WORKFLOW node; its steps and paths are not looked at
	PutSteps    []graph.Step
	RemoveSteps []string
	PutPaths    []graph.Path
	RemovePaths []graph.Path // by Ref
	Delete      bool         // removes the workflow with all its steps
}

// Sessions creates, reads, lists and deletes sessions.
type Sessions interface {
	// Create creates sessions, each on its own: results are in the order given. Exists is
	// set to the session a key had started before. Errors of one are in its result:
	// ErrSessionExists, ErrKeyReused.
	Create(ctx context.Context, sessions []NewSession) ([]Created, error)
	// Session returns one session, or ErrSessionNotFound.
	Session(ctx context.Context, id string) (*SessionRecord, error)
	// SessionsByID returns those of the ids that exist, in no order. One read serves all.
	SessionsByID(ctx context.Context, ids []string) ([]SessionRecord, error)
	// ListSessions returns one page, newest first (by created_at, then id, descending)
	// unless the query says oldest-waiting first. State is left nil unless asked for.
	ListSessions(ctx context.Context, q SessionQuery) ([]SessionRecord, error)
	// Candidates lets a caller look for sessions a part at a time. It returns the next Limit
	// sessions in the order of the query, among which are all that fit: only the filters that an
	// index has in that order are applied. whole is set, and nothing returned, where ListSessions,
	// or CountSessions by what is counted if count is not empty, reads little more than it
	// returns, however many sessions there are. A count with After set is never answered so
	// unless the query names ids.
	Candidates(ctx context.Context, q SessionQuery, count string) (found []Cursor, whole bool, err error)
	// CountSessions counts by status, by workflow, by "workflow,status" or by step
	// ("workflow/step" of the questions that are open), for the sessions of the query
	// (Limit and After are not looked at). A count of 50,000 or more that asks for nothing but
	// workflow and statuses may be up to a minute old.
	CountSessions(ctx context.Context, q SessionQuery, by string) (map[string]int64, error)
	// Children returns the ids of a session's child sessions, in id order.
	Children(ctx context.Context, parent string) ([]string, error)
	// Descendants returns one page of the sessions below one, at any depth: those whose
	// id begins with its id and a slash. The order is by id, with Awaiting the one that
	// waits longest first (awaiting_since, then id). It reads the family alone, however
	// many sessions there are.
	Descendants(ctx context.Context, q DescendantQuery) ([]SessionRecord, error)
	// DeleteSession removes a session that is not leased, with its history, messages, requests,
	// blobs and results, in bounded batches: done is false until everything is removed. The
	// SESSION is locked first and removed last, so that an interrupted deletion can be
	// continued. ErrSessionBusy while leased, ErrSessionNotFound when it does not exist.
	DeleteSession(ctx context.Context, id string) (done bool, err error)
}

// Created is the result for one new session.
type Created struct {
	Session SessionRecord
	Exists  bool // a session started before with the same key
	Err     error
}

// A DescendantQuery says which sessions below one. Zero fields do not filter.
type DescendantQuery struct {
	Of        string // the session above; it is not among them
	Awaiting  bool   // only those with an open question, longest waiting first
	Step      string // with a question open at this step
	Moving    bool   // only those that go on by themselves: leased, due now, or active and due later
	After     Cursor // the last row of the page before; At counts with Awaiting only
	Limit     int    // rows; 0 means 50
	WithState bool
}

// Leases lets workers take sessions.
type Leases interface {
	// Claim leases due sessions (due_at <= now and no live lease) to the caller. It reads
	// candidates without lock, more than wanted, shuffled, then locks the chosen in id
	// order and checks again. Each gets a fresh token, lease_until and due_at = now +
	// For, claims + 1; from the third claim in a row on, due_at after a death waits
	// longer: the store sets due_at = lease_until + 1, 2, 4 … s. Sessions of the workflows
	// in Skip are passed over, however many of them are due before the others.
	Claim(ctx context.Context, o ClaimOptions) ([]Claimed, error)
	// ClaimByID leases those of the sessions that are not leased (lease empty or expired), due
	// or not; the others are left out.
	ClaimByID(ctx context.Context, ids []string, o ClaimOptions) ([]Claimed, error)
	// Extend extends leases that are still held; it returns the sessions whose lease is
	// lost. One statement. With an error, those that are returned are lost, and nothing is known
	// of the others.
	Extend(ctx context.Context, leases []LeaseRef, by time.Duration) (lost []string, err error)
	// Release ends leases without a checkpoint, on a clean stop: the sessions that still have
	// the token become due at once and their claims are reset to 0.
	Release(ctx context.Context, leases []LeaseRef) error
	// Commit applies checkpoints, at most one for a session, in one transaction: the rows
	// that match their guard are written, the others not, each row on its own.
	Commit(ctx context.Context, checkpoints []Checkpoint) ([]CommitResult, error)
	// NextDue returns the earliest due_at of all, the zero time when nothing is due ever.
	NextDue(ctx context.Context) (time.Time, error)
	// LongestDue returns the ids of sessions that are due and that no lease holds, those that have
	// been due the longest first, at most limit. It reads the index of due work from its beginning.
	LongestDue(ctx context.Context, limit int) ([]string, error)
	// WakePending makes at most limit sessions of a workflow due at once whose status is
	// pending, that no lease holds, that are not due yet and whose newest checkpoint was not
	// Tried with this definition. It returns how many it chose; fewer than limit means that
	// there are no more. The limit bounds the transaction: an edit of a comment may concern a
	// million sessions.
	WakePending(ctx context.Context, workflow, definition string, limit int) (int, error)
	// PendingWorkflows lists the workflows that have sessions with status pending.
	PendingWorkflows(ctx context.Context) ([]string, error)
}

// Inbox takes requests from outside.
type Inbox interface {
	// Deliver writes requests to inboxes. For each delivery it locks the session, calls Decide
	// with the inbox and writes the request that Decide returns, with inbox + 1. A session that
	// is not leased becomes due at once and its claims are reset to 0, or, with Claim, it is
	// leased to the caller in the same transaction. version does not change. Deliveries to
	// different sessions may share a transaction; each succeeds or fails on its own (results are
	// in the given order).
	Deliver(ctx context.Context, deliveries []Delivery) ([]Delivered, error)
	// Requests returns for each session the requests numbered above After, in order. One
	// read serves all. Sessions without such requests are left out.
	Requests(ctx context.Context, after []InboxAfter) (map[string][]Request, error)
	// Inboxes returns inbox number and lease token of the sessions that exist. With an error,
	// nothing is known of the sessions that are not in the result.
	Inboxes(ctx context.Context, ids []string) (map[string]InboxState, error)
	// EditState replaces the state of a session that is not leased, if it has version, with the
	// contents of edit. The session becomes due at once, and the request is stored as applied.
	// It refuses what StateEdit.Refuse refuses. ErrSessionNotFound.
	EditState(ctx context.Context, edit StateEdit) (*SessionRecord, error)
}

// A Delivery is one request on its way into an inbox.
type Delivery struct {
	Session string
	// Key is looked up before Decide is called.
	Key string
	// Decide returns the request to write (ID, Session, N and At are filled in by the
	// store), or nil to write nothing. Its error becomes the delivery's. It may be called
	// again when the store has to repeat its transaction, so it has no effects.
	Decide func(view InboxView) (*Request, error)
	// Claim, if set, takes the lease if it is free, see Take.
	Claim *Lease
	// Unclaimed, if set, is asked after Decide: true keeps the session from being leased to
	// the caller, so that it is only due.
	Unclaimed func(workflow string) bool
}

// An InboxView is a session under its lock.
type InboxView struct {
	Session SessionRecord // with state
	Now     time.Time
	// Same is the request that has this key already, or nil.
	Same *Request
	// Unapplied are the requests not marked applied, in order.
	Unapplied []Request
	// ByTarget looks for the request of a target among all, applied ones too: nil when
	// there is none.
	ByTarget func(target string) (*Request, error)
	// LastAnswer returns the newest answer given to a step, or nil.
	LastAnswer func(step string) (*Request, error)
}

// Delivered is the result of one delivery: Request as written (nil when Decide wanted
// none), the session after it, and when Claim was taken, Claimed.
type Delivered struct {
	Request *Request
	Session SessionRecord
	Claimed *Claimed
	Err     error
}

// InboxAfter asks for the requests of one session above a number.
type InboxAfter struct {
	Session string
	N       int64
}

// InboxState is what a holder polls.
type InboxState struct {
	Inbox int64
	Lease string
}

// A StateEdit is a person's edit of the state of a session at rest.
type StateEdit struct {
	Session  string
	Version  int64 // as the person read it
	Seen     int64 // the inbox number applied at that version: newer requests come before the edit
	State    []byte
	Counters []byte
	Status   string
	Awaiting []byte
	Since    time.Time // awaiting_since
	Request  Request   // the record of who and what, kind RequestState; N is filled in
}

// History reads what ran. Lists are read by index, never by expanding relations.
type History interface {
	// Executions returns a page of a session's executions in seq order, with Reads and
	// Took when asked for.
	Executions(ctx context.Context, session string, q HistoryQuery) ([]Execution, error)
	// RecentExecutions returns for each session its newest executions below Before, at most limit,
	// in seq order. Each has ID, Session, Seq, Step, Status, StartedAt, FinishedAt, Usage and Paths; a
	// store may leave out the rest. One read serves all. Sessions without such executions are left out.
	RecentExecutions(ctx context.Context, of []ExecutionsBefore, limit int) (map[string][]Execution, error)
	// Messages returns a page of a session's chat in order.
	Messages(ctx context.Context, session string, q HistoryQuery) ([]function.Message, error)
	// Blobs returns the texts of the hashes a session has; missing ones are left out.
	Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error)
	// Results returns the outputs of a container's rounds in index order.
	Results(ctx context.Context, session, step string, visit int) ([]StoredResult, error)
	// AllRequests returns a page of a session's requests in order, applied or not.
	AllRequests(ctx context.Context, session string, q HistoryQuery) ([]Request, error)
}

// ExecutionsBefore asks for the executions of one session below a number; 0 means all.
type ExecutionsBefore struct {
	Session string
	Before  int64
}

// A HistoryQuery is a page by number (seq or n): those above After, or, with Before > 0,
// those below Before; Newest takes the newest of them (still returned in order).
type HistoryQuery struct {
	After   int64
	Before  int64
	Newest  bool
	Limit   int    // 0 means 50
	Step    string // executions of one step only
	Lineage bool   // fill Reads and Took
}
