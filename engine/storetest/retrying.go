package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// retryingStore repeats calls that a store could not do just now (a deadlock of two cases on
// one database), as every caller of a store has to.
type retryingStore struct{ store.Store }

// attempts is generous: cases that race on one session may be turned away often.
const attempts = 40

// again calls f until it is not turned away any more.
func again[T any](ctx context.Context, f func() (T, error)) (T, error) {
	for i := 1; ; i++ {
		out, err := f()
		if !errors.Is(err, store.ErrUnavailable) || i == attempts || ctx.Err() != nil {
			return out, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(i) * time.Millisecond):
		}
	}
}

// only is for methods that return nothing but an error.
func only(f func() error) func() (struct{}, error) {
	return func() (struct{}, error) { return struct{}{}, f() }
}

func (p retryingStore) Migrate(ctx context.Context) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Migrate(ctx) })
}

func (p retryingStore) Announce(ctx context.Context, a store.Announcement, forget time.Duration) error {
	_, err := again(ctx, only(func() error { return p.Store.Announce(ctx, a, forget) }))
	return err
}

func (p retryingStore) Engines(ctx context.Context, within time.Duration) ([]store.Announcement, error) {
	return again(ctx, func() ([]store.Announcement, error) { return p.Store.Engines(ctx, within) })
}

func (p retryingStore) OldestSessions(ctx context.Context, after store.Cursor, limit int) ([]store.SessionRecord, error) {
	return again(ctx, func() ([]store.SessionRecord, error) { return p.Store.OldestSessions(ctx, after, limit) })
}

func (p retryingStore) Parents(ctx context.Context, ids []string) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Parents(ctx, ids) })
}

func (p retryingStore) RemoveFamilies(ctx context.Context, families [][]store.SessionMark) ([]store.Removal, error) {
	return again(ctx, func() ([]store.Removal, error) { return p.Store.RemoveFamilies(ctx, families) })
}

func (p retryingStore) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.TakeDuty(ctx, name, owner, d) })
}

func (p retryingStore) Now(ctx context.Context) (time.Time, error) {
	return again(ctx, func() (time.Time, error) { return p.Store.Now(ctx) })
}

func (p retryingStore) Ping(ctx context.Context) error {
	_, err := again(ctx, only(func() error { return p.Store.Ping(ctx) }))
	return err
}

func (p retryingStore) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*graph.Workflow, error) {
	return again(ctx, func() ([]*graph.Workflow, error) { return p.Store.Workflows(ctx, ids, entries) })
}

func (p retryingStore) WorkflowIDs(ctx context.Context) ([]store.WorkflowInfo, error) {
	return again(ctx, func() ([]store.WorkflowInfo, error) { return p.Store.WorkflowIDs(ctx) })
}

func (p retryingStore) EditWorkflow(ctx context.Context, edit store.Edit) (*graph.Workflow, error) {
	return again(ctx, func() (*graph.Workflow, error) { return p.Store.EditWorkflow(ctx, edit) })
}

func (p retryingStore) Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error) {
	return again(ctx, func() ([]graph.StoredDefinition, error) { return p.Store.Definitions(ctx, hashes) })
}

func (p retryingStore) StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error) {
	return again(ctx, func() ([]graph.StoredDefinition, error) { return p.Store.StepDefinitions(ctx, workflow, step) })
}

func (p retryingStore) SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error {
	_, err := again(ctx, only(func() error { return p.Store.SaveDefinitions(ctx, definitions) }))
	return err
}

func (p retryingStore) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	return again(ctx, func() ([]store.Created, error) { return p.Store.Create(ctx, sessions) })
}

func (p retryingStore) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	return again(ctx, func() (*store.SessionRecord, error) { return p.Store.Session(ctx, id) })
}

func (p retryingStore) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	return again(ctx, func() ([]store.SessionRecord, error) { return p.Store.SessionsByID(ctx, ids) })
}

func (p retryingStore) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	return again(ctx, func() ([]store.SessionRecord, error) { return p.Store.ListSessions(ctx, q) })
}

func (p retryingStore) Candidates(ctx context.Context, q store.SessionQuery, count string) (found []store.Cursor, whole bool, err error) {
	found, err = again(ctx, func() (list []store.Cursor, err error) {
		list, whole, err = p.Store.Candidates(ctx, q, count)
		return list, err
	})
	return found, whole, err
}

func (p retryingStore) CountSessions(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	return again(ctx, func() (map[string]int64, error) { return p.Store.CountSessions(ctx, q, by) })
}

func (p retryingStore) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	return again(ctx, func() ([]store.SessionRecord, error) { return p.Store.Descendants(ctx, q) })
}

func (p retryingStore) Children(ctx context.Context, parent string) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Children(ctx, parent) })
}

func (p retryingStore) DeleteSession(ctx context.Context, id string) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.DeleteSession(ctx, id) })
}

func (p retryingStore) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	return again(ctx, func() ([]store.Claimed, error) { return p.Store.Claim(ctx, o) })
}

func (p retryingStore) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	return again(ctx, func() ([]store.Claimed, error) { return p.Store.ClaimByID(ctx, ids, o) })
}

func (p retryingStore) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Extend(ctx, leases, by) })
}

func (p retryingStore) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	return again(ctx, func() ([]store.CommitResult, error) { return p.Store.Commit(ctx, checkpoints) })
}

func (p retryingStore) NextDue(ctx context.Context) (time.Time, error) {
	return again(ctx, func() (time.Time, error) { return p.Store.NextDue(ctx) })
}

func (p retryingStore) LongestDue(ctx context.Context, limit int) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.LongestDue(ctx, limit) })
}

func (p retryingStore) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	return again(ctx, func() (int, error) { return p.Store.WakePending(ctx, workflow, definition, limit) })
}

func (p retryingStore) PendingWorkflows(ctx context.Context) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.PendingWorkflows(ctx) })
}

func (p retryingStore) Release(ctx context.Context, leases []store.LeaseRef) error {
	_, err := again(ctx, only(func() error { return p.Store.Release(ctx, leases) }))
	return err
}

func (p retryingStore) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	return again(ctx, func() ([]store.Delivered, error) { return p.Store.Deliver(ctx, deliveries) })
}

func (p retryingStore) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]store.Request, error) {
	return again(ctx, func() (map[string][]store.Request, error) { return p.Store.Requests(ctx, after) })
}

func (p retryingStore) Inboxes(ctx context.Context, ids []string) (map[string]store.InboxState, error) {
	return again(ctx, func() (map[string]store.InboxState, error) { return p.Store.Inboxes(ctx, ids) })
}

func (p retryingStore) EditState(ctx context.Context, edit store.StateEdit) (*store.SessionRecord, error) {
	return again(ctx, func() (*store.SessionRecord, error) { return p.Store.EditState(ctx, edit) })
}

func (p retryingStore) Executions(ctx context.Context, session string, q store.HistoryQuery) ([]store.Execution, error) {
	return again(ctx, func() ([]store.Execution, error) { return p.Store.Executions(ctx, session, q) })
}

func (p retryingStore) Messages(ctx context.Context, session string, q store.HistoryQuery) ([]function.Message, error) {
	return again(ctx, func() ([]function.Message, error) { return p.Store.Messages(ctx, session, q) })
}

func (p retryingStore) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	return again(ctx, func() (map[string][]byte, error) { return p.Store.Blobs(ctx, session, hashes) })
}

func (p retryingStore) Results(ctx context.Context, session, step string, visit int) ([]store.StoredResult, error) {
	return again(ctx, func() ([]store.StoredResult, error) { return p.Store.Results(ctx, session, step, visit) })
}

func (p retryingStore) AllRequests(ctx context.Context, session string, q store.HistoryQuery) ([]store.Request, error) {
	return again(ctx, func() ([]store.Request, error) { return p.Store.AllRequests(ctx, session, q) })
}

func (p retryingStore) TakeTurns(ctx context.Context, q store.TurnQuery) (store.TurnsTaken, error) {
	return again(ctx, func() (store.TurnsTaken, error) { return p.Store.TakeTurns(ctx, q) })
}

func (p retryingStore) LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error) {
	return again(ctx, func() ([]*graph.Workflow, error) { return p.Store.LimitedWorkflows(ctx) })
}

func (p retryingStore) Turn(ctx context.Context, session string) (*store.Turn, error) {
	return again(ctx, func() (*store.Turn, error) { return p.Store.Turn(ctx, session) })
}

func (p retryingStore) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	return again(ctx, func() ([]store.Lane, error) { return p.Store.Lanes(ctx, workflow, limit) })
}
