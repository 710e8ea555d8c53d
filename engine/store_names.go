package engine

import "github.com/stepgraph/stepgraph/engine/store"

// The contract between the engine and a store, with the records that cross it, is package store. A
// program that embeds the engine meets its records and errors by these names.
type (
	AuditEntry   = store.AuditEntry
	AuditQuery   = store.AuditQuery
	Accepted     = store.Accepted
	Batch        = store.Batch
	BatchItem    = store.BatchItem
	BatchOptions = store.BatchOptions
	BatchRequest = store.BatchRequest
	Cursor       = store.Cursor
	DetailError  = store.DetailError
	Finding      = store.Finding
	Lane         = store.Lane
	Execution    = store.Execution
	HistoryQuery = store.HistoryQuery
	ItemQuery    = store.ItemQuery
	SchemaError  = store.SchemaError
	Lineage      = store.Lineage
	Request      = store.Request
	SessionQuery = store.SessionQuery
	Store        = store.Store
	WorkflowInfo = store.WorkflowInfo
)

// Constants of package store.
const (
	ActionDelete        = store.ActionDelete
	BatchCollecting     = store.BatchCollecting
	BatchComplete       = store.BatchComplete
	BatchPinning        = store.BatchPinning
	BatchRunning        = store.BatchRunning
	BatchStopped        = store.BatchStopped
	ItemDone            = store.ItemDone
	ItemFailed          = store.ItemFailed
	ItemOpen            = store.ItemOpen
	RequestAdvance      = store.RequestAdvance
	RequestAnswer       = store.RequestAnswer
	RequestCancel       = store.RequestCancel
	RequestMove         = store.RequestMove
	RequestPause        = store.RequestPause
	RequestReask        = store.RequestReask
	RequestResume       = store.RequestResume
	RequestRetry        = store.RequestRetry
	RequestRollback     = store.RequestRollback
	RequestSignal       = store.RequestSignal
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
