package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// patient repeats calls that a store could not do just now (a deadlock of two cases on
// one database), as every caller of a store has to.
type patient struct{ engine.Store }

// attempts is generous: cases that race on one session may be turned away often.
const attempts = 40

// again calls f until it is not turned away any more.
func again[T any](ctx context.Context, f func() (T, error)) (T, error) {
	for i := 1; ; i++ {
		out, err := f()
		if !errors.Is(err, engine.ErrUnavailable) || i == attempts || ctx.Err() != nil {
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

func (p patient) Migrate(ctx context.Context) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Migrate(ctx) })
}

func (p patient) Announce(ctx context.Context, a engine.Announcement, forget time.Duration) error {
	_, err := again(ctx, only(func() error { return p.Store.Announce(ctx, a, forget) }))
	return err
}

func (p patient) Engines(ctx context.Context, within time.Duration) ([]engine.Announcement, error) {
	return again(ctx, func() ([]engine.Announcement, error) { return p.Store.Engines(ctx, within) })
}

func (p patient) OldestSessions(ctx context.Context, after engine.Cursor, limit int) ([]engine.SessionRecord, error) {
	return again(ctx, func() ([]engine.SessionRecord, error) { return p.Store.OldestSessions(ctx, after, limit) })
}

func (p patient) Parents(ctx context.Context, ids []string) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Parents(ctx, ids) })
}

func (p patient) RemoveFamilies(ctx context.Context, families [][]engine.SessionMark) ([]engine.Removal, error) {
	return again(ctx, func() ([]engine.Removal, error) { return p.Store.RemoveFamilies(ctx, families) })
}

func (p patient) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.TakeDuty(ctx, name, owner, d) })
}

func (p patient) Now(ctx context.Context) (time.Time, error) {
	return again(ctx, func() (time.Time, error) { return p.Store.Now(ctx) })
}

func (p patient) Ping(ctx context.Context) error {
	_, err := again(ctx, only(func() error { return p.Store.Ping(ctx) }))
	return err
}

func (p patient) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*engine.Workflow, error) {
	return again(ctx, func() ([]*engine.Workflow, error) { return p.Store.Workflows(ctx, ids, entries) })
}

func (p patient) WorkflowIDs(ctx context.Context) ([]engine.WorkflowInfo, error) {
	return again(ctx, func() ([]engine.WorkflowInfo, error) { return p.Store.WorkflowIDs(ctx) })
}

func (p patient) EditWorkflow(ctx context.Context, edit engine.Edit) (*engine.Workflow, error) {
	return again(ctx, func() (*engine.Workflow, error) { return p.Store.EditWorkflow(ctx, edit) })
}

func (p patient) Definitions(ctx context.Context, hashes []string) ([]engine.StoredDefinition, error) {
	return again(ctx, func() ([]engine.StoredDefinition, error) { return p.Store.Definitions(ctx, hashes) })
}

func (p patient) StepDefinitions(ctx context.Context, workflow, step string) ([]engine.StoredDefinition, error) {
	return again(ctx, func() ([]engine.StoredDefinition, error) { return p.Store.StepDefinitions(ctx, workflow, step) })
}

func (p patient) SaveDefinitions(ctx context.Context, definitions []engine.StoredDefinition) error {
	_, err := again(ctx, only(func() error { return p.Store.SaveDefinitions(ctx, definitions) }))
	return err
}

func (p patient) Create(ctx context.Context, sessions []engine.NewSession) ([]engine.Created, error) {
	return again(ctx, func() ([]engine.Created, error) { return p.Store.Create(ctx, sessions) })
}

func (p patient) Session(ctx context.Context, id string) (*engine.SessionRecord, error) {
	return again(ctx, func() (*engine.SessionRecord, error) { return p.Store.Session(ctx, id) })
}

func (p patient) SessionsByID(ctx context.Context, ids []string) ([]engine.SessionRecord, error) {
	return again(ctx, func() ([]engine.SessionRecord, error) { return p.Store.SessionsByID(ctx, ids) })
}

func (p patient) ListSessions(ctx context.Context, q engine.SessionQuery) ([]engine.SessionRecord, error) {
	return again(ctx, func() ([]engine.SessionRecord, error) { return p.Store.ListSessions(ctx, q) })
}

func (p patient) Candidates(ctx context.Context, q engine.SessionQuery, count string) (found []engine.Cursor, whole bool, err error) {
	found, err = again(ctx, func() (list []engine.Cursor, err error) {
		list, whole, err = p.Store.Candidates(ctx, q, count)
		return list, err
	})
	return found, whole, err
}

func (p patient) CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error) {
	return again(ctx, func() (map[string]int64, error) { return p.Store.CountSessions(ctx, q, by) })
}

func (p patient) Descendants(ctx context.Context, q engine.DescendantQuery) ([]engine.SessionRecord, error) {
	return again(ctx, func() ([]engine.SessionRecord, error) { return p.Store.Descendants(ctx, q) })
}

func (p patient) Children(ctx context.Context, parent string) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Children(ctx, parent) })
}

func (p patient) DeleteSession(ctx context.Context, id string) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.DeleteSession(ctx, id) })
}

func (p patient) Claim(ctx context.Context, o engine.ClaimOptions) ([]engine.Claimed, error) {
	return again(ctx, func() ([]engine.Claimed, error) { return p.Store.Claim(ctx, o) })
}

func (p patient) ClaimByID(ctx context.Context, ids []string, o engine.ClaimOptions) ([]engine.Claimed, error) {
	return again(ctx, func() ([]engine.Claimed, error) { return p.Store.ClaimByID(ctx, ids, o) })
}

func (p patient) Extend(ctx context.Context, leases []engine.LeaseRef, by time.Duration) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.Extend(ctx, leases, by) })
}

func (p patient) Commit(ctx context.Context, checkpoints []engine.Checkpoint) ([]engine.CommitResult, error) {
	return again(ctx, func() ([]engine.CommitResult, error) { return p.Store.Commit(ctx, checkpoints) })
}

func (p patient) NextDue(ctx context.Context) (time.Time, error) {
	return again(ctx, func() (time.Time, error) { return p.Store.NextDue(ctx) })
}

func (p patient) LongestDue(ctx context.Context, limit int) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.LongestDue(ctx, limit) })
}

func (p patient) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	return again(ctx, func() (int, error) { return p.Store.WakePending(ctx, workflow, definition, limit) })
}

func (p patient) PendingWorkflows(ctx context.Context) ([]string, error) {
	return again(ctx, func() ([]string, error) { return p.Store.PendingWorkflows(ctx) })
}

func (p patient) Release(ctx context.Context, leases []engine.LeaseRef) error {
	_, err := again(ctx, only(func() error { return p.Store.Release(ctx, leases) }))
	return err
}

func (p patient) Deliver(ctx context.Context, deliveries []engine.Delivery) ([]engine.Delivered, error) {
	return again(ctx, func() ([]engine.Delivered, error) { return p.Store.Deliver(ctx, deliveries) })
}

func (p patient) Requests(ctx context.Context, after []engine.InboxAfter) (map[string][]engine.Request, error) {
	return again(ctx, func() (map[string][]engine.Request, error) { return p.Store.Requests(ctx, after) })
}

func (p patient) Inboxes(ctx context.Context, ids []string) (map[string]engine.InboxState, error) {
	return again(ctx, func() (map[string]engine.InboxState, error) { return p.Store.Inboxes(ctx, ids) })
}

func (p patient) EditState(ctx context.Context, edit engine.StateEdit) (*engine.SessionRecord, error) {
	return again(ctx, func() (*engine.SessionRecord, error) { return p.Store.EditState(ctx, edit) })
}

func (p patient) Executions(ctx context.Context, session string, q engine.HistoryQuery) ([]engine.Execution, error) {
	return again(ctx, func() ([]engine.Execution, error) { return p.Store.Executions(ctx, session, q) })
}

func (p patient) Messages(ctx context.Context, session string, q engine.HistoryQuery) ([]engine.Message, error) {
	return again(ctx, func() ([]engine.Message, error) { return p.Store.Messages(ctx, session, q) })
}

func (p patient) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	return again(ctx, func() (map[string][]byte, error) { return p.Store.Blobs(ctx, session, hashes) })
}

func (p patient) Results(ctx context.Context, session, step string, visit int) ([]engine.StoredResult, error) {
	return again(ctx, func() ([]engine.StoredResult, error) { return p.Store.Results(ctx, session, step, visit) })
}

func (p patient) AllRequests(ctx context.Context, session string, q engine.HistoryQuery) ([]engine.Request, error) {
	return again(ctx, func() ([]engine.Request, error) { return p.Store.AllRequests(ctx, session, q) })
}

func (p patient) TakeTurns(ctx context.Context, q engine.TurnQuery) (engine.TurnsTaken, error) {
	return again(ctx, func() (engine.TurnsTaken, error) { return p.Store.TakeTurns(ctx, q) })
}

func (p patient) LimitedWorkflows(ctx context.Context) ([]*engine.Workflow, error) {
	return again(ctx, func() ([]*engine.Workflow, error) { return p.Store.LimitedWorkflows(ctx) })
}

func (p patient) Turn(ctx context.Context, session string) (*engine.Turn, error) {
	return again(ctx, func() (*engine.Turn, error) { return p.Store.Turn(ctx, session) })
}

func (p patient) Lanes(ctx context.Context, workflow string, limit int) ([]engine.Lane, error) {
	return again(ctx, func() ([]engine.Lane, error) { return p.Store.Lanes(ctx, workflow, limit) })
}
