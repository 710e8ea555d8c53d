package engine

import "github.com/stepgraph/stepgraph/engine/store"

// The contract between the engine and a store, with the records that cross it, is package store. A
// program that embeds the engine meets its records and errors by these names.
type (
	Announcement    = store.Announcement
	Audit           = store.Audit
	AuditEntry      = store.AuditEntry
	AuditQuery      = store.AuditQuery
	Engines         = store.Engines
	Accepted        = store.Accepted
	Batch           = store.Batch
	BatchItem       = store.BatchItem
	BatchOptions    = store.BatchOptions
	BatchRequest    = store.BatchRequest
	Batches         = store.Batches
	Blob            = store.Blob
	Checkpoint      = store.Checkpoint
	ClaimOptions    = store.ClaimOptions
	Claimed         = store.Claimed
	CommitOutcome   = store.CommitOutcome
	CommitResult    = store.CommitResult
	Created         = store.Created
	Cursor          = store.Cursor
	Delivered       = store.Delivered
	Delivery        = store.Delivery
	DescendantQuery = store.DescendantQuery
	DetailError     = store.DetailError
	Checker         = store.Checker
	Edit            = store.Edit
	DueSession      = store.DueSession
	Finding         = store.Finding
	Lane            = store.Lane
	Execution       = store.Execution
	History         = store.History
	HistoryQuery    = store.HistoryQuery
	Inbox           = store.Inbox
	InboxAfter      = store.InboxAfter
	InboxState      = store.InboxState
	InboxView       = store.InboxView
	ItemQuery       = store.ItemQuery
	Lease           = store.Lease
	LeaseRef        = store.LeaseRef
	SchemaError     = store.SchemaError
	Leases          = store.Leases
	Lineage         = store.Lineage
	NewSession      = store.NewSession
	Records         = store.Records
	Request         = store.Request
	Removal         = store.Removal
	RequestOutcome  = store.RequestOutcome
	Retention       = store.Retention
	Schema          = store.Schema
	SessionMark     = store.SessionMark
	SessionQuery    = store.SessionQuery
	SessionRecord   = store.SessionRecord
	Sessions        = store.Sessions
	StateEdit       = store.StateEdit
	Store           = store.Store
	StoredResult    = store.StoredResult
	Turn            = store.Turn
	TurnLimit       = store.TurnLimit
	TurnQuery       = store.TurnQuery
	Turns           = store.Turns
	TurnsTaken      = store.TurnsTaken
	Waiter          = store.Waiter
	Waiting         = store.Waiting
	WorkflowInfo    = store.WorkflowInfo
	Workflows       = store.Workflows
)

// Constants of package store.
const (
	ActionDelete        = store.ActionDelete
	Again               = store.Again
	BatchCollecting     = store.BatchCollecting
	BatchComplete       = store.BatchComplete
	BatchPinning        = store.BatchPinning
	BatchRunning        = store.BatchRunning
	BatchStopped        = store.BatchStopped
	Committed           = store.Committed
	ItemDone            = store.ItemDone
	ItemFailed          = store.ItemFailed
	ItemOpen            = store.ItemOpen
	Lost                = store.Lost
	Refused             = store.Refused
	RequestAdvance      = store.RequestAdvance
	RequestAnswer       = store.RequestAnswer
	RequestCancel       = store.RequestCancel
	RequestChild        = store.RequestChild
	RequestLost         = store.RequestLost
	RequestMove         = store.RequestMove
	RequestPause        = store.RequestPause
	RequestReask        = store.RequestReask
	RequestResume       = store.RequestResume
	RequestRetry        = store.RequestRetry
	RequestRollback     = store.RequestRollback
	RequestSignal       = store.RequestSignal
	RequestStart        = store.RequestStart
	RequestState        = store.RequestState
	StatusActive        = store.StatusActive
	StatusAnswered      = store.StatusAnswered
	StatusAwaitingInput = store.StatusAwaitingInput
	StatusCancelled     = store.StatusCancelled
	StatusComplete      = store.StatusComplete
	StatusError         = store.StatusError
	StatusLost          = store.StatusLost
	StatusPaused        = store.StatusPaused
	StatusPending       = store.StatusPending
	StatusRound         = store.StatusRound
	StatusSkipped       = store.StatusSkipped
)

// Variables of package store.
var (
	ErrAlreadyAnswered  = store.ErrAlreadyAnswered
	ErrAnswerInvalid    = store.ErrAnswerInvalid
	ErrBadRequest       = store.ErrBadRequest
	ErrBatchNotFound    = store.ErrBatchNotFound
	ErrKeyReused        = store.ErrKeyReused
	ErrLeaseLost        = store.ErrLeaseLost
	ErrNoEntry          = store.ErrNoEntry
	ErrNoOpenQuestion   = store.ErrNoOpenQuestion
	ErrNotOnThisStore   = store.ErrNotOnThisStore
	ErrOverloaded       = store.ErrOverloaded
	ErrPathNotFound     = store.ErrPathNotFound
	ErrSessionBusy      = store.ErrSessionBusy
	ErrSessionEnded     = store.ErrSessionEnded
	ErrSessionExists    = store.ErrSessionExists
	ErrSessionNotFound  = store.ErrSessionNotFound
	ErrSignalsFull      = store.ErrSignalsFull
	ErrStepNotFound     = store.ErrStepNotFound
	ErrTooLarge         = store.ErrTooLarge
	ErrUnavailable      = store.ErrUnavailable
	ErrStoreSlow        = store.ErrStoreSlow
	ErrNoLeader         = store.ErrNoLeader
	ErrReadOnly         = store.ErrReadOnly
	ErrDiskFull         = store.ErrDiskFull
	ErrSchema           = store.ErrSchema
	ErrStoreDamaged     = store.ErrStoreDamaged
	ErrUnknownOutcome   = store.ErrUnknownOutcome
	ErrVersionMismatch  = store.ErrVersionMismatch
	ErrWorkflowNotFound = store.ErrWorkflowNotFound
)
