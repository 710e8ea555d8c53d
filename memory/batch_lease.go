package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// ClaimBatch leases the batch that has been due longest.
func (s batches) ClaimBatch(ctx context.Context, lease store.Lease) (*store.Batch, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	var oldest *batch
	for _, x := range s.batches {
		b := &x.record
		if b.DueAt.IsZero() || b.DueAt.After(now) || x.held(now) {
			continue
		}
		if oldest == nil || b.DueAt.Before(oldest.record.DueAt) {
			oldest = x
		}
	}
	if oldest == nil {
		return nil, nil
	}
	b := &oldest.record
	b.Lease, b.LeaseOwner, b.LeaseUntil = lease.Token, lease.Owner, now.Add(lease.For)
	b.DueAt, b.UpdatedAt = b.LeaseUntil, now
	return oldest.copy(), nil
}

// SaveBatch writes progress for the holder of the lease.
func (s batches) SaveBatch(ctx context.Context, b store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	x := s.batches[b.ID]
	if x == nil || x.record.Lease != b.Lease || b.Lease == "" && x.record.Phase != store.BatchCollecting {
		return false, nil
	}
	now, to := s.now(), &x.record
	to.Phase, to.Message, to.UpdatedAt = b.Phase, b.Message, now
	to.Total, to.Done, to.Failed, to.Reached = b.Total, b.Done, b.Failed, b.Reached
	if release || b.Lease == "" {
		x.free(utc(b.DueAt))
	} else {
		to.LeaseUntil = now.Add(extend)
		to.DueAt = to.LeaseUntil
	}
	for _, item := range items {
		i, there := x.find(item.N)
		if !there || x.items[i].Outcome != store.ItemOpen {
			continue
		}
		old := &x.items[i]
		old.Step, old.Visit, old.Ask = item.Step, item.Visit, item.Ask
		old.Outcome, old.Error, old.Would = item.Outcome, item.Error, slices.Clone(item.Would)
	}
	return true, nil
}

// StopBatch stops a batch that has not ended.
func (s batches) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	return s.changeBatch(ctx, id, func(x *batch, _ time.Time) bool {
		b := &x.record
		if b.Phase == store.BatchComplete || b.Phase == store.BatchStopped {
			return false
		}
		x.stoppedIn, b.Phase, b.Message = b.Phase, store.BatchStopped, message
		x.free(time.Time{})
		return true
	})
}

// ContinueBatch resumes a stopped batch in the phase in which it was stopped.
func (s batches) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	return s.changeBatch(ctx, id, func(x *batch, now time.Time) bool {
		b := &x.record
		if b.Phase != store.BatchStopped {
			return false
		}
		if b.Phase = x.stoppedIn; b.Phase == "" { // its worker stopped it
			b.Phase = store.BatchRunning
		}
		x.stoppedIn, b.Message, b.Forgiven = "", "", b.Failed
		if b.Phase == store.BatchCollecting {
			now = time.Time{}
		}
		x.free(now)
		return true
	})
}

func (s batches) changeBatch(ctx context.Context, id string, change func(*batch, time.Time) bool) (*store.Batch, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x, err := s.batch(id)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if change(x, now) {
		x.record.UpdatedAt = now
	}
	return x.copy(), nil
}

// DeleteBatch removes a batch that no worker holds, in one call.
func (s batches) DeleteBatch(ctx context.Context, id string) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	x, err := s.batch(id)
	if err != nil {
		return false, err
	}
	if x.held(s.now()) {
		return false, fmt.Errorf("batch %s: %w by %s", id, store.ErrSessionBusy, x.record.LeaseOwner)
	}
	delete(s.batches, id)
	delete(s.batchKeys, x.record.Key)
	return true, nil
}
