package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// patient repeats writes that a store could not do just now (a deadlock of two cases on
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

func (p patient) Create(ctx context.Context, sessions []engine.NewSession) ([]engine.Created, error) {
	return again(ctx, func() ([]engine.Created, error) { return p.Store.Create(ctx, sessions) })
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

func (p patient) Release(ctx context.Context, leases []engine.LeaseRef) error {
	_, err := again(ctx, func() (struct{}, error) { return struct{}{}, p.Store.Release(ctx, leases) })
	return err
}

func (p patient) Commit(ctx context.Context, checkpoints []engine.Checkpoint) ([]engine.CommitResult, error) {
	return again(ctx, func() ([]engine.CommitResult, error) { return p.Store.Commit(ctx, checkpoints) })
}

func (p patient) WakePending(ctx context.Context, workflow string) (int, error) {
	return again(ctx, func() (int, error) { return p.Store.WakePending(ctx, workflow) })
}

func (p patient) Deliver(ctx context.Context, deliveries []engine.Delivery) ([]engine.Delivered, error) {
	return again(ctx, func() ([]engine.Delivered, error) { return p.Store.Deliver(ctx, deliveries) })
}

func (p patient) EditState(ctx context.Context, edit engine.StateEdit) (*engine.SessionRecord, error) {
	return again(ctx, func() (*engine.SessionRecord, error) { return p.Store.EditState(ctx, edit) })
}

func (p patient) EditWorkflow(ctx context.Context, edit engine.Edit) (*engine.Workflow, error) {
	return again(ctx, func() (*engine.Workflow, error) { return p.Store.EditWorkflow(ctx, edit) })
}

func (p patient) WorkflowIDs(ctx context.Context) ([]engine.WorkflowInfo, error) {
	return again(ctx, func() ([]engine.WorkflowInfo, error) { return p.Store.WorkflowIDs(ctx) })
}

func (p patient) SaveDefinitions(ctx context.Context, definitions []engine.StoredDefinition) error {
	_, err := again(ctx, func() (struct{}, error) { return struct{}{}, p.Store.SaveDefinitions(ctx, definitions) })
	return err
}

func (p patient) DeleteSession(ctx context.Context, id string) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.DeleteSession(ctx, id) })
}
